"""Page to blocks: search-and-combine segmentation of SemText, section III-A.

1. The search phase cuts the text at the borders of containers. The parser has done it: `Nodes.runs` (see `page.runs`).
2. Here, each run becomes a block. Two `<br>` in a row start another block, as old pages separate paragraphs.
3. The combine phase joins similar neighbours. Here it only numbers the groups (`Blocks.group`): blocks stay separate,
   so that a method can reject one paragraph and keep the next.
"""

from __future__ import annotations

from broadsheet.blocks.blocks import Blocks
from broadsheet.blocks.headline import find_headline
from broadsheet.blocks.paths import LazyBlockPaths
from broadsheet.page import Nodes, Page, TextRun, tags
from broadsheet.text import fold_text

_CONTEXT_OF_TAG = dict.fromkeys(tags.CONTAINERS, 0) | tags.CONTEXT
_NOT_CELL = ~tags.CELL
_BREAK = "\0"  # represents <br> in the text of a run; the parser removes NUL from pages

_Piece = tuple[str, list[int], int, int]  # text, rows, container row, characters in links; a plain tuple for speed


def segment(page: Page) -> Blocks:
    """Cut the page into blocks that contain all its visible text once, in order."""
    nodes = page.nodes
    page.deadline.check()
    pieces: list[_Piece] = []
    node_text = nodes.text
    for run in nodes.runs:
        container, run_rows, link_rows, breaks = run
        if breaks:
            pieces += _split_run(nodes, run)
        elif len(run_rows) == 1:  # most runs
            text = node_text[run_rows[0]]
            # fold_text for ASCII without the call
            if text := " ".join(text.split()) if text.isascii() else fold_text(text):
                pieces.append((text, run_rows, container, len(text) if link_rows else 0))
        elif text := fold_text("".join([node_text[row] for row in run_rows])):
            link_chars = min(sum([len(node_text[row].strip()) for row in link_rows]), len(text)) if link_rows else 0
            pieces.append((text, run_rows, container, link_chars))
    texts, rows, containers, link_chars_of = zip(*pieces, strict=True) if pieces else ((),) * 4
    context_of = _find_contexts(nodes)
    contexts = [context_of[row] for row in containers]
    return Blocks(
        text=texts,
        rows=rows,
        first=[block_rows[0] for block_rows in rows],
        last=[block_rows[-1] for block_rows in rows],
        container=containers,
        link_chars=link_chars_of,
        context=contexts,
        headline=find_headline(texts, contexts, page.metadata),
        paths=LazyBlockPaths(nodes, containers),
    )


def _find_contexts(nodes: Nodes) -> dict[int, int]:
    """Return the context flags of each container, by row: its tag and all containers around it."""
    node_tag, hidden, context_of_tag = nodes.tag, nodes.hidden, _CONTEXT_OF_TAG
    contexts = {-1: 0}
    for row, outer in nodes.outer.items():
        contexts[row] = contexts[outer] & _NOT_CELL | context_of_tag[node_tag[row]]
        if hidden and row in hidden:
            contexts[row] |= tags.HIDDEN
    return contexts


def _split_run(nodes: Nodes, run: TextRun) -> list[_Piece]:
    """Split a run with breaks at blank lines (`<br><br>`)."""
    container, rows, link_rows, _ = run
    texts = nodes.text
    pieces = []
    in_link = set(link_rows)
    for paragraph in _split_paragraphs(nodes, rows):
        lines = "".join([texts[row] or _BREAK for row in paragraph]).split(_BREAK)
        if text := "\n".join(filter(None, map(fold_text, lines))):
            link_chars = sum(len(texts[row].strip()) for row in paragraph if row in in_link)
            pieces.append((text, paragraph, container, min(link_chars, len(text))))
    return pieces


def _split_paragraphs(nodes: Nodes, rows: list[int]) -> list[list[int]]:
    """Split rows at blank lines: at two breaks with only white space between them."""
    paragraphs: list[list[int]] = [[]]
    breaks = 0  # since the last text
    for row in rows:
        if nodes.tag[row] == "br":
            breaks += 1
        elif not nodes.text[row].isspace():
            if breaks >= 2:
                paragraphs.append([])
            breaks = 0
        paragraphs[-1].append(row)
    return paragraphs
