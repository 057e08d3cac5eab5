"""The blocks of a page, made from its runs of text."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

_BREAK = "\0"  # represents <br> in the text of a run; the parser removes NUL from pages


class NodeColumns(Protocol):
    """The columns of the node table that blocks are made from; `page.nodes.Nodes` describes them."""

    @property
    def tag(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def parent(self) -> Sequence[int]: ...  # noqa: D102
    @property
    def text(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def outer(self) -> Mapping[int, int]: ...  # noqa: D102
    @property
    def hidden(self) -> frozenset[int]: ...  # noqa: D102


class BlockColumns:
    """The columns that `cut_runs` fills; `blocks.Blocks` describes them."""

    __slots__ = ("containers", "first", "last", "link_chars", "rows", "texts")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.rows: list[list[int]] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.containers: list[int] = []
        self.link_chars: list[int] = []


def cut_runs(
    runs: Sequence[tuple[int, list[int], list[int], int]],
    nodes: NodeColumns,
    fold_text: Callable[[str], str],
    columns: BlockColumns,
) -> None:
    """Make one block of each run, or several where two `<br>` in a row separate paragraphs."""
    node_texts = nodes.text
    texts, rows, containers, link_chars = columns.texts, columns.rows, columns.containers, columns.link_chars
    for container, run_rows, link_rows, breaks in runs:
        if breaks:
            split_run(nodes, (container, run_rows, link_rows, breaks), fold_text, columns)
            continue
        chars = 0
        if len(run_rows) == 1:  # most runs
            text = fold_text(node_texts[run_rows[0]])
            if link_rows:
                chars = len(text)
        else:
            text = fold_text("".join([node_texts[row] for row in run_rows]))
            for row in link_rows:
                chars += len(node_texts[row].strip())
            chars = min(chars, len(text))
        if text:
            texts.append(text)
            rows.append(run_rows)
            containers.append(container)
            link_chars.append(chars)
    columns.first.extend([block_rows[0] for block_rows in rows])
    columns.last.extend([block_rows[-1] for block_rows in rows])


def split_run(
    nodes: NodeColumns,
    run: tuple[int, list[int], list[int], int],
    fold_text: Callable[[str], str],
    columns: BlockColumns,
) -> None:
    """Split a run with breaks at blank lines (`<br><br>`)."""
    container, run_rows, link_rows, _ = run
    texts = nodes.text
    in_link = set(link_rows)
    for paragraph in split_paragraphs(nodes, run_rows):
        lines = "".join([texts[row] or _BREAK for row in paragraph]).split(_BREAK)
        text = "\n".join([line for line in [fold_text(line) for line in lines] if line])
        if text:
            chars = 0
            for row in paragraph:
                if row in in_link:
                    chars += len(texts[row].strip())
            columns.texts.append(text)
            columns.rows.append(paragraph)
            columns.containers.append(container)
            columns.link_chars.append(min(chars, len(text)))


def split_paragraphs(nodes: NodeColumns, rows: list[int]) -> list[list[int]]:
    """Split rows at blank lines: at two breaks with only white space between them."""
    tags, texts = nodes.tag, nodes.text
    paragraph: list[int] = []
    paragraphs = [paragraph]
    breaks = 0  # since the last text
    for row in rows:
        if tags[row] == "br":
            breaks += 1
        elif not texts[row].isspace():
            if breaks >= 2:
                paragraph = []
                paragraphs.append(paragraph)
            breaks = 0
        paragraph.append(row)
    return paragraphs


def find_contexts(
    nodes: NodeColumns, containers: list[int], tag_flags: dict[str, int], cell_flag: int, hidden_flag: int
) -> list[int]:
    """Return the context flags of each block, given its container: the flags of that tag and of all around it.

    Only the innermost container has the flag of a cell.
    """
    tags, outer, hidden = nodes.tag, nodes.outer, nodes.hidden
    not_cell = ~cell_flag
    contexts = array("i", bytes(4 * (len(tags) + 1)))  # by row; the last one is for -1, no container
    for row, around in outer.items():
        flags = contexts[around if around >= 0 else len(tags)] & not_cell | tag_flags[tags[row]]
        if hidden and row in hidden:
            flags |= hidden_flag
        contexts[row] = flags
    return [contexts[row if row >= 0 else len(tags)] for row in containers]


def measure_emphasis(
    rows_of_blocks: Sequence[Sequence[int]],
    block_texts: Sequence[str],
    nodes: NodeColumns,
    tag_columns: dict[str, int],
    shares: Any,
) -> None:
    """Write the share of each block's characters whose parent has one of the tags.

    `shares` is a flat buffer of (columns, blocks) float32 numbers, zeros; `tag_columns` gives the column of a tag.
    """
    tags, parents, texts = nodes.tag, nodes.parent, nodes.text
    number = len(rows_of_blocks)
    for block in range(number):
        for row in rows_of_blocks[block]:
            tag = tags[parents[row]]
            if tag in tag_columns:
                at = tag_columns[tag] * number + block
                share = len(texts[row]) / len(block_texts[block])
                shares[at] = min(shares[at] + share, 1.0)
