"""How good labels of units are, while a network is trained: block P/R/F1, and word F1 by counted words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.training.semtext.data import UNKNOWN, Examples


@dataclass(frozen=True, slots=True)
class Scores:
    """Figures of one split."""

    precision: float  # of blocks, all pages together (IV-C)
    recall: float
    f1: float
    word_f1: float  # F1 by words, mean of pages, then of sets
    by_set: dict[str, tuple[float, float]]  # dataset -> block F1, word F1


def score_units(examples: Examples, kept: NDArray[np.bool_], pages: Sequence[int] | None = None) -> Scores:
    """Score what is kept of the units, on all pages or on some."""
    chosen = range(len(examples)) if pages is None else pages
    counts = np.array([_count_page(examples, kept, page) for page in chosen])  # pages x (right, kept, gold, word F1)
    names = np.array([examples.datasets[page] for page in chosen])
    precision, recall, f1 = _pool(counts)
    by_set = {
        str(name): (_pool(counts[names == name])[2], float(counts[names == name, 3].mean()))
        for name in np.unique(names)
    }
    return Scores(precision, recall, f1, float(np.mean([word for _, word in by_set.values()])), by_set)


def _count_page(examples: Examples, kept: NDArray[np.bool_], page: int) -> tuple[float, float, float, float]:
    own = slice(examples.block_starts[page], examples.block_starts[page + 1])
    gold = examples.gold_of_block[own]
    is_kept = kept[examples.unit_of_block[own]] & (gold != UNKNOWN)
    is_gold = gold == 1
    words = examples.words_of_block[own]
    right = words[is_kept & is_gold].sum()
    both = words[is_kept].sum() + words[is_gold].sum()
    return int((is_kept & is_gold).sum()), int(is_kept.sum()), int(is_gold.sum()), 2 * right / both if both else 1.0


def _pool(counts: NDArray[np.float64]) -> tuple[float, float, float]:
    right, kept, gold = counts[:, :3].sum(0)
    precision, recall = right / max(kept, 1), right / max(gold, 1)
    return float(precision), float(recall), float(2 * right / max(kept + gold, 1))
