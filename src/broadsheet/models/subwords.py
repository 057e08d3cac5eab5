"""Hash words to rows of a table as floret does, for many words at once.

The subwords of a word are the word in angle brackets and all character n-grams of that, MIN_N to MAX_N long: "<word>",
"<wor", "word", ... Each subword is hashed as UTF-8 with MurmurHash3 (x64, 128 bits, seed 2166136261). The first two
quarters of the hash, modulo the number of rows, are two rows. A word's vector is the mean of the rows of its subwords.
(Adriane Boyd: floret, https://github.com/explosion/floret; MurmurHash3 by Austin Appleby, public domain.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MIN_N, MAX_N = 4, 5  # characters of an n-gram, brackets included
HASHES = 2  # rows of a subword
SEED = 2166136261
MAX_WORD_CHARS = 40  # longer words are addresses or keys; the rest is ignored

_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_BLOCK_BYTES = 16  # MurmurHash3 reads blocks of this size

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Subwords:
    """Hashed subwords of w words. Those of word i are start[i] to start[i + 1]; the first is the whole word."""

    hashes: NDArray[np.uint32]  # (subwords, 2): the first two quarters of the hash
    start: NDArray[np.intp]  # (w + 1,)


def hash_words(words: Sequence[str]) -> Subwords:
    """Split words into subwords and hash them."""
    raw = b"".join([_bracket(word) for word in words])
    data = np.frombuffer(raw + bytes(_BLOCK_BYTES), np.uint8)
    chars = np.flatnonzero((data[: len(raw)] & 0xC0) != 0x80)  # first byte of each character
    last = np.flatnonzero(data[chars] == ord(">"))  # index of each word's last character
    first = np.concatenate(([0], last[:-1] + 1)) if len(last) else last
    bounds = np.append(chars, len(raw))
    begin, end, owner = [chars[first]], [bounds[last + 1]], [np.arange(len(last))]
    word_of_char = np.repeat(owner[0], last - first + 1)
    for n in range(MIN_N, MAX_N + 1):
        starts = np.arange(max(len(chars) - n + 1, 0))
        starts = starts[word_of_char[starts] == word_of_char[starts + n - 1]]
        begin.append(chars[starts])
        end.append(bounds[starts + n])
        owner.append(word_of_char[starts])
    # Grouped by word. The sort is stable, so that the whole word stays first.
    order = np.argsort(np.concatenate(owner), kind="stable")
    begins, ends = np.concatenate(begin)[order], np.concatenate(end)[order]
    start = np.zeros(len(last) + 1, np.intp)
    np.cumsum(np.bincount(np.concatenate(owner), minlength=len(last)), out=start[1:])
    return Subwords(_hash_slices(data, begins, ends - begins), start)


def _bracket(word: str) -> bytes:
    word = word[:MAX_WORD_CHARS].replace("<", "").replace(">", "")
    return b"<" + word.encode("utf-8", "ignore") + b">"  # drops unpaired surrogates


def _hash_slices(data: NDArray[np.uint8], begin: NDArray[np.intp], length: NDArray[np.intp]) -> NDArray[np.uint32]:
    """Return the first two quarters of MurmurHash3_x64_128 of each slice: (slices, 2)."""
    h1 = np.full(len(begin), SEED, np.uint64)
    h2 = h1.copy()
    # A 64-bit number starting at every byte; the data is padded at its end.
    words64: Any = np.lib.stride_tricks.as_strided(data[:8].view(np.uint64), (len(data) - 7,), (1,))
    blocks = length // _BLOCK_BYTES
    for block in range(int(blocks.max(initial=0))):
        index = np.flatnonzero(blocks > block)
        offset = begin[index] + block * _BLOCK_BYTES
        h1[index], h2[index] = _mix_block(h1[index], h2[index], words64[offset], words64[offset + 8])
    _mix_tail(h1, h2, words64, begin + blocks * _BLOCK_BYTES, length - blocks * _BLOCK_BYTES)
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


def _mix_tail(h1: Hashes, h2: Hashes, words64: Hashes, offset: NDArray[np.intp], length: NDArray[np.intp]) -> None:
    """Mix the 0 to 15 bytes after the last whole block into the hashes, in place."""
    long = np.flatnonzero(length > 8)
    k2 = words64[offset[long] + 8] & _BYTE_MASKS[length[long] - 8]
    h2[long] ^= _rotate(k2 * _C2, 33) * _C1
    k1 = words64[offset] & _BYTE_MASKS[np.minimum(length, 8)]
    h1 ^= _rotate(k1 * _C1, 31) * _C2  # 0 if there is no tail


_BYTE_MASKS = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)  # keep the first 0 to 8 bytes


def _rotate(value: Hashes, bits: int) -> Hashes:
    return (value << np.uint64(bits)) | (value >> np.uint64(64 - bits))


def _finish(value: Hashes) -> Hashes:
    value = value ^ (value >> np.uint64(33))
    value *= np.uint64(0xFF51AFD7ED558CCD)
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    value ^= value >> np.uint64(33)
    return value
