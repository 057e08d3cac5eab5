from __future__ import annotations

import numpy as np
import pytest

from broadsheet.models.arrays import make_segments

COUNTS = [
    [1],
    [40],
    [1, 1, 1],
    [2, 1, 3],
    [8, 9, 7, 1],
    [1, 30, 2, 8, 9, 1, 100, 3],
]


@pytest.mark.parametrize("counts", COUNTS)
def test_sums_equal_reduceat(counts: list[int]) -> None:
    values = np.random.default_rng(0).random((sum(counts), 5), dtype=np.float32)
    starts = np.cumsum([0, *counts[:-1]])
    sums = make_segments(starts, np.array(counts)).sum(values)
    np.testing.assert_allclose(sums, np.add.reduceat(values, starts, axis=0), rtol=1e-5)


def test_segments_may_skip_rows_and_come_in_any_order() -> None:
    values = np.arange(20, dtype=np.float32)[:, np.newaxis]
    sums = make_segments(np.array([15, 0]), np.array([2, 12])).sum(values)
    assert sums.ravel().tolist() == [31, 66]


def test_no_segments() -> None:
    empty = np.zeros(0, np.intp)
    assert make_segments(empty, empty).sum(np.zeros((3, 2), np.float32)).shape == (0, 2)
