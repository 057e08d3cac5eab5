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

MIN_PAIRS = 20  # a tag in fewer pairs is unknown to the network, and has the null vector
MAX_REPEATS = 2_000  # of one pair: <div><div> is a third of all, and would be seen a million times
EPOCHS = 5


@dataclass(frozen=True, slots=True, eq=False)
class TagVectors:
    """Tags in alphabetical order, and their vectors: (tags, 8)."""

    tags: list[str]
    vectors: NDArray[np.float32]


def learn_tags(graphs: Sequence[Graphs], seed: int) -> TagVectors:
    """Learn from every pair of parent and child as a sentence of two words."""
    word2vec = import_extra("gensim.models", "train").Word2Vec
    pairs = _count_pairs(graphs)
    sentences = list(_repeat(pairs))
    np.random.default_rng(seed).shuffle(sentences)
    model = word2vec(
        sentences,
        vector_size=TAG_COLUMNS,
        window=1,
        min_count=MIN_PAIRS,
        sg=1,
        negative=5,
        epochs=EPOCHS,
        workers=1,  # so that the same seed gives the same vectors
        seed=seed + 1,
        hashfxn=_hash,
    )
    tags = sorted(model.wv.index_to_key)
    return TagVectors(tags, np.array([model.wv[tag] for tag in tags], np.float32))


def _count_pairs(graphs: Sequence[Graphs]) -> Counter[tuple[str, str]]:
    pairs: Counter[tuple[str, str]] = Counter()
    for each in graphs:
        child = np.flatnonzero(each.parent >= 0)
        width = len(each.tags)
        codes = each.tag[each.parent[child]].astype(np.int64) * width + each.tag[child]
        for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
            pairs[each.tags[code // width], each.tags[code % width]] += int(count)
    return pairs


def _repeat(pairs: Counter[tuple[str, str]]) -> Iterator[list[str]]:
    for pair, count in sorted(pairs.items()):
        for _ in range(min(count, MAX_REPEATS)):
            yield list(pair)


def _hash(text: str) -> int:
    """Python's own differs from run to run."""
    return zlib.crc32(text.encode())
