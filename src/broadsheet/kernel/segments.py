"""The blocks of a page, made from its runs of text."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from broadsheet.html.table import HIDDEN, NO_CONTAINER, NodeTable
from broadsheet.kernel.runs import RunTexts, count_chars

_HIDDEN, _NO_CONTAINER = HIDDEN, NO_CONTAINER
_ZERO = array("i", [0])
_NO_LIMIT = 1 << 60


def make_numbers(count: int) -> array[int]:
    """Return an array of zeros."""
    return _ZERO * count


class BlockColumns:
    """The columns that `cut_blocks` fills; `blocks.Blocks` describes them."""

    def __init__(self, run_rows: array[int], max_blocks: int) -> None:
        self.texts: list[str] = []
        self.rows = make_numbers(len(run_rows))  # of all blocks, in sequence
        self.row_end = make_numbers(max_blocks)  # of each block: the end of its rows
        self.first = make_numbers(max_blocks)
        self.last = make_numbers(max_blocks)
        self.container = make_numbers(max_blocks)
        self.link_chars = make_numbers(max_blocks)
        # The same arrays, which compiled code reads as buffers.
        self._run_rows: Any = run_rows
        self._rows: Any = self.rows
        self._row_end: Any = self.row_end
        self._first: Any = self.first
        self._last: Any = self.last
        self._container: Any = self.container
        self._link_chars: Any = self.link_chars
        self._count = 0  # of blocks
        self._row_count = 0

    def add(self, text: str, start: int, stop: int, container: int, link_chars: int) -> None:
        """Add a block with the items from `start` to `stop` of the runs."""
        block, at = self._count, self._row_count
        self.texts.append(text)
        self._first[block], self._last[block] = self._run_rows[start], self._run_rows[stop - 1]
        for item in range(start, stop):
            self._rows[at] = self._run_rows[item]
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


def cut_blocks(table: NodeTable) -> BlockColumns:
    """Make one block of each run, or several where two `<br>` in a row separate paragraphs."""
    container, run_end, run_breaks = table.run_container, table.run_end, table.run_breaks
    columns = BlockColumns(table.run_rows, len(run_end) + sum(run_breaks) // 2)
    texts, in_link = RunTexts(table), table.run_in_link
    start = 0
    for run in range(len(run_end)):
        stop = run_end[run]
        if run_breaks[run]:
            split_run(texts, start, stop, container[run], columns)
        else:
            text = texts.fold(start, stop)
            if text:
                is_link = stop == start + 1 and in_link[start]
                link_chars = len(text) if is_link else texts.count_link_chars(start, stop)
                columns.add(text, start, stop, container[run], link_chars)
        start = stop
    columns.trim()
    return columns


def split_run(texts: RunTexts, start: int, stop: int, container: int, columns: BlockColumns) -> None:
    """Split a run with breaks at blank lines (`<br><br>`). Single breaks end lines."""
    while start < stop:
        lines: list[str] = []
        line_start = item = start
        breaks = 0  # since the last text
        while item < stop:
            if texts.is_break(item):
                lines.append(texts.fold(line_start, item))
                line_start = item + 1
                breaks += 1
            elif not texts.is_space(item):
                if breaks >= 2:
                    break
                breaks = 0
            item += 1
        lines.append(texts.fold(line_start, item))
        text = "\n".join([line for line in lines if line])
        if text:
            columns.add(text, start, item, container, texts.count_link_chars(start, item))
        start = item


def count_shown(
    table: NodeTable, min_prose_chars: int, max_chars: int = _NO_LIMIT, skip_links: bool = False
) -> tuple[int, int]:
    """Return the number of characters of the visible text, and of its runs with at least `min_prose_chars`.

    Stops after `max_chars`: on most pages, after a few runs. With `skip_links`, runs of links are not counted as prose.
    """
    arena, starts, ends = table.arena, table.text_start, table.text_end
    run_end, rows, in_link = table.run_end, table.run_rows, table.run_in_link
    chars = prose = item = 0
    for run in range(len(run_end)):
        run_chars = 0
        has_other_text = not skip_links
        while item < run_end[run]:
            row = rows[item]
            run_chars += count_chars(arena, starts[row], ends[row])
            if not in_link[item]:
                has_other_text = True
            item += 1
        chars += run_chars
        if run_chars >= min_prose_chars and has_other_text:
            prose += run_chars
        if chars > max_chars:
            break
    return chars, prose


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
    table: NodeTable, rows: Any, row_end: Any, block_texts: Sequence[str], tag_columns: Any, shares: Any, first: int
) -> None:
    """Write the share of each block's characters whose parent has one of the tags.

    `shares` is a flat buffer of (columns, blocks) float32 numbers, zeros from the `first` column on; `tag_columns`
    gives the column of each tag in `html.names.TAG_NAMES`, counted from the first one, plus 1.
    """
    tags, parents, tag_count = table.tag, table.parent, len(tag_columns)
    arena, starts, ends = table.arena, table.text_start, table.text_end
    number, item = len(row_end), 0
    for block in range(number):
        while item < row_end[block]:
            row = rows[item]
            tag = tags[parents[row]]
            if tag < tag_count and tag_columns[tag]:
                share = count_chars(arena, starts[row], ends[row]) / len(block_texts[block])
                at = (first + tag_columns[tag] - 1) * number + block
                shares[at] = min(shares[at] + share, 1.0)
            item += 1
