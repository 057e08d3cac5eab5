from __future__ import annotations

import pytest

from broadsheet.methods.semtext import SemtextConfig
from broadsheet.methods.semtext.threshold import find_limit

LIMITS = [
    ("the best chain", 0.0, 0.0, [1, 0, 1], 0.5),
    ("a fixed one", 0.4, 0.0, [0.9, 0.1], 0.4),
    ("a sure page", 0.2, 0.6, [1.0, 1.0, 0.0], 0.6),
    ("an unsure page", 0.2, 0.5, [0.5, 0.5], 0.25),
    ("never below the fixed one", 0.2, 0.6, [0.1, 0.1], 0.2),
    ("nothing", 0.2, 0.6, [], 0.2),
]


@pytest.mark.parametrize(
    ("threshold", "share", "scores", "limit"), [case[1:] for case in LIMITS], ids=[case[0] for case in LIMITS]
)
def test_limits(threshold: float, share: float, scores: list[float], limit: float) -> None:
    config = SemtextConfig(threshold=threshold, page_share=share)
    assert find_limit(scores, [10.0] * len(scores), config) == pytest.approx(limit)
