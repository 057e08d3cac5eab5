"""Block segmentation and content recognition (section III-C, Algorithms 3 and 4)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import chain

from rapidfuzz.distance import LCSseq

from broadsheet.methods.twcem.config import TwcemConfig
from broadsheet.text import split_words


def keep_rows(rows: Sequence[str], config: TwcemConfig) -> list[int]:
    """Keep the rows that are long enough and have punctuation (Algorithm 3)."""
    return [
        at
        for at, row in enumerate(rows)
        if _length(row) >= config.min_length and _has_punctuation(row, config.min_punctuation)
    ]


def find_bounds(rows: Sequence[str], title: str | None, config: TwcemConfig) -> range:
    """Find the first and the last row that share words with the title (Algorithm 4).

    The search for the start stays in the first half of the rows, that for the end in the second; without a match the
    border stays at the end of the page. The printed loop stops short of the last row; the text of the document includes
    it, and so do we.
    """
    title_words = split_words(title or "")
    half = len(rows) / 2
    start, end = 0, len(rows) - 1
    for at in range(len(rows)):
        if at >= half:
            break
        if _shares_words(rows[at], title_words, config.min_common_words):
            start = at
            break
    for at in range(len(rows) - 1, -1, -1):
        if at <= half:
            break
        if _shares_words(rows[at], title_words, config.min_common_words):
            end = at
            break
    return range(start, end + 1)


def _shares_words(row: str, title_words: list[str], least: int) -> bool:
    """Tell whether the longest common subsequence of row and title has at least so many words."""
    words = split_words(row)
    return LCSseq.similarity(words, title_words, score_cutoff=least) >= least


def _length(row: str) -> int:
    return len(row) - row.count(" ") - row.count("\n")


def _has_punctuation(row: str, least: int) -> bool:
    marks = _list_punctuation()
    if least <= 1:
        return least < 1 or not marks.isdisjoint(row)  # stops at the first mark
    return sum(char in marks for char in row) >= least


@cache
def _list_punctuation() -> frozenset[str]:
    """All characters that Unicode calls punctuation, in the ranges that have some (Han and Hangul have none)."""
    chars = map(chr, chain(range(0x3400), range(0xA000, 0xAC00), range(0xFB00, 0x10000)))
    return frozenset(char for char in chars if unicodedata.category(char)[0] == "P")
