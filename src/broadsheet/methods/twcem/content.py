"""Block segmentation and content recognition (section III-C, Algorithms 3 and 4)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import chain

from rapidfuzz.distance import LCSseq

from broadsheet.methods.twcem.config import TwcemConfig
from broadsheet.text import split_words


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
    extends to the first or the last row. The printed loop omits the last row; the paper's text includes it, as we do.
    With `context_rows`, a row is compared together with the rows after it, and at the end with those before it: the
    forward and reverse Cblock of Definition 3.
    """
    title_words = split_words(title or "")
    first_half = range((len(rows) + 1) // 2)
    second_half = range(len(rows) - 1, len(rows) // 2, -1)  # from the last row up

    def matches(cblock: Sequence[str]) -> bool:
        return _shares_words(" ".join(cblock), title_words, config.min_common_words)

    context = config.context_rows
    start = next((row for row in first_half if matches(rows[row : row + context + 1])), 0)
    end = next((row for row in second_half if matches(rows[max(row - context, 0) : row + 1])), len(rows) - 1)
    return range(start, end + 1)


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
