"""Words to rows of a table: the hashing of floret, for many words at once.

A word stands for itself, in angle brackets, and for every run of MIN_N to MAX_N characters of that: "<word>", "<wor",
"word", ... Each of these pieces is hashed as UTF-8 with MurmurHash3 (x64, 128 bits, seed 2166136261); the first two
quarters of the hash, modulo the number of rows, name two rows. A word's vector is the mean of the rows of its pieces.
(Adriane Boyd: floret, https://github.com/explosion/floret; MurmurHash3 by Austin Appleby, public domain.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MIN_N, MAX_N = 4, 5  # characters of a piece, the brackets included
HASHES = 2  # rows of a piece
SEED = 2166136261
MAX_CHARS = 40  # of a word; the rest of a longer one, which is an address or a key, does not count

_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_BLOCK = 16  # bytes that MurmurHash3 takes at a time

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """The pieces of some words: those of word w are start[w] to start[w + 1], the word itself the first of them."""

    hashes: NDArray[np.uint32]  # (pieces, 2): the quarters that name rows
    start: NDArray[np.intp]


def hash_words(words: Sequence[str]) -> Pieces:
    """Cut words into pieces and hash them."""
    raw = b"".join([_bracket(word) for word in words])
    data = np.frombuffer(raw + bytes(_BLOCK), np.uint8)
    chars = np.flatnonzero((data[: len(raw)] & 0xC0) != 0x80)  # where each character begins
    last = np.flatnonzero(data[chars] == ord(">"))  # number of each word's last character
    first = np.concatenate(([0], last[:-1] + 1)) if len(last) else last
    bounds = np.append(chars, len(raw))
    begin, end, owner = [chars[first]], [bounds[last + 1]], [np.arange(len(last))]
    word_of = np.repeat(owner[0], last - first + 1)
    for n in range(MIN_N, MAX_N + 1):
        at = np.arange(max(len(chars) - n + 1, 0))
        at = at[word_of[at] == word_of[at + n - 1]]
        begin.append(chars[at])
        end.append(bounds[at + n])
        owner.append(word_of[at])
    # Grouped by word; stable, so that the word itself stays first.
    order = np.argsort(np.concatenate(owner), kind="stable")
    begins, ends = np.concatenate(begin)[order], np.concatenate(end)[order]
    start = np.zeros(len(last) + 1, np.intp)
    np.cumsum(np.bincount(np.concatenate(owner), minlength=len(last)), out=start[1:])
    return Pieces(_hash_slices(data, begins, ends - begins), start)


def _bracket(word: str) -> bytes:
    word = word[:MAX_CHARS].replace("<", "").replace(">", "")
    return b"<" + word.encode("utf-8", "ignore") + b">"  # half a surrogate pair is no character


def _hash_slices(data: NDArray[np.uint8], begin: NDArray[np.intp], length: NDArray[np.intp]) -> NDArray[np.uint32]:
    """MurmurHash3_x64_128 of slices of some bytes: its first two quarters."""
    h1 = np.full(len(begin), SEED, np.uint64)
    h2 = h1.copy()
    # Every eight bytes from anywhere, as a number; data has room behind it.
    eights: Any = np.lib.stride_tricks.as_strided(data[:8].view(np.uint64), (len(data) - 7,), (1,))
    blocks = length // _BLOCK
    for block in range(int(blocks.max(initial=0))):
        at = np.flatnonzero(blocks > block)
        here = begin[at] + block * _BLOCK
        h1[at], h2[at] = _mix_block(h1[at], h2[at], eights[here], eights[here + 8])
    _mix_tail(h1, h2, eights, begin + blocks * _BLOCK, length - blocks * _BLOCK)
    total = length.astype(np.uint64)
    h1 ^= total
    h2 ^= total
    h1 += h2
    h2 += h1
    h1 = _finish(h1) + _finish(h2)
    return h1.view(np.uint32).reshape(-1, 2)


def _mix_block(h1: Hashes, h2: Hashes, k1: Hashes, k2: Hashes) -> tuple[Hashes, Hashes]:
    h1 = h1 ^ _rotate(k1 * _C1, 31) * _C2
    h1 = (_rotate(h1, 27) + h2) * np.uint64(5) + np.uint64(0x52DCE729)
    h2 = h2 ^ _rotate(k2 * _C2, 33) * _C1
    return h1, (_rotate(h2, 31) + h1) * np.uint64(5) + np.uint64(0x38495AB5)


def _mix_tail(h1: Hashes, h2: Hashes, eights: Hashes, at: NDArray[np.intp], left: NDArray[np.intp]) -> None:
    """Mix what is left after whole blocks, 0 to 15 bytes, into the hashes in place."""
    long = np.flatnonzero(left > 8)
    k2 = eights[at[long] + 8] & _keep(left[long] - 8)
    h2[long] ^= _rotate(k2 * _C2, 33) * _C1
    k1 = eights[at] & _keep(np.minimum(left, 8))
    h1 ^= _rotate(k1 * _C1, 31) * _C2  # no bytes left: k1 is 0, and so is this


_KEEP = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)


def _keep(count: NDArray[np.intp]) -> Hashes:
    """Mask of the first bytes of eight."""
    return _KEEP[count]


def _rotate(value: Hashes, bits: int) -> Hashes:
    return (value << np.uint64(bits)) | (value >> np.uint64(64 - bits))


def _finish(value: Hashes) -> Hashes:
    value = value ^ (value >> np.uint64(33))
    value *= np.uint64(0xFF51AFD7ED558CCD)
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    value ^= value >> np.uint64(33)
    return value
