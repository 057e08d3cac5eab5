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

_LAST = 0x10000  # characters beyond the basic plane count as one kind: mostly emoji


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
    Kind.COMMA: ",،、，;；؛",
    Kind.END: ".!?。！？…؟।۔։．｡",
    Kind.COLON: ":：",
    Kind.QUOTE: "\"“”„‟'‘’「」『』",
    Kind.BAR: "|•·»«›‹→▶►/\\>_*+#=~^©®™",
}
_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x9FFF), (0xF900, 0xFAFF))
_CATEGORIES = {"Lu": Kind.UPPER, "Lt": Kind.UPPER, "Nd": Kind.DIGIT, "Cc": Kind.SPACE}
_CLASSES = {"L": Kind.LOWER, "M": Kind.LOWER, "Z": Kind.SPACE, "P": Kind.MARK}


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """Counts of the kinds for n texts, and how the texts begin and end."""

    counts: NDArray[np.float32]  # (kinds, n)
    lengths: NDArray[np.float32]  # (n,)
    first: NDArray[np.uint8]  # (n,) kinds of the first, last and last but one characters
    last: NDArray[np.uint8]
    before_last: NDArray[np.uint8]


def count_characters(texts: Sequence[str]) -> Characters:
    """Count the kinds of characters of texts, none of which is empty."""
    number, kinds = len(texts), len(Kind)
    joined = "\n".join(texts) + "\n"
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    kind = _make_table()[np.minimum(codes, _LAST)]
    lengths = np.fromiter(map(len, texts), np.int64, number)
    after = np.cumsum(lengths + 1)
    start = after - lengths - 1
    owner = np.repeat(np.arange(0, number * kinds, kinds), lengths + 1)
    counts = np.bincount(owner + kind, minlength=number * kinds).reshape(number, kinds).T.astype(np.float32)
    counts[Kind.SPACE] -= 1  # the line break that joins it to the next
    before_last = kind[np.maximum(after - 3, start)]
    return Characters(counts, lengths.astype(np.float32), kind[start], kind[after - 2], before_last)


@cache
def _make_table() -> NDArray[np.uint8]:
    """Kind of every character of the basic plane, by its code."""
    table = np.full(_LAST + 1, Kind.OTHER, np.uint8)
    for code in range(_LAST):
        category = unicodedata.category(chr(code))
        table[code] = _CATEGORIES.get(category, _CLASSES.get(category[0], Kind.OTHER))
    for first, last in _UNSPACED:
        block = table[first : last + 1]
        block[block == Kind.LOWER] = Kind.UNSPACED
    for kind, characters in _SPECIAL.items():
        table[[ord(character) for character in characters]] = kind
    return table
