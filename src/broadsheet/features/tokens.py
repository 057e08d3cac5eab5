"""The words at the beginning of every block as numbers, for all blocks of a page at once.

A word is known by its hash. How short blocks begin and end ("Read more:", "By ...", "Share") is learned from the
hashes, not listed, and so in any language; and words can be compared with those of the title. Scripts that put no
spaces between words are read character by character.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from broadsheet.features.characters import LAST_CODE, Characters, Kind

Hashes = NDArray[np.uint32]

HEAD = 160  # characters of a block that are read
SLOTS = ("first word", "first two words", "last word", "all words")
_MAX_WORDS = 4  # of a block that counts as a phrase in whole
_FACTORS = np.array((0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35, 0x27D4EB2F), np.uint32)
_POWERS = np.cumprod(np.full(HEAD, 0x9E3779B97F4A7C15, np.uint64), dtype=np.uint64)


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The words of the beginnings of n texts, one after the other."""

    hashes: Hashes  # (t,)
    owner: NDArray[np.intp]  # (t,) number of the text
    first: NDArray[np.intp]  # (n,) its first word
    count: NDArray[np.intp]  # (n,)
    is_cut: NDArray[np.bool_]  # (n,) whether the text goes on

    def take(self, number: int) -> Tokens:
        """The words of the first so many texts, with more after them."""
        end = self.first[number]
        return Tokens(
            self.hashes[:end], self.owner[:end], self.first[:number], self.count[:number], self.is_cut[:number]
        )


def read_tokens(characters: Characters) -> Tokens:
    """Read the first words of texts."""
    number, lengths = len(characters.start), characters.lengths
    place = np.arange(len(characters.codes)) - characters.start.take(characters.owner)  # in its text
    is_word = (characters.kinds <= Kind.DIGIT) & (place < HEAD)
    at = np.flatnonzero(is_word)
    is_cut = lengths > HEAD
    if not len(at):
        none = np.zeros(number, np.intp)
        return Tokens(np.zeros(0, np.uint32), none[:0], none, none, is_cut)
    is_single = characters.kinds.take(at) == Kind.UNSPACED
    begins = np.ones(len(at), bool)
    begins[1:] = (np.diff(at) > 1) | is_single[1:] | is_single[:-1]
    starts = np.flatnonzero(begins)
    inside = np.arange(len(at)) - starts.take(np.cumsum(begins) - 1)  # place of a character in its word
    sums = np.add.reduceat(_lower().take(characters.codes.take(at)) * _POWERS.take(inside), starts)
    owner = characters.owner.take(at.take(starts))
    first = owner.searchsorted(np.arange(number + 1))
    return Tokens((sums >> np.uint64(32)).astype(np.uint32), owner, first[:-1], np.diff(first), is_cut)


def hash_phrases(tokens: Tokens) -> Hashes:
    """Hashes of the phrases of each text, as SLOTS: (n, slots); 0 where it has none."""
    count, number = tokens.count, len(tokens.count)
    found = np.zeros((number, len(SLOTS)), np.uint32)
    if not len(tokens.hashes):
        return found
    words = np.zeros((_MAX_WORDS, number), np.uint32)  # the first few, 0 where there are fewer
    for nth in range(_MAX_WORDS):
        has = count > nth
        words[nth, has] = tokens.hashes[tokens.first[has] + nth]
    is_whole = ~tokens.is_cut & (count > 0)
    found[:, 0] = words[0] * _FACTORS[0]
    found[:, 1] = np.where(count > 1, words[0] * _FACTORS[1] + words[1] * _FACTORS[2], 0)
    found[is_whole, 2] = tokens.hashes[(tokens.first + count - 1)[is_whole]] * _FACTORS[3]
    found[:, 3] = np.where(is_whole & (count <= _MAX_WORDS), (words * _FACTORS[:, None]).sum(0, np.uint32), 0)
    return found


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
