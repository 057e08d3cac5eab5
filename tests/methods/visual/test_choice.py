from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.forests import choose_dates, choose_threshold, choose_title

PUBLISHED = VisualConfig()
BEST = replace(PUBLISHED, takes_best_title=True, takes_best_date=True, lowers_threshold=True)
TITLES = [
    ("the first of several", [0.1, 0.6, 0.9], PUBLISHED, 1),
    ("none", [0.1, 0.5], PUBLISHED, None),
    ("the highest score", [0.1, 0.6, 0.9], BEST, 2),
    ("the highest of low scores", [0.1, 0.3], BEST, 1),
    ("no nodes", [], BEST, None),
]


@pytest.mark.parametrize(
    ("scores", "config", "expected"), [case[1:] for case in TITLES], ids=[case[0] for case in TITLES]
)
def test_title(scores: list[float], config: VisualConfig, expected: int | None) -> None:
    assert choose_title(np.array(scores), config) == expected


THRESHOLDS = [
    ("a high score", [1.0, 0.3], [100, 100], BEST, 0.5),
    ("low scores", [0.4, 0.3], [100, 100], BEST, 0.2),
    ("low scores, as published", [0.4, 0.3], [100, 100], PUBLISHED, 0.5),
    ("short blocks do not count", [0.9, 0.2], [10, 100], BEST, 0.1),
    ("unless all are short", [0.6, 0.2], [10, 10], BEST, 0.3),
    ("no blocks", [], [], BEST, 0.5),
]


@pytest.mark.parametrize(
    ("scores", "lengths", "config", "expected"), [case[1:] for case in THRESHOLDS], ids=[case[0] for case in THRESHOLDS]
)
def test_threshold(scores: list[float], lengths: list[int], config: VisualConfig, expected: float) -> None:
    assert choose_threshold(np.array(scores), lengths, config) == pytest.approx(expected)


# nodes, lengths, scores, title node, config, clusters
DATES = [
    ("one", [4, 5], [10, 10], [0.9, 0.1], 3, PUBLISHED, [[0]]),
    ("two other nodes between: one cluster", [4, 7], [10, 10], [0.9, 0.9], 3, PUBLISHED, [[0, 1]]),
    ("three between: the closest to the title", [4, 8], [10, 10], [0.9, 0.9], 10, PUBLISHED, [[1]]),
    ("clusters are chained", [1, 4, 7, 20], [9] * 4, [0.9] * 4, 2, PUBLISHED, [[0, 1, 2]]),
    ("no title: all", [4, 80], [10, 10], [0.9, 0.9], None, PUBLISHED, [[0, 1]]),
    ("large amounts of text are discarded", [4, 5], [10, 101], [0.9, 0.9], 3, PUBLISHED, [[0]]),
    ("they are discarded after the choice of the cluster", [4, 80], [101, 10], [0.9, 0.9], 3, PUBLISHED, []),
    ("they connect nodes of a cluster", [4, 7, 10], [10, 101, 10], [0.9] * 3, 3, PUBLISHED, [[0, 2]]),
    ("no title: they are discarded too", [4, 80], [10, 101], [0.9, 0.9], None, PUBLISHED, [[0]]),
    ("none", [4], [10], [0.2], 3, PUBLISHED, []),
    ("the highest score first", [4, 80], [10, 10], [0.6, 0.9], 3, BEST, [[1], [0]]),
    ("they are discarded before the choice of the best", [4, 80], [101, 10], [0.9, 0.6], 3, BEST, [[1]]),
    ("low scores too", [4, 80], [10, 10], [0.1, 0.01], 3, BEST, [[0]]),
]  # fmt: skip


@pytest.mark.parametrize("case", DATES, ids=[case[0] for case in DATES])
def test_dates(case: tuple[str, list[int], list[int], list[float], int | None, VisualConfig, list[list[int]]]) -> None:
    _, nodes, lengths, scores, title, config, clusters = case
    assert choose_dates(nodes, lengths, np.array(scores), title, config) == clusters
