"""Page to blocks: search-and-combine segmentation (SCS) of SemText, section III-A.

The search phase starts a block at every border of a container; the walk over the page (page.parser) has done that and
left runs of text nodes, `Nodes.runs`. The combine phase puts neighbours of one look together. Here the blocks stay as
the search phase found them, so that one bad paragraph can be told from its good neighbours, and the combine phase gives
each its group: `Blocks.group`. Besides, two `<br>` in a row start a new block of the same group, since old pages write
their paragraphs that way.
"""

from __future__ import annotations

from broadsheet.blocks.blocks import Blocks
from broadsheet.blocks.places import LazyPlaces
from broadsheet.page import Nodes, Page, TextRun, tags

# Zero-width characters and soft hyphens: invisible, and in the way of everybody who compares words.
_INVISIBLE = {ord(char): None for char in "\u00ad\u200b\u2060\ufeff"}
_INVISIBLE_CHARS = frozenset(map(chr, _INVISIBLE))
_BREAK = "\0"  # stands for <br> in the text of a run; the parser lets no NUL through

# A plain tuple: a named one takes eight times as long to make.
_Chunk = tuple[str, int, int, int, int]  # text, first and last node row, container row, characters in links


def segment(page: Page) -> Blocks:
    """Cut the page into blocks: all its visible text, nothing twice, in order."""
    nodes = page.nodes
    page.deadline.check()
    chunks = [chunk for run in nodes.runs for chunk in _make_blocks(nodes, run)]
    texts, firsts, lasts, rows, links = zip(*chunks, strict=True) if chunks else ((),) * 5
    meanings = _find_meanings(nodes)
    return Blocks(
        text=texts,
        first=firsts,
        last=lasts,
        container=rows,
        link_chars=links,
        meaning=[meanings[row] for row in rows],
        places=LazyPlaces(nodes, rows),
    )


def fold_text(raw: str) -> str:
    """Fold white space to single spaces and drop invisible characters."""
    text = " ".join(raw.split())
    if not text.isascii() and not _INVISIBLE_CHARS.isdisjoint(text):
        text = " ".join(text.translate(_INVISIBLE).split())
    return text


def _find_meanings(nodes: Nodes) -> dict[int, int]:
    """Tell what each container stands in, itself included: bits of page.tags, by row."""
    node_tag, hidden, meaning_of = nodes.tag, nodes.hidden, tags.MEANING
    meanings = {-1: 0}
    for row, outer in nodes.outer.items():
        meaning = meanings[outer] & ~tags.CELL | meaning_of.get(node_tag[row], 0)
        meanings[row] = meaning | tags.HIDDEN if row in hidden else meaning
    return meanings


def _make_blocks(nodes: Nodes, run: TextRun) -> list[_Chunk]:
    """Make a block of a run of text; several, when blank lines (`<br><br>`) part it."""
    container, rows, linked, breaks = run
    if not breaks:
        texts = nodes.text
        text = fold_text("".join([texts[row] for row in rows]) if len(rows) > 1 else texts[rows[0]])
        return [(text, rows[0], _last_shown(nodes, rows), container, min(linked, len(text)))] if text else []
    chunks = []
    for paragraph in _split_paragraphs(nodes, rows):
        lines = "".join([nodes.text[row] or _BREAK for row in paragraph]).split(_BREAK)
        if text := "\n".join(filter(None, map(fold_text, lines))):
            share = linked and sum(len(nodes.text[row].strip()) for row in paragraph if _is_linked(nodes, row))
            chunks.append((text, paragraph[0], _last_shown(nodes, paragraph), container, min(share, len(text))))
    return chunks


def _last_shown(nodes: Nodes, rows: list[int]) -> int:
    """Find the last row that is neither a break nor white space; the first row never is."""
    at = len(rows) - 1
    while at and (not nodes.text[rows[at]] or nodes.text[rows[at]].isspace()):
        at -= 1
    return rows[at]


def _split_paragraphs(nodes: Nodes, rows: list[int]) -> list[list[int]]:
    """Part rows at blank lines: at breaks with nothing but white space between them."""
    paragraphs: list[list[int]] = [[]]
    breaks = 0  # since the last text; after two, the next text starts a paragraph
    for row in rows:
        if nodes.tag[row] == "br":
            breaks += 1
        elif not nodes.text[row].isspace():
            if breaks >= 2:
                paragraphs.append([])
            breaks = 0
        paragraphs[-1].append(row)
    return paragraphs


def _is_linked(nodes: Nodes, row: int) -> bool:
    return any(nodes.tag[above] == "a" and nodes.attr(above, "href") for above in nodes.ancestors(row))
