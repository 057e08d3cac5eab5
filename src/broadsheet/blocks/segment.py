"""Page to blocks: search-and-combine segmentation (SCS) of SemText, section III-A.

The search phase starts a block at every border of a container; the walk over the page (page.parser) has done that and
left runs of text nodes, `Nodes.runs`. The combine phase puts neighbours of one look together. Here the blocks stay as
the search phase found them, so that one bad paragraph can be told from its good neighbours, and the combine phase gives
each its group: `Blocks.group`. Besides, two `<br>` in a row start a new block of the same group, since old pages write
their paragraphs that way.
"""

from __future__ import annotations

from broadsheet.blocks.blocks import Blocks
from broadsheet.blocks.headline import find_headline
from broadsheet.blocks.paths import LazyPaths
from broadsheet.page import Nodes, Page, TextRun, tags

_INVISIBLE = {ord(char): None for char in "\u00ad\u200b\u2060\ufeff"}
_INVISIBLE_CHARS = frozenset(map(chr, _INVISIBLE))
_MEANING = dict.fromkeys(tags.CONTAINERS, 0) | tags.CONTEXT
_NOT_CELL = ~tags.CELL
_BREAK = "\0"  # stands for <br> in the text of a run; the parser lets no NUL through

_Chunk = tuple[str, list[int], int, int]  # text, rows, container row, characters in links: plain, as TextRun is


def segment(page: Page) -> Blocks:
    """Cut the page into blocks: all its visible text, nothing twice, in order."""
    nodes = page.nodes
    page.deadline.check()
    chunks: list[_Chunk] = []
    raw = nodes.text
    for run in nodes.runs:
        container, own, linked, breaks = run
        if breaks:
            chunks += _split_run(nodes, run)
        elif len(own) == 1:  # most of them
            if text := fold_text(raw[own[0]]):
                chunks.append((text, own, container, len(text) if linked else 0))
        elif text := fold_text("".join([raw[row] for row in own])):
            in_links = min(sum([len(raw[row].strip()) for row in linked]), len(text)) if linked else 0
            chunks.append((text, own, container, in_links))
    texts, rows, containers, links = zip(*chunks, strict=True) if chunks else ((),) * 4
    meanings = _find_meanings(nodes)
    contexts = [meanings[row] for row in containers]
    return Blocks(
        text=texts,
        rows=rows,
        first=[own[0] for own in rows],
        last=[own[-1] for own in rows],
        container=containers,
        link_chars=links,
        context=contexts,
        headline=find_headline(texts, contexts, page.metadata),
        places=LazyPaths(nodes, containers),
    )


def fold_text(raw: str) -> str:
    """Fold white space to single spaces and drop invisible characters."""
    return " ".join((raw if raw.isascii() else drop_invisible(raw)).split())


def drop_invisible(text: str) -> str:
    """Drop zero-width characters and soft hyphens: invisible, and in the way of everybody who compares words."""
    if text.isascii() or _INVISIBLE_CHARS.isdisjoint(text):
        return text
    return text.translate(_INVISIBLE)


def _find_meanings(nodes: Nodes) -> dict[int, int]:
    """Tell what each container stands in, itself included: bits of page.tags, by row."""
    node_tag, hidden, meaning_of = nodes.tag, nodes.hidden, _MEANING
    meanings = {-1: 0}
    for row, outer in nodes.outer.items():
        meanings[row] = meanings[outer] & _NOT_CELL | meaning_of[node_tag[row]]
        if hidden and row in hidden:
            meanings[row] |= tags.HIDDEN
    return meanings


def _split_run(nodes: Nodes, run: TextRun) -> list[_Chunk]:
    """Make a block of a run of text with breaks in it; several, when blank lines (`<br><br>`) part it."""
    container, rows, linked, _ = run
    texts = nodes.text
    chunks = []
    in_link = set(linked)
    for paragraph in _split_paragraphs(nodes, rows):
        lines = "".join([texts[row] or _BREAK for row in paragraph]).split(_BREAK)
        if text := "\n".join(filter(None, map(fold_text, lines))):
            links = sum(len(texts[row].strip()) for row in paragraph if row in in_link)
            chunks.append((text, paragraph, container, min(links, len(text))))
    return chunks


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
