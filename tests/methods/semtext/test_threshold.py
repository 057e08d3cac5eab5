from __future__ import annotations

import pytest

from broadsheet.methods.semtext import SemtextConfig
from broadsheet.methods.semtext.network import find_threshold

# threshold and page_share of the configuration, scores, threshold of the page
THRESHOLDS = [
    ("the best chain", 0.0, 0.0, [1, 0, 1], 0.5),
    ("fixed", 0.4, 0.0, [0.9, 0.1], 0.4),
    ("high scores", 0.2, 0.6, [1.0, 1.0, 0.0], 0.6),
    ("medium scores", 0.2, 0.5, [0.5, 0.5], 0.25),
    ("low scores: never below the fixed threshold", 0.2, 0.6, [0.1, 0.1], 0.2),
    ("no blocks", 0.2, 0.6, [], 0.2),
]


@pytest.mark.parametrize(
    ("threshold", "share", "scores", "expected"),
    [case[1:] for case in THRESHOLDS],
    ids=[case[0] for case in THRESHOLDS],
)
def test_thresholds(threshold: float, share: float, scores: list[float], expected: float) -> None:
    config = SemtextConfig(threshold=threshold, page_share=share)
    assert find_threshold(scores, [10.0] * len(scores), config) == pytest.approx(expected)
