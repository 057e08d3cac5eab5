"""What a text is made of: letters, digits, commas, ends of sentences, ..., counted for all blocks of a page at once.

The kinds hold for any script, so that prose is told from menus without knowing the language.
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

LAST_CODE = 0x10000  # characters beyond the basic plane count as one kind: mostly emoji


class Kind(IntEnum):
    """A kind of character."""

    UPPER = 0
    LOWER = 1  # and letters of scripts that have no case
    UNSPACED = 2  # letters of scripts that put no spaces between words
    DIGIT = 3
    COMMA = 4
    END = 5  # of a sentence
    COLON = 6
    QUOTE = 7
    BAR = 8  # what parts menu items and marks them
    MARK = 9  # other punctuation
    SPACE = 10
    OTHER = 11


_SPECIAL = {
    Kind.COMMA: COMMAS + SEMICOLONS + ARABIC_SEMICOLON,
    Kind.END: SENTENCE_ENDS + RARE_ENDS,
    Kind.COLON: COLONS,
    Kind.QUOTE: "\"“”„‟'‘’「」『』",
    Kind.BAR: "|•·»«›‹→▶►/\\>_*+#=~^©®™",
}
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x9FFF), (0xF900, 0xFAFF))
_CATEGORIES = {"Lu": Kind.UPPER, "Lt": Kind.UPPER, "Nd": Kind.DIGIT, "Cc": Kind.SPACE}
_CLASSES = {"L": Kind.LOWER, "M": Kind.LOWER, "Z": Kind.SPACE, "P": Kind.MARK}


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """All characters of n texts one after the other, a line break after each text."""

    codes: NDArray[np.intp]  # (c,)
    kinds: NDArray[np.uint8]  # (c,)
    start: NDArray[np.intp]  # (n,) the first character of a text
    lengths: NDArray[np.intp]  # (n,)
    has_lines: bool  # whether there are line breaks inside a text


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Counts of the kinds for n texts, and how the texts begin and end."""

    counts: NDArray[np.float32]  # (kinds, n)
    lengths: NDArray[np.float32]  # (n,)
    first: NDArray[np.uint8]  # (n,) kinds of the first, last and last but one characters
    last: NDArray[np.uint8]
    before_last: NDArray[np.uint8]
    lines: NDArray[np.float32]  # (n,) line breaks in a text
    is_cut: NDArray[np.bool_]  # (n,) whether it ends with dots, as teasers do


def read_characters(texts: Sequence[str]) -> Characters:
    """Look up the kinds of all characters of texts, none of which is empty."""
    joined = "\n".join(texts) + "\n"
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.intp)
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    start = np.cumsum(lengths + 1)
    start -= lengths + 1
    has_lines = joined.count("\n") > len(texts)
    return Characters(codes, kinds_of_characters().take(codes, mode="clip"), start, lengths, has_lines)


def count_characters(characters: Characters, number: int) -> Counts:
    """Count the kinds of characters of the first so many texts."""
    codes, kinds = characters.codes, characters.kinds
    start, lengths = characters.start[:number], characters.lengths[:number]
    last = start + lengths
    end = int(last[-1]) + 1
    places = np.repeat(np.arange(0, number * len(Kind), len(Kind)), lengths + 1)
    places += kinds[:end]
    counts = np.bincount(places, minlength=number * len(Kind)).reshape(number, len(Kind)).T.astype(np.float32)
    counts[Kind.SPACE] -= 1  # the line break that joins it to the next
    last -= 1
    before = np.maximum(last - 1, start)
    code = codes.take(last)
    is_cut = code == ord("…")
    dotted = np.flatnonzero(code == ord("."))
    if len(dotted):
        third = np.maximum(last.take(dotted) - 2, start.take(dotted))
        is_cut[dotted] = (codes.take(last.take(dotted) - 1) == ord(".")) & (codes.take(third) == ord("."))
    return Counts(
        counts,
        lengths.astype(np.float32),
        kinds.take(start),
        kinds.take(last),
        kinds.take(before),
        lines=_count_lines(codes[:end], start, last) if characters.has_lines else np.zeros(number, np.float32),
        is_cut=is_cut,
    )


def _count_lines(codes: NDArray[np.intp], start: NDArray[np.intp], last: NDArray[np.intp]) -> NDArray[np.float32]:
    breaks = np.flatnonzero(codes == ord("\n"))
    return (breaks.searchsorted(last) - breaks.searchsorted(start)).astype(np.float32)


@cache
def kinds_of_characters() -> NDArray[np.uint8]:
    """Kind of every character of the basic plane, by its code."""
    table = np.full(LAST_CODE + 1, Kind.OTHER, np.uint8)
    for code in range(LAST_CODE):
        category = unicodedata.category(chr(code))
        table[code] = _CATEGORIES.get(category, _CLASSES.get(category[0], Kind.OTHER))
    for first, last in _UNSPACED:
        block = table[first : last + 1]
        block[block == Kind.LOWER] = Kind.UNSPACED
    for kind, characters in _SPECIAL.items():
        table[[ord(character) for character in characters]] = kind
    return table
