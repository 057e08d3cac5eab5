from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.choice import choose_bar, choose_dates, choose_title

PUBLISHED = VisualConfig()
BEST = replace(PUBLISHED, takes_best_title=True, takes_best_date=True, lowers_bar=True)
TITLES = [
    ("the first of several", [0.1, 0.6, 0.9], PUBLISHED, 1),
    ("none", [0.1, 0.5], PUBLISHED, None),
    ("the likeliest", [0.1, 0.6, 0.9], BEST, 2),
    ("the likeliest of unlikely ones", [0.1, 0.3], BEST, 1),
    ("nothing to choose from", [], BEST, None),
]


@pytest.mark.parametrize(("scores", "config", "found"), [case[1:] for case in TITLES], ids=[case[0] for case in TITLES])
def test_title(scores: list[float], config: VisualConfig, found: int | None) -> None:
    assert choose_title(np.array(scores), config) == found


BARS = [
    ("one is sure", [1.0, 0.3], [100, 100], BEST, 0.5),
    ("none is", [0.4, 0.3], [100, 100], BEST, 0.2),
    ("none is, as published", [0.4, 0.3], [100, 100], PUBLISHED, 0.5),
    ("a short block says nothing", [0.9, 0.2], [10, 100], BEST, 0.1),
    ("but where all are short", [0.6, 0.2], [10, 10], BEST, 0.3),
    ("none", [], [], BEST, 0.5),
]


@pytest.mark.parametrize(
    ("scores", "lengths", "config", "bar"), [case[1:] for case in BARS], ids=[case[0] for case in BARS]
)
def test_bar(scores: list[float], lengths: list[int], config: VisualConfig, bar: float) -> None:
    assert choose_bar(np.array(scores), lengths, config) == pytest.approx(bar)


# places, lengths, scores, place of the title, config, clusters
DATES = [
    ("one", [4, 5], [10, 10], [0.9, 0.1], 3, PUBLISHED, [[0]]),
    ("two other nodes between: one cluster", [4, 7], [10, 10], [0.9, 0.9], 3, PUBLISHED, [[0, 1]]),
    ("three between: the closest to the title", [4, 8], [10, 10], [0.9, 0.9], 10, PUBLISHED, [[1]]),
    ("clusters are chained", [1, 4, 7, 20], [9] * 4, [0.9] * 4, 2, PUBLISHED, [[0, 1, 2]]),
    ("no title: all", [4, 80], [10, 10], [0.9, 0.9], None, PUBLISHED, [[0, 1]]),
    ("large amounts of text are discarded", [4, 5], [10, 101], [0.9, 0.9], 3, PUBLISHED, [[0]]),
    ("none", [4], [10], [0.2], 3, PUBLISHED, []),
    ("the likeliest first", [4, 80], [10, 10], [0.6, 0.9], 3, BEST, [[1], [0]]),
    ("unlikely ones too", [4, 80], [10, 10], [0.1, 0.01], 3, BEST, [[0]]),
]  # fmt: skip


@pytest.mark.parametrize("case", DATES, ids=[case[0] for case in DATES])
def test_dates(case: tuple[str, list[int], list[int], list[float], int | None, VisualConfig, list[list[int]]]) -> None:
    _, places, lengths, scores, title, config, clusters = case
    assert choose_dates(places, lengths, np.array(scores), title, config) == clusters
