"""The blocks of a page, made from its runs of text."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

from broadsheet.html.table import HIDDEN, NO_CONTAINER, NodeTable

_BREAK = "\0"  # represents <br> in the text of a run; the parser removes NUL from pages
_HIDDEN, _NO_CONTAINER = HIDDEN, NO_CONTAINER


def make_numbers(count: int) -> array[int]:
    """Return an array of zeros."""
    return array("i", bytes(4 * count))


class BlockColumns:
    """The columns that `cut_blocks` fills; `blocks.Blocks` describes them."""

    def __init__(self, max_blocks: int, max_rows: int) -> None:
        self.texts: list[str] = []
        self.rows = make_numbers(max_rows)  # of all blocks, in sequence
        self.row_end = make_numbers(max_blocks)  # of each block: the end of its rows
        self.first = make_numbers(max_blocks)
        self.last = make_numbers(max_blocks)
        self.container = make_numbers(max_blocks)
        self.link_chars = make_numbers(max_blocks)
        # The same arrays, which compiled code reads as buffers.
        self._rows: Any = self.rows
        self._row_end: Any = self.row_end
        self._first: Any = self.first
        self._last: Any = self.last
        self._container: Any = self.container
        self._link_chars: Any = self.link_chars
        self._count = 0  # of blocks
        self._row_count = 0

    def add(self, text: str, rows: Any, start: int, stop: int, container: int, link_chars: int) -> None:  # noqa: PLR0913, PLR0917
        """Add a block with the rows from `start` to `stop`."""
        block, at = self._count, self._row_count
        self.texts.append(text)
        self._first[block], self._last[block] = rows[start], rows[stop - 1]
        for index in range(start, stop):
            self._rows[at] = rows[index]
            at += 1
        self._row_end[block], self._row_count = at, at
        self._container[block] = container
        self._link_chars[block] = min(link_chars, len(text))
        self._count += 1

    def trim(self) -> None:
        """Cut the columns to the number of blocks."""
        self.rows = self.rows[: self._row_count]
        self.row_end, self.first = self.row_end[: self._count], self.first[: self._count]
        self.last, self.container = self.last[: self._count], self.container[: self._count]
        self.link_chars = self.link_chars[: self._count]


class RunTexts:
    """The runs of a page, and the texts of their rows."""

    def __init__(self, table: NodeTable) -> None:
        self.arena = table.arena
        self.start: Any = table.text_start
        self.end: Any = table.text_end
        self.rows: Any = table.run_rows
        self.in_link: Any = table.run_in_link

    def read(self, item: int) -> str:
        """Return the text of an item of a run, "" for a break."""
        row = self.rows[item]
        start, end = self.start[row], self.end[row]
        return self.arena[start:end].decode("utf-8", "surrogatepass")

    def join(self, start: int, stop: int, gap: str) -> str:
        """Return the text of several items, with `gap` for breaks."""
        return "".join([self.read(item) or gap for item in range(start, stop)])

    def count_link_chars(self, start: int, stop: int) -> int:
        """Return the number of characters in links, without white space at the ends of texts."""
        chars = 0
        for item in range(start, stop):
            if self.in_link[item]:
                text = self.read(item)
                chars += len(text.strip())
        return chars


def cut_blocks(table: NodeTable, fold_text: Callable[[str], str]) -> BlockColumns:
    """Make one block of each run, or several where two `<br>` in a row separate paragraphs."""
    container, run_end, run_breaks = table.run_container, table.run_end, table.run_breaks
    columns = BlockColumns(len(run_end) + sum(run_breaks) // 2, len(table.run_rows))
    texts = RunTexts(table)
    rows = texts.rows
    start = 0
    for run in range(len(run_end)):
        stop = run_end[run]
        if run_breaks[run]:
            split_run(texts, start, stop, container[run], fold_text, columns)
        elif stop == start + 1:  # most runs
            text = fold_text(texts.read(start))
            if text:
                columns.add(text, rows, start, stop, container[run], len(text) if texts.in_link[start] else 0)
        else:
            text = fold_text(texts.join(start, stop, ""))
            if text:
                columns.add(text, rows, start, stop, container[run], texts.count_link_chars(start, stop))
        start = stop
    columns.trim()
    return columns


def split_run(  # noqa: PLR0913, PLR0917
    texts: RunTexts, start: int, stop: int, container: int, fold_text: Callable[[str], str], columns: BlockColumns
) -> None:
    """Split a run with breaks at blank lines (`<br><br>`)."""
    paragraph = start
    while paragraph < stop:
        end = find_paragraph_end(texts, paragraph, stop)
        lines = texts.join(paragraph, end, _BREAK).split(_BREAK)
        text = "\n".join([line for line in [fold_text(line) for line in lines] if line])
        if text:
            columns.add(text, texts.rows, paragraph, end, container, texts.count_link_chars(paragraph, end))
        paragraph = end


def find_paragraph_end(texts: RunTexts, start: int, stop: int) -> int:
    """Return the first item after a blank line: after two breaks with only white space between them."""
    breaks = 0  # since the last text
    for item in range(start, stop):
        text = texts.read(item)
        if not text:
            breaks += 1
        elif not text.isspace():
            if breaks >= 2:
                return item
            breaks = 0
    return stop


def find_contexts(table: NodeTable, containers: Any, tag_flags: Any, cell_flag: int, hidden_flag: int) -> Any:
    """Return the context flags of each block, given its container: the flags of that tag and of all around it.

    `tag_flags` has the flags of each tag in `html.names.TAG_NAMES`. Only the innermost container has that of a cell.
    """
    tags, outer, flags = table.tag, table.outer, table.flags
    count, not_cell = len(tags), ~cell_flag
    contexts = make_numbers(count + 1)  # by row; the last one is for -1, no container
    for row in range(count):
        around = outer[row]
        if around != _NO_CONTAINER:
            context = contexts[around if around >= 0 else count] & not_cell | tag_flags[tags[row]]
            contexts[row] = context | hidden_flag if flags[row] & _HIDDEN else context
    block_contexts = make_numbers(len(containers))
    context_of: Any = block_contexts
    for block in range(len(containers)):
        row = containers[block]
        context_of[block] = contexts[row if row >= 0 else count]
    return block_contexts


def measure_emphasis(  # noqa: PLR0913, PLR0917
    table: NodeTable, rows: Any, row_end: Any, block_texts: Sequence[str], tag_columns: Any, shares: Any
) -> None:
    """Write the share of each block's characters whose parent has one of the tags.

    `shares` is a flat buffer of (columns, blocks) float32 numbers, zeros; `tag_columns` gives the column of each tag in
    `html.names.TAG_NAMES` plus 1.
    """
    tags, parents, known = table.tag, table.parent, len(tag_columns)
    arena, starts, ends = table.arena, table.text_start, table.text_end
    number, item = len(row_end), 0
    for block in range(number):
        while item < row_end[block]:
            row = rows[item]
            tag = tags[parents[row]]
            if tag < known and tag_columns[tag]:
                start, end = starts[row], ends[row]
                text = arena[start:end].decode("utf-8", "surrogatepass")
                share = len(text) / len(block_texts[block])
                at = (tag_columns[tag] - 1) * number + block
                shares[at] = min(shares[at] + share, 1.0)
            item += 1
