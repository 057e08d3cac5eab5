"""Word vectors: every word of any language has one, computed from a small table of hashed subwords.

`load_words()` returns the shipped vectors (`broadsheet train words`; docs/explanation/embeddings.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, filterfalse
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.models import load_weights
from broadsheet.models.arrays import make_segments

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


Floats = NDArray[np.float32]

MODEL = "words"
SIF_A = 1e-3  # a of Arora et al. (2017)
RARE_FREQUENCY = 1e-5  # of words that are not in the frequency table
LEVELS_PER_DECADE = 32.0  # frequencies are stored as levels: p = 10 ** (-level / LEVELS_PER_DECADE)
_MAX_CACHED_WORDS = 20_000  # 16 MB at 200 columns
_CHUNK_WORDS = 2_000  # new words that are hashed and summed at once; bounds the memory
_CHUNK_TEXT_WORDS = 50_000  # words of texts that are averaged at once; bounds the memory


@cache
def load_words(folder: Path | None = None) -> WordVectors:
    """Load the shipped word vectors, or those of a folder. Each is loaded once."""
    weights = load_weights(MODEL, folder)
    arrays = weights.arrays
    return WordVectors(
        arrays["table"], arrays["scale"], arrays["frequency_key"], arrays["frequency_level"], arrays["component"]
    )


class WordVectors:
    """A vector and a frequency for every word. Thread-safe."""

    def __init__(
        self,
        table: NDArray[Any],  # (rows, columns): int8, or float32 with a scale of 1
        scale: Floats,  # (columns,)
        frequency_key: NDArray[np.uint32],  # hashes of the frequent words, ascending
        frequency_level: NDArray[np.uint8],
        component: Floats,  # (columns,): the common component of sentences, a unit vector; or zeros
    ) -> None:
        # Sums of int8 rows are exact in int16, twice as fast as with floats, and equal on every machine.
        self._table: NDArray[Any] = table.astype(np.int16) if table.dtype == np.int8 else table
        self._scale = scale
        self._frequency_key = frequency_key
        self._frequency_level = frequency_level
        self.component = component
        self._lock = Lock()
        self._cache_rows: dict[str, int] = {}
        self._vectors = np.zeros((0, table.shape[1]), np.float32)
        self._frequencies = np.zeros(0, np.float32)

    @property
    def columns(self) -> int:
        """Length of a vector."""
        return len(self._scale)

    def vectors(self, words: Sequence[str]) -> Floats:
        """Return the vectors of lower-case words, as `text.split_words` returns them: (words, columns)."""
        with self._lock:
            rows = self._find_rows(words)  # may replace the array
            return self._vectors[rows]

    def frequency(self, words: Sequence[str]) -> Floats:
        """Return the frequency of each word, 0 to 1, in the language where it is most frequent: (words,)."""
        with self._lock:
            rows = self._find_rows(words)
            return self._frequencies[rows]

    def sif(self, texts: Sequence[Sequence[str]]) -> Floats:
        """Return the vectors of texts, given as words: (texts, columns); zeros for a text without words.

        A text's vector is the mean of its word vectors, each weighted by a / (a + p(word)), minus its projection on the
        common component. S. Arora, Y. Liang, T. Ma: A simple but tough-to-beat baseline for sentence embeddings. ICLR
        2017.
        """
        vectors = np.zeros((len(texts), self.columns), np.float32)
        first, words = 0, 0
        for number, text in enumerate(texts):
            if words and words + len(text) > _CHUNK_TEXT_WORDS:
                vectors[first:number] = self._average(texts[first:number])
                first, words = number, 0
            words += len(text)
        vectors[first:] = self._average(texts[first:])
        return vectors - np.outer(vectors @ self.component, self.component) if self.component.any() else vectors

    @property
    def centring(self) -> Floats:
        """Matrix that removes the common component: (columns, columns)."""
        return np.eye(self.columns, dtype=np.float32) - np.outer(self.component, self.component)

    def project(self, matrix: Floats) -> WordVectors:
        """Return word vectors multiplied by a matrix, so that a network's first linear map is computed once.

        `words.project(words.centring @ matrix).sif(texts)` equals `words.sif(texts) @ matrix`.
        """
        table = (self._table * self._scale) @ matrix
        return WordVectors(
            table.astype(np.float32),
            np.ones(table.shape[1], np.float32),
            self._frequency_key,
            self._frequency_level,
            np.zeros(table.shape[1], np.float32),
        )

    def _average(self, texts: Sequence[Sequence[str]]) -> Floats:
        lengths = np.array([len(text) for text in texts], np.intp)
        means = np.zeros((len(texts), self.columns), np.float32)
        nonempty = np.flatnonzero(lengths)
        if len(nonempty):
            with self._lock:
                rows = np.array(self._find_rows(list(chain.from_iterable(texts))), np.intp)
                weights = SIF_A / (SIF_A + self._frequencies[rows])
                weighted = np.take(self._vectors, rows, axis=0)
            weighted *= weights[:, np.newaxis]
            starts = np.cumsum(lengths) - lengths
            sums = make_segments(starts[nonempty], lengths[nonempty]).sum(weighted)
            means[nonempty] = sums / lengths[nonempty, np.newaxis].astype(np.float32)
        return means

    def _find_rows(self, words: Sequence[str]) -> list[int]:
        """Return the rows of words in the cache, after adding new words. The caller holds the lock."""
        cache_rows = self._cache_rows
        new = list(dict.fromkeys(filterfalse(cache_rows.__contains__, words)))
        if new:
            if len(cache_rows) + len(new) > _MAX_CACHED_WORDS and cache_rows:
                cache_rows.clear()
                new = list(dict.fromkeys(words))
            self._add_to_cache(new)
        return list(map(cache_rows.__getitem__, words))

    def _add_to_cache(self, words: list[str]) -> None:
        used = len(self._cache_rows)
        needed = used + len(words)
        if needed > len(self._vectors) or len(self._vectors) > 2 * max(needed, _MAX_CACHED_WORDS):
            size = max(needed, min(2 * needed, _MAX_CACHED_WORDS))
            self._vectors = _resize(self._vectors, used, size)
            self._frequencies = _resize(self._frequencies, used, size)
        for first in range(0, len(words), _CHUNK_WORDS):
            chunk = words[first : first + _CHUNK_WORDS]
            subwords = hash_words(chunk)
            rows = slice(used + first, used + first + len(chunk))
            self._vectors[rows] = self._average_subwords(subwords)
            self._frequencies[rows] = self._look_up_frequencies(subwords)
        self._cache_rows.update(zip(words, range(used, needed), strict=True))

    def _average_subwords(self, subwords: Subwords) -> Floats:
        """Return the mean of the table rows of each word's subwords: (words, columns).

        The first rows of all words are added, then the second rows, and so on. Words are sorted by their number of
        rows, largest first, so that the words with one more row are always a prefix. Five times as fast as
        np.add.reduceat.
        """
        rows = (subwords.hashes % np.uint32(len(self._table))).ravel()  # two for each subword
        counts = 2 * np.diff(subwords.start)
        order = np.argsort(-counts, kind="stable")
        starts = 2 * subwords.start[order]
        longer = len(counts) - np.cumsum(np.bincount(counts))  # [i]: words with more than i rows
        sums = self._table[rows[starts]]
        for row in range(1, int(counts.max())):
            sums[: longer[row]] += self._table[rows[starts[: longer[row]] + row]]
        vectors = np.empty(sums.shape, np.float32)
        vectors[order] = sums * (self._scale / counts[order, np.newaxis].astype(np.float32))
        return vectors

    def _look_up_frequencies(self, subwords: Subwords) -> Floats:
        keys = subwords.hashes[subwords.start[:-1], 0]
        index = np.minimum(np.searchsorted(self._frequency_key, keys), len(self._frequency_key) - 1)
        frequencies = np.power(10.0, self._frequency_level[index] / -LEVELS_PER_DECADE)
        return np.where(self._frequency_key[index] == keys, frequencies, RARE_FREQUENCY).astype(np.float32)


def _resize(array: Floats, used: int, size: int) -> Floats:
    resized = np.empty((size, *array.shape[1:]), np.float32)
    resized[:used] = array[:used]
    return resized
