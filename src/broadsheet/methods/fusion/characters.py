"""Counts of character kinds (letters, digits, commas, sentence ends, ...) for all blocks of a page at once.

The kinds apply to every script, so that prose and menus differ in any language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from broadsheet.text.punctuation import ARABIC_SEMICOLON, COLONS, COMMAS, RARE_ENDS, SEMICOLONS, SENTENCE_ENDS

LAST_CODE = 0x10000  # one entry for all characters beyond the basic plane, mostly emoji


class Kind(IntEnum):
    """A kind of character."""

    UPPER = 0
    LOWER = 1  # and letters of scripts without case
    UNSPACED = 2  # letters of scripts without spaces between words
    DIGIT = 3
    COMMA = 4
    END = 5  # of a sentence
    COLON = 6
    QUOTE = 7
    BAR = 8  # separators and bullets of menus
    MARK = 9  # other punctuation
    SPACE = 10
    OTHER = 11


_KIND_CHARACTERS = {
    Kind.COMMA: COMMAS + SEMICOLONS + ARABIC_SEMICOLON,
    Kind.END: SENTENCE_ENDS + RARE_ENDS,
    Kind.COLON: COLONS,
    Kind.QUOTE: "\"“”„‟'‘’「」『』",
    Kind.BAR: "|•·»«›‹→▶►/\\>_*+#=~^©®™",
}
_UNSPACED_RANGES = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x9FFF), (0xF900, 0xFAFF))
_CATEGORY_KINDS = {"Lu": Kind.UPPER, "Lt": Kind.UPPER, "Nd": Kind.DIGIT, "Cc": Kind.SPACE}
_MAJOR_CATEGORY_KINDS = {"L": Kind.LOWER, "M": Kind.LOWER, "Z": Kind.SPACE, "P": Kind.MARK}


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """The c characters of n texts in sequence, each text followed by a line break."""

    codes: NDArray[np.intp]  # (c,)
    kinds: NDArray[np.uint8]  # (c,)
    start: NDArray[np.intp]  # (n,) first character of each text
    lengths: NDArray[np.intp]  # (n,)
    has_line_breaks: bool  # whether a text contains a line break


@dataclass(frozen=True, slots=True, eq=False)
class CharacterCounts:
    """Counts of each kind in n texts, and the kinds of their first and last characters."""

    counts: NDArray[np.float32]  # (kinds, n)
    lengths: NDArray[np.float32]  # (n,)
    first: NDArray[np.uint8]  # (n,) kind of the first, last and last but one character
    last: NDArray[np.uint8]
    before_last: NDArray[np.uint8]
    line_breaks: NDArray[np.float32]  # (n,)
    is_cut: NDArray[np.bool_]  # (n,) ends with an ellipsis, as teasers do


def read_characters(texts: Sequence[str]) -> Characters:
    """Look up the kinds of all characters. No text may be empty."""
    joined = "\n".join(texts) + "\n"
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.intp)
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    start = np.cumsum(lengths + 1)
    start -= lengths + 1
    has_line_breaks = joined.count("\n") > len(texts)
    return Characters(codes, make_kind_table().take(codes, mode="clip"), start, lengths, has_line_breaks)


def count_characters(characters: Characters, number: int) -> CharacterCounts:
    """Count the kinds of characters in the first `number` texts."""
    codes, kinds = characters.codes, characters.kinds
    start, lengths = characters.start[:number], characters.lengths[:number]
    last = start + lengths
    end = int(last[-1]) + 1
    bins = np.repeat(np.arange(0, number * len(Kind), len(Kind)), lengths + 1)
    bins += kinds[:end]
    counts = np.bincount(bins, minlength=number * len(Kind)).reshape(number, len(Kind)).T.astype(np.float32)
    counts[Kind.SPACE] -= 1  # the line break after the text
    last -= 1
    before_last = np.maximum(last - 1, start)
    last_codes = codes.take(last)
    is_cut = last_codes == ord("…")
    dotted = np.flatnonzero(last_codes == ord("."))
    if len(dotted):
        third_last = np.maximum(last.take(dotted) - 2, start.take(dotted))
        is_cut[dotted] = (codes.take(last.take(dotted) - 1) == ord(".")) & (codes.take(third_last) == ord("."))
    return CharacterCounts(
        counts,
        lengths.astype(np.float32),
        kinds.take(start),
        kinds.take(last),
        kinds.take(before_last),
        line_breaks=(
            _count_line_breaks(codes[:end], start, last) if characters.has_line_breaks else np.zeros(number, np.float32)
        ),
        is_cut=is_cut,
    )


def _count_line_breaks(codes: NDArray[np.intp], start: NDArray[np.intp], last: NDArray[np.intp]) -> NDArray[np.float32]:
    breaks = np.flatnonzero(codes == ord("\n"))
    return (breaks.searchsorted(last) - breaks.searchsorted(start)).astype(np.float32)


@cache
def make_kind_table() -> NDArray[np.uint8]:
    """Make the table of the kind of each character of the basic plane, by its code."""
    table = np.full(LAST_CODE + 1, Kind.OTHER, np.uint8)
    for code in range(LAST_CODE):
        category = unicodedata.category(chr(code))
        table[code] = _CATEGORY_KINDS.get(category, _MAJOR_CATEGORY_KINDS.get(category[0], Kind.OTHER))
    for first, last in _UNSPACED_RANGES:
        script = table[first : last + 1]
        script[script == Kind.LOWER] = Kind.UNSPACED
    for kind, characters in _KIND_CHARACTERS.items():
        table[[ord(character) for character in characters]] = kind
    return table
