from __future__ import annotations

import numpy as np
import pytest

from broadsheet.models.multiply import multiply


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize(
    ("count", "width", "columns"),
    [(0, 3, 2), (1, 48, 144), (36, 48, 144), (37, 48, 144), (500, 116, 48), (3, 600, 600)],
)
def test_as_one_product(count: int, width: int, columns: int, is_turned: bool) -> None:
    random = np.random.default_rng(0)
    shape = (width, count) if is_turned else (count, width)
    rows = random.normal(size=shape).astype(np.float32)
    weight = random.normal(size=(width, columns)).astype(np.float32)
    found = multiply(rows.T if is_turned else rows, weight)
    assert found.dtype == np.float32
    assert found == pytest.approx((rows.T if is_turned else rows) @ weight, rel=1e-4, abs=1e-4)
