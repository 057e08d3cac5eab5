from __future__ import annotations

import numpy as np
import pytest

from broadsheet.methods.fusion.config import DEFAULT_CONFIG, FusionConfig
from broadsheet.methods.fusion.corrections import find_threshold


@pytest.mark.parametrize(
    ("scores", "chars", "kept"),
    [
        ([0.9, 0.8, 0.1], [100, 100, 100], 2),
        ([0.3, 0.29, 0.01], [100, 100, 100], 2),  # all scores are low
        ([0.1, 0.1, 0.1], [100, 100, 100], 0),
        ([0.99, 0.85], [1000, 50], 2),
        ([0.99, 0.3], [100, 1000], 1),
    ],
)
def test_threshold_of_a_page(scores: list[float], chars: list[float], kept: int) -> None:
    threshold = find_threshold(np.array(scores, np.float32), np.array(chars, np.float32))
    assert DEFAULT_CONFIG.min_threshold <= threshold <= DEFAULT_CONFIG.max_threshold
    assert sum(score > threshold for score in scores) == kept


def test_fixed_threshold() -> None:
    scores = chars = np.ones(3, np.float32)
    assert find_threshold(scores, chars, FusionConfig(threshold=0.3)) == 0.3
