"""The first words of every block as hashes, for all blocks of a page at once.

They are compared with the words of the title and the description. In scripts without spaces each character is a word.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.characters import LAST_CODE, Characters, Kind

Hashes = NDArray[np.uint32]

MAX_CHARS = 160  # characters of a text that are read
MAX_BLOCK_WORDS = 12  # words of a block that the network reads
_WORD_NUMBERS = np.arange(MAX_BLOCK_WORDS)
# Plain integers: NumPy compares enum members slowly.
_LAST_WORD_KIND, _UNSPACED = int(Kind.DIGIT), int(Kind.UNSPACED)  # kinds up to DIGIT are parts of words
_POWERS = np.cumprod(np.full(MAX_CHARS, 0x9E3779B97F4A7C15, np.uint64), dtype=np.uint64)  # of a polynomial hash


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The first words of n texts, t in all, in sequence."""

    hashes: Hashes  # (t,)
    owner: NDArray[np.intp]  # (t,) number of the text
    first: NDArray[np.intp]  # (n,) first word of each text
    count: NDArray[np.intp]  # (n,)

    def take(self, number: int) -> Tokens:
        """Return the words of the first `number` texts, which must not be all texts."""
        end = self.first[number]
        return Tokens(self.hashes[:end], self.owner[:end], self.first[:number], self.count[:number])


def read_tokens(characters: Characters) -> Tokens:
    """Hash the first words of texts."""
    start, number = characters.start, len(characters.start)
    lengths = np.minimum(characters.lengths, MAX_CHARS)
    ends = np.cumsum(lengths)
    read = np.arange(int(ends[-1])) + np.repeat(start - ends + lengths, lengths)  # indices of the characters read
    kinds = characters.kinds.take(read)
    is_word = np.flatnonzero(kinds <= _LAST_WORD_KIND)
    letters = read.take(is_word)
    if not len(letters):
        zeros = np.zeros(number, np.intp)
        return Tokens(np.zeros(0, np.uint32), zeros[:0], zeros, zeros)
    is_start = np.empty(len(letters), bool)
    is_start[0] = True
    np.greater(letters[1:] - letters[:-1], 1, out=is_start[1:])
    is_single = kinds.take(is_word) == _UNSPACED
    if is_single.any():
        is_start[1:] |= is_single[1:] | is_single[:-1]
    word_starts = np.flatnonzero(is_start)
    word_ends = np.append(word_starts[1:], len(letters))
    offset = np.arange(len(letters)) - np.repeat(word_starts, word_ends - word_starts)  # of a letter in its word
    codes = _make_lower_table().take(characters.codes.take(letters), mode="clip")
    sums = np.add.reduceat(codes * _POWERS.take(offset), word_starts)
    # The words of a text start between its first character and that of the next text.
    first = letters.take(word_starts).searchsorted(start)
    count = np.diff(np.append(first, len(word_starts)))
    owner = np.repeat(np.arange(number), count)
    return Tokens((sums >> np.uint64(32)).astype(np.uint32), owner, first, count)


def list_words(tokens: Tokens) -> Hashes:
    """Return the first words of each text: (n, MAX_BLOCK_WORDS), 0 where a text has fewer words."""
    if not len(tokens.hashes):
        return np.zeros((len(tokens.count), MAX_BLOCK_WORDS), np.uint32)
    words = tokens.hashes.take(tokens.first[:, None] + _WORD_NUMBERS, mode="clip")
    words[tokens.count[:, None] <= _WORD_NUMBERS] = 0
    return words


def count_shared_words(tokens: Tokens, others: Hashes) -> NDArray[np.float64]:
    """Count the words of each text that are among the others: (n,)."""
    if not len(others) or not len(tokens.hashes):
        return np.zeros(len(tokens.count))
    others = np.sort(others)
    nearest = others.take(others.searchsorted(tokens.hashes), mode="clip")
    return np.bincount(tokens.owner, nearest == tokens.hashes, len(tokens.count)).astype(np.float64)


@cache
def _make_lower_table() -> NDArray[np.uint16]:
    """Make the table of lower-case codes of the basic plane. A character whose lower case is longer stays as it is."""
    table = np.arange(LAST_CODE + 1, dtype=np.uint32).astype(np.uint16)  # 0 for all characters beyond the plane
    for code in range(LAST_CODE):
        lower = chr(code).lower()
        if len(lower) == 1:
            table[code] = ord(lower)
    return table
