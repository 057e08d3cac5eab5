"""Content recognition (section III): rows as published, the blocks that are content, and what is restored.

Rows are lines of the HTML source without its tags (III-A, Algorithm 1, and Definition 1). Algorithms 3 and 4 (III-C)
keep some of them. Headings and table cells whose neighbours are kept are restored (ours; `keep_structure`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import cache
from html import unescape
from itertools import accumulate, chain

from rapidfuzz.distance import LCSseq

from broadsheet.blocks import Blocks, Span, find_spans, tags
from broadsheet.methods.twcem.config import TwcemConfig
from broadsheet.page import Nodes
from broadsheet.text import split_words

_START = re.compile(r"<!--|<(script|style)\b", re.IGNORECASE)
_ENDS = {
    "": re.compile("-->"),
    "script": re.compile(r"</script[^<>]*>", re.IGNORECASE),
    "style": re.compile(r"</style[^<>]*>", re.IGNORECASE),
}
_TAG = re.compile("<[^<>]*>")
_MAX_GAP = 5_000  # characters of lines without a block between two blocks, such as options of a form
_EXCLUDED_CONTEXT = tags.HIDDEN | tags.NAV | tags.FORM | tags.FOOTER


def read_lines(source: str) -> list[str]:
    """Return the lines of a page after scripts, styles, comments and tags are removed (Algorithm 1)."""
    return unescape(_TAG.sub("", _remove_scripts(source))).split("\n")


def _remove_scripts(source: str) -> str:
    pieces: list[str] = []
    position = 0
    while start := _START.search(source, position):
        pieces.append(source[position : start.start()])
        end = _ENDS[(start[1] or "").lower()].search(source, start.end())
        if end is None:
            return "".join(pieces)
        position = end.end()
    pieces.append(source[position:])
    return "".join(pieces)


def find_spans_in_lines(
    texts: Sequence[str], lines: Sequence[str], kept: Collection[int]
) -> dict[int, tuple[Span, ...]]:
    """Return the ranges of the block texts that are in the kept lines, by index of the text.

    Blocks and lines have the same order, and differ in white space. A text that is not found is not kept.
    """
    packed_lines = ["".join(line.split()) for line in lines]
    packed = "".join(packed_lines)
    kept_chars = [len(line) if number in kept else 0 for number, line in enumerate(packed_lines)]
    line_starts = [0, *accumulate(map(len, packed_lines))]
    is_kept = bytearray(len(packed))
    for number in kept:
        is_kept[line_starts[number] : line_starts[number + 1]] = b"\1" * kept_chars[number]
    spans: dict[int, tuple[Span, ...]] = {}
    position = 0
    for block, text in enumerate(texts):
        packed_text = "".join(text.split())
        length = len(packed_text)
        start = packed.find(packed_text, position, position + length + _MAX_GAP)
        if start >= 0:
            position = start + length
            count = is_kept.count(1, start, position)
            if count:
                is_whole = count == length
                spans[block] = ((0, len(text)),) if is_whole else find_spans(text, is_kept[start:position])
    return spans


def filter_rows(rows: Sequence[str], config: TwcemConfig) -> list[int]:
    """Return the indices of rows that are long enough and have punctuation (Algorithm 3)."""
    return [
        index
        for index, row in enumerate(rows)
        if _count_chars(row) >= config.min_length and _has_punctuation(row, config.min_punctuation)
    ]


def find_bounds(rows: Sequence[str], title: str | None, config: TwcemConfig) -> range:
    """Return the range from the first to the last row that shares words with the title (Algorithm 4).

    The start is searched in the first half of the rows and the end in the second half. Without a match, the range
    extends to the first or the last row. The printed loops begin at the second row and omit the last one
    (`has_printed_loops`); the paper's text includes both.
    With `context_rows`, a row is compared together with the rows after it, and at the end with those before it: the
    forward and reverse Cblock of Definition 3.
    """
    title_words = split_words(title or "")
    first_half = range(int(config.has_printed_loops), (len(rows) + 1) // 2)
    second_half = range(len(rows) - 1, len(rows) // 2, -1)  # from the last row up

    def matches(cblock: Sequence[str]) -> bool:
        return _shares_words(" ".join(cblock), title_words, config.min_common_words)

    context = config.context_rows
    start = next((row for row in first_half if matches(rows[row : row + context + 1])), 0)
    end = next((row for row in second_half if matches(rows[max(row - context, 0) : row + 1])), len(rows) - 1)
    return range(start, end if config.has_printed_loops else end + 1)


def _shares_words(row: str, title_words: list[str], min_words: int) -> bool:
    """Tell whether the longest common subsequence of row and title has at least `min_words` words."""
    return LCSseq.similarity(split_words(row), title_words, score_cutoff=min_words) >= min_words


def _count_chars(row: str) -> int:
    """Count the characters of a row without white space (Definition 4)."""
    return len(row) - row.count(" ") - row.count("\n") - row.count("\t") - row.count("\r")


def _has_punctuation(row: str, min_marks: int) -> bool:
    marks = _list_punctuation()
    if min_marks <= 1:
        return min_marks < 1 or not marks.isdisjoint(row)  # stops at the first mark
    return sum(char in marks for char in row) >= min_marks


@cache
def _list_punctuation() -> frozenset[str]:
    """Return all characters of Unicode's punctuation categories, without the Han and Hangul ranges, which have none."""
    chars = map(chr, chain(range(0x3400), range(0xA000, 0xAC00), range(0xFB00, 0x10000)))
    return frozenset(char for char in chars if unicodedata.category(char)[0] == "P")


def find_structure(nodes: Nodes, blocks: Blocks, rows: Sequence[int], kept: set[int]) -> set[int]:
    """Return rows that belong to kept ones: other cells of the same table row, and headings directly before one.

    Headings and cells are short and have no punctuation, so that Algorithm 3 drops them.
    """
    if not kept:
        return set()
    first, last = min(kept), max(kept)
    dropped = [row for row in rows if first < row < last and row not in kept and not blocks.has(row, _EXCLUDED_CONTEXT)]
    table_rows = {_find_table_row(nodes, blocks, block) for block in kept if blocks.has(block, tags.CELL)}
    cells = {row for row in dropped if table_rows and _is_in_table_row(nodes, blocks, row, table_rows)}
    headings = {row for row in dropped if blocks.has(row, tags.HEADING) and (row + 1 in kept or row + 1 in cells)}
    return cells | headings


def _is_in_table_row(nodes: Nodes, blocks: Blocks, block: int, table_rows: set[int]) -> bool:
    """Tell whether a block is a cell of one of the table rows, or of the header directly above one."""
    if not blocks.has(block, tags.CELL):
        return False
    row = _find_table_row(nodes, blocks, block)
    return row in table_rows or (nodes.tag[blocks.container[block]] == "th" and nodes.end[row] in table_rows)


def _find_table_row(nodes: Nodes, blocks: Blocks, block: int) -> int:
    return nodes.parent[blocks.container[block]]
