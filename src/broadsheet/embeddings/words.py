"""Word vectors: any word of any language gets one, from a small table of hashed pieces of words.

`load_words()` gives the shipped ones, learned from the training pages (`broadsheet train words`; docs/embeddings.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain, filterfalse
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.embeddings.subwords import Pieces, hash_words
from broadsheet.models import load_weights
from broadsheet.models.runs import make_runs

Floats = NDArray[np.float32]

MODEL = "words"
SIF_A = 1e-3  # a of Arora et al. (2017)
RARE = 1e-5  # frequency of a word that the table does not know
LEVELS = 32.0  # steps of a decade in which frequencies are stored: p = 10 ** (-level / LEVELS)
_KEPT_WORDS = 20_000  # looked up before, kept for the next page: 16 MB at 200 columns
_AT_A_TIME = 2_000  # words that are summed in one go, and words of sentences likewise: bounds the memory
_WORDS_OF_SENTENCES = 50_000


@cache
def load_words(folder: Path | None = None) -> WordVectors:
    """Load the shipped word vectors, or those of a folder; once for each."""
    weights = load_weights(MODEL, folder)
    arrays = weights.arrays
    return WordVectors(
        arrays["table"], arrays["scale"], arrays["frequency_key"], arrays["frequency_level"], arrays["component"]
    )


class WordVectors:
    """A vector and a frequency for every word. Any thread may ask."""

    def __init__(
        self,
        table: NDArray[Any],  # (rows, columns): int8, or float32 with a scale of 1
        scale: Floats,  # (columns,)
        frequency_key: NDArray[np.uint32],  # ascending hashes of the words that are not rare
        frequency_level: NDArray[np.uint8],
        component: Floats,  # (columns,): the direction that all sentences have in common, of length 1; or null
    ) -> None:
        # Sums of int8 rows are exact in int16, twice as fast as floats, and the same on every machine.
        self._table: NDArray[Any] = table.astype(np.int16) if table.dtype == np.int8 else table
        self._scale = scale
        self._key = frequency_key
        self._level = frequency_level
        self.component = component
        self._lock = Lock()
        self._place: dict[str, int] = {}
        self._vectors = np.zeros((0, table.shape[1]), np.float32)
        self._frequencies = np.zeros(0, np.float32)

    @property
    def columns(self) -> int:
        """Numbers of a vector."""
        return len(self._scale)

    def vectors(self, words: Sequence[str]) -> Floats:
        """Vectors of words in lower case, as `features.split_words` gives them: (words, columns)."""
        with self._lock:
            places = self._find(words)  # may replace the array
            return self._vectors[places]

    def frequency(self, words: Sequence[str]) -> Floats:
        """How often each word is used, 0 to 1, in the language that uses it most: (words,)."""
        with self._lock:
            places = self._find(words)
            return self._frequencies[places]

    def sif(self, texts: Sequence[Sequence[str]]) -> Floats:
        """Embed texts, given as words: (texts, columns); null where a text has no words.

        Mean of the vectors, each weighted by a / (a + p(word)), less its part along the common component. S. Arora,
        Y. Liang, T. Ma: A simple but tough-to-beat baseline for sentence embeddings. ICLR 2017.
        """
        found = np.zeros((len(texts), self.columns), np.float32)
        first, words = 0, 0
        for at, text in enumerate(texts):
            if words and words + len(text) > _WORDS_OF_SENTENCES:
                found[first:at] = self._average(texts[first:at])
                first, words = at, 0
            words += len(text)
        found[first:] = self._average(texts[first:])
        return found - np.outer(found @ self.component, self.component) if self.component.any() else found

    @property
    def centring(self) -> Floats:
        """The linear map that takes the common component out: (columns, columns)."""
        return np.eye(self.columns, dtype=np.float32) - np.outer(self.component, self.component)

    def project(self, matrix: Floats) -> WordVectors:
        """The same words, their vectors times a matrix: what a network does first is done once and for all.

        `words.project(words.centring @ matrix).sif(texts)` equals `words.sif(texts) @ matrix`.
        """
        table = (self._table * self._scale) @ matrix
        return WordVectors(
            table.astype(np.float32),
            np.ones(table.shape[1], np.float32),
            self._key,
            self._level,
            np.zeros(table.shape[1], np.float32),
        )

    def _average(self, texts: Sequence[Sequence[str]]) -> Floats:
        lengths = np.array([len(text) for text in texts], np.intp)
        found = np.zeros((len(texts), self.columns), np.float32)
        filled = np.flatnonzero(lengths)
        if len(filled):
            with self._lock:
                places = np.array(self._find(list(chain.from_iterable(texts))), np.intp)
                weights = SIF_A / (SIF_A + self._frequencies[places])
                weighted = np.take(self._vectors, places, axis=0)
            weighted *= weights[:, np.newaxis]
            starts = np.cumsum(lengths) - lengths
            sums = make_runs(starts[filled], lengths[filled]).sum(weighted)
            found[filled] = sums / lengths[filled, np.newaxis].astype(np.float32)
        return found

    def _find(self, words: Sequence[str]) -> list[int]:
        """Places of words among those kept; new ones are looked up. The lock must be held."""
        place = self._place
        new = list(dict.fromkeys(filterfalse(place.__contains__, words)))
        if new:
            if len(place) + len(new) > _KEPT_WORDS and place:
                place.clear()
                new = list(dict.fromkeys(words))
            self._add(new)
        return list(map(place.__getitem__, words))

    def _add(self, words: list[str]) -> None:
        known = len(self._place)
        most = known + len(words)
        if most > len(self._vectors) or len(self._vectors) > 2 * max(most, _KEPT_WORDS):
            room = max(most, min(2 * most, _KEPT_WORDS))
            self._vectors = _resize(self._vectors, known, room)
            self._frequencies = _resize(self._frequencies, known, room)
        for first in range(0, len(words), _AT_A_TIME):
            part = words[first : first + _AT_A_TIME]
            pieces = hash_words(part)
            here = slice(known + first, known + first + len(part))
            self._vectors[here] = self._sum_pieces(pieces)
            self._frequencies[here] = self._find_frequencies(pieces)
        self._place.update(zip(words, range(known, most), strict=True))

    def _sum_pieces(self, pieces: Pieces) -> Floats:
        """Means of the rows of each word's pieces.

        The first rows of all words are added up, then the second ones, and so on; words with most rows stand first, so
        that those which have one more are a part from the beginning. Five times as fast as np.add.reduceat.
        """
        rows = (pieces.hashes % np.uint32(len(self._table))).ravel()  # two a piece
        counts = 2 * np.diff(pieces.start)
        order = np.argsort(-counts, kind="stable")
        starts = 2 * pieces.start[order]
        having = len(counts) - np.cumsum(np.bincount(counts))  # words with more than so many rows
        sums = self._table[rows[starts]]
        for at in range(1, int(counts.max())):
            sums[: having[at]] += self._table[rows[starts[: having[at]] + at]]
        vectors = np.empty(sums.shape, np.float32)
        vectors[order] = sums * (self._scale / counts[order, np.newaxis].astype(np.float32))
        return vectors

    def _find_frequencies(self, pieces: Pieces) -> Floats:
        keys = pieces.hashes[pieces.start[:-1], 0]
        at = np.minimum(np.searchsorted(self._key, keys), len(self._key) - 1)
        known = np.power(10.0, self._level[at] / -LEVELS)
        return np.where(self._key[at] == keys, known, RARE).astype(np.float32)


def _resize(array: Floats, kept: int, room: int) -> Floats:
    grown = np.empty((room, *array.shape[1:]), np.float32)
    grown[:kept] = array[:kept]
    return grown
