"""The measure of disagreement."""

from __future__ import annotations

import pytest

from broadsheet.project.analysis import measure_disagreement


@pytest.mark.parametrize(
    ("kept", "lengths", "expected"),
    [
        ([], [], 0.0),
        (["101"], [5, 5, 5], 0.0),
        (["101", "101"], [5, 5, 5], 0.0),
        (["10", "01"], [5, 5], 1.0),
        (["00", "00"], [5, 5], 0.0),
        (["11", "10"], [30, 10], 1 - 60 / 70),  # the long block counts more
        (["10", "10", "01"], [5, 5], 2 / 3),
    ],
)
def test_disagreement(kept: list[str], lengths: list[int], expected: float) -> None:
    assert measure_disagreement([[flag == "1" for flag in row] for row in kept], lengths) == pytest.approx(expected)
