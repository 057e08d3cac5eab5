from __future__ import annotations

import pytest

from broadsheet.evaluation.measures.calibration import measure_calibration
from broadsheet.evaluation.measures.speed import measure_speed


def test_a_calibrated_method_has_no_error() -> None:
    found = measure_calibration([0.55, 0.55, 0.95], [0.5, 0.6, 0.95])
    assert found is not None
    assert found.error == pytest.approx(0)
    assert [(each.pages, each.low) for each in found.bins] == [(2, 0.5), (1, 0.9)]


def test_the_error_is_weighted_by_pages() -> None:
    found = measure_calibration([1.0, 1.0, 1.0, 0.2], [0.5, 0.5, 0.5, 0.2])
    assert found is not None
    assert found.error == pytest.approx(0.375)


def test_nothing_to_calibrate() -> None:
    assert measure_calibration([], []) is None


def test_speed() -> None:
    speed = measure_speed([0.001 * number for number in range(101)])
    assert speed is not None
    assert (speed.median, speed.p95) == pytest.approx((50, 95))
    assert measure_speed([]) is None
