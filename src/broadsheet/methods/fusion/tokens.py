"""The words at the beginning of every block as numbers, for all blocks of a page at once, to compare them with others.

A word is known by its hash. Scripts that put no spaces between words are read character by character.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.characters import LAST_CODE, Characters, Kind

Hashes = NDArray[np.uint32]

HEAD = 160  # characters of a block that are read
_LAST_OF_WORDS, _UNSPACED = int(Kind.DIGIT), int(Kind.UNSPACED)  # plain numbers: NumPy compares enumerations slowly
_POWERS = np.cumprod(np.full(HEAD, 0x9E3779B97F4A7C15, np.uint64), dtype=np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The words of the beginnings of n texts, one after the other."""

    hashes: Hashes  # (t,)
    owner: NDArray[np.intp]  # (t,) number of the text
    first: NDArray[np.intp]  # (n,) its first word
    count: NDArray[np.intp]  # (n,)

    def take(self, number: int) -> Tokens:
        """The words of the first so many texts, with more after them."""
        end = self.first[number]
        return Tokens(self.hashes[:end], self.owner[:end], self.first[:number], self.count[:number])


def read_tokens(characters: Characters) -> Tokens:
    """Read the first words of texts."""
    start, number = characters.start, len(characters.start)
    lengths = np.minimum(characters.lengths, HEAD)
    after = np.cumsum(lengths)
    heads = np.arange(int(after[-1])) + np.repeat(start - after + lengths, lengths)  # the characters that are read
    kinds = characters.kinds.take(heads)
    is_word = np.flatnonzero(kinds <= _LAST_OF_WORDS)
    at = heads.take(is_word)
    if not len(at):
        none = np.zeros(number, np.intp)
        return Tokens(np.zeros(0, np.uint32), none[:0], none, none)
    begins = np.empty(len(at), bool)
    begins[0] = True
    np.greater(at[1:] - at[:-1], 1, out=begins[1:])
    is_single = kinds.take(is_word) == _UNSPACED
    if is_single.any():
        begins[1:] |= is_single[1:] | is_single[:-1]
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(at))
    inside = np.arange(len(at)) - np.repeat(starts, ends - starts)  # place of a character in its word
    letters = _lower().take(characters.codes.take(at), mode="clip")
    sums = np.add.reduceat(letters * _POWERS.take(inside), starts)
    # The words of a text are those that begin between its first character and that of the next.
    borders = at.take(starts).searchsorted(start)
    first = np.append(borders, len(starts))
    count = np.diff(first)
    owner = np.repeat(np.arange(number), count)
    return Tokens((sums >> np.uint64(32)).astype(np.uint32), owner, borders, count)


def share_with(tokens: Tokens, wanted: Hashes) -> NDArray[np.float32]:
    """Share of the words of each text that are among the wanted ones."""
    if not len(wanted) or not len(tokens.hashes):
        return np.zeros(len(tokens.count), np.float32)
    wanted = np.sort(wanted)
    nearest = wanted.take(wanted.searchsorted(tokens.hashes), mode="clip")
    both = np.bincount(tokens.owner, nearest == tokens.hashes, len(tokens.count))
    return (both / np.maximum(tokens.count, 1)).astype(np.float32)


@cache
def _lower() -> NDArray[np.uint16]:
    """Lower-case code of every character of the basic plane; those that have none of one character stay."""
    table = np.arange(LAST_CODE + 1, dtype=np.uint32).astype(np.uint16)  # the last, for all beyond, is 0
    for code in range(LAST_CODE):
        lower = chr(code).lower()
        if len(lower) == 1:
            table[code] = ord(lower)
    return table
