"""Scores of unit labels during training: block precision, recall and F1, and word F1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.training.semtext.data import UNKNOWN, Examples


@dataclass(frozen=True, slots=True)
class DatasetScores:
    """Scores of one dataset."""

    block_f1: float
    word_f1: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a split."""

    precision: float  # of blocks, over all pages (IV-C)
    recall: float
    f1: float
    word_f1: float  # mean of datasets; that of a dataset is the mean of its pages
    by_dataset: Mapping[str, DatasetScores]


def score_units(examples: Examples, is_predicted: NDArray[np.bool_], pages: Sequence[int] | None = None) -> Scores:
    """Score predicted units on all pages, or on some."""
    chosen = range(len(examples)) if pages is None else pages
    counts = np.array([_count_page(examples, is_predicted, page) for page in chosen])  # (pages, 4)
    names = np.array([examples.datasets[page] for page in chosen])
    by_dataset = {str(name): _score_dataset(counts[names == name]) for name in np.unique(names)}
    right, predicted, gold = counts[:, :3].sum(0)
    return Scores(
        precision=float(right / max(predicted, 1)),
        recall=float(right / max(gold, 1)),
        f1=_compute_f1(counts),
        word_f1=float(np.mean([scores.word_f1 for scores in by_dataset.values()])),
        by_dataset=by_dataset,
    )


def _score_dataset(counts: NDArray[np.float64]) -> DatasetScores:
    return DatasetScores(_compute_f1(counts), float(counts[:, 3].mean()))


def _count_page(examples: Examples, is_predicted: NDArray[np.bool_], page: int) -> list[float]:
    """Return the numbers of blocks that are correct, predicted and gold, and the word F1."""
    rows = slice(examples.block_starts[page], examples.block_starts[page + 1])
    gold = examples.gold_of_block[rows]
    is_kept = is_predicted[examples.unit_of_block[rows]] & (gold != UNKNOWN)
    is_gold = gold == 1
    words = examples.words_of_block[rows]
    right = words[is_kept & is_gold].sum()
    total = words[is_kept].sum() + words[is_gold].sum()
    return [int((is_kept & is_gold).sum()), int(is_kept.sum()), int(is_gold.sum()), 2 * right / total if total else 1.0]


def _compute_f1(counts: NDArray[np.float64]) -> float:
    right, predicted, gold = counts[:, :3].sum(0)
    return float(2 * right / max(predicted + gold, 1))
