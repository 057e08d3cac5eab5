"""Vectors of tags: word2vec over pairs of parent and child (section 3, "HTML Tag")."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.methods.gcn.features import TAG_COLUMNS
from broadsheet.training.gcn.graphs import Graphs

MIN_PAIRS = 20  # a tag in fewer pairs has the zero vector
MIN_PAIRS_PAGES = 200  # with fewer pages, all tags have vectors
MAX_REPEATS = 2_000  # of one pair: <div><div> makes up a third of all pairs
EPOCHS = 5


@dataclass(frozen=True, slots=True, eq=False)
class TagVectors:
    """Tags in alphabetical order, and their vectors."""

    tags: list[str]
    vectors: NDArray[np.float32]  # (tags, 8)

    def arrange(self, tags: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some tags; zeros for a tag without a vector."""
        rows = {tag: row for row, tag in enumerate(self.tags)}
        padded = np.vstack((self.vectors, np.zeros((1, self.vectors.shape[1]), np.float32)))
        return padded[[rows.get(tag, -1) for tag in tags]].astype(np.float32)


def learn_tags(graphs: Sequence[Graphs], seed: int) -> TagVectors:
    """Learn vectors from all pairs of parent and child, each as a sentence of two words."""
    word2vec = import_extra("gensim.models", "train").Word2Vec
    sentences = list(_repeat_pairs(_count_pairs(graphs)))
    np.random.default_rng(seed).shuffle(sentences)
    model = word2vec(
        sentences,
        vector_size=TAG_COLUMNS,
        window=1,
        min_count=MIN_PAIRS if sum(map(len, graphs)) >= MIN_PAIRS_PAGES else 1,
        sg=1,
        negative=5,
        epochs=EPOCHS,
        workers=1,  # with several, the vectors differ between runs
        seed=seed + 1,
        hashfxn=_hash_word,
    )
    tags = sorted(model.wv.index_to_key)
    return TagVectors(tags, np.array([model.wv[tag] for tag in tags], np.float32))


def _count_pairs(graphs: Sequence[Graphs]) -> Counter[tuple[str, str]]:
    pairs: Counter[tuple[str, str]] = Counter()
    for part in graphs:
        child = np.flatnonzero(part.parent >= 0)
        width = len(part.tags)
        codes = part.tag[part.parent[child]].astype(np.int64) * width + part.tag[child]
        for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
            pairs[part.tags[code // width], part.tags[code % width]] += int(count)
    return pairs


def _repeat_pairs(pairs: Counter[tuple[str, str]]) -> Iterator[list[str]]:
    for pair, count in sorted(pairs.items()):
        for _ in range(min(count, MAX_REPEATS)):
            yield list(pair)


def _hash_word(text: str) -> int:
    """Hash a word: Python's own hash differs between processes."""
    return zlib.crc32(text.encode())
