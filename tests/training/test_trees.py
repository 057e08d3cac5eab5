"""Forests that continue from trained ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from broadsheet.models import DecisionTree, Forest, build_forest
from broadsheet.training.options import TrainingOptions, choose_epochs
from broadsheet.training.trees import ForestSize, extend_forest, join_forests

STUMPS = [
    DecisionTree([1, -1, -1], [2, -1, -1], [column, 0, 0], [0.5, 0.0, 0.0], [0.0, -1.0, 1.0]) for column in (0, 1)
]
SAMPLES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)


def make_forest(column: int, *, is_mean: bool = False) -> Forest:
    return build_forest([STUMPS[column]], is_mean=is_mean)


def test_joined_forests_add_their_trees() -> None:
    joined = join_forests(make_forest(0), make_forest(1))
    assert joined.sum_trees(SAMPLES).tolist() == [-2, 0, 0, 2]
    mean = join_forests(make_forest(0, is_mean=True), make_forest(1, is_mean=True))
    assert mean.predict(SAMPLES).tolist() == [-1, 0, 0, 1]


@pytest.mark.train
def test_added_trees_learn_what_is_new() -> None:
    """The first forest knows column 0; the new labels follow column 1."""
    generator = np.random.default_rng(0)
    samples = generator.random((400, 2)).astype(np.float32)
    targets = samples[:, 1] > 0.5
    start = make_forest(0)
    extended = extend_forest(
        start, samples, targets, np.ones(400), ForestSize(trees=30, leaves=4, min_leaf=5, rate=0.3)
    )
    assert np.mean((start.predict(samples) > 0.5) == targets) < 0.6
    assert np.mean((extended.predict(samples) > 0.5) == targets) > 0.97
    assert len(extended.roots) == 31


@pytest.mark.parametrize(
    ("epochs", "start", "pages", "expected"),
    [(3, None, 40, 3), (None, None, 4000, 9), (None, None, 40, 134), (None, "shipped", 40, 34), (None, None, 1, 400)],
)
def test_epochs(epochs: int | None, start: str | None, pages: int, expected: int) -> None:
    options = TrainingOptions(Path(), Path(), Path(), epochs=epochs, start=start)
    assert choose_epochs(options, 9, pages=pages, batch=16) == expected
