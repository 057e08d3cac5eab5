from __future__ import annotations

import pytest

from broadsheet.evaluation.measures.calibration import measure_calibration
from broadsheet.evaluation.measures.speed import measure_speed


def test_a_calibrated_method_has_no_error() -> None:
    calibration = measure_calibration([0.55, 0.55, 0.95], [0.5, 0.6, 0.95])
    assert calibration is not None
    assert calibration.error == pytest.approx(0)
    assert [(point.pages, point.low) for point in calibration.bins] == [(2, 0.5), (1, 0.9)]


def test_the_error_is_weighted_by_pages() -> None:
    calibration = measure_calibration([1.0, 1.0, 1.0, 0.2], [0.5, 0.5, 0.5, 0.2])
    assert calibration is not None
    assert calibration.error == pytest.approx(0.375)


def test_no_pages_give_no_calibration() -> None:
    assert measure_calibration([], []) is None


def test_speed() -> None:
    speed = measure_speed([0.001 * number for number in range(101)])
    assert speed is not None
    assert (speed.median, speed.p95) == pytest.approx((50, 95))
    assert measure_speed([]) is None
