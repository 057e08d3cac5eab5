from __future__ import annotations

import numpy as np
import pytest

from broadsheet.models.multiply import multiply


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize(
    ("count", "width", "columns"),
    [(0, 3, 2), (1, 48, 144), (36, 48, 144), (37, 48, 144), (500, 116, 48), (3, 600, 600)],
)
def test_chunks_give_the_whole_product(count: int, width: int, columns: int, is_transposed: bool) -> None:
    random = np.random.default_rng(0)
    shape = (width, count) if is_transposed else (count, width)
    rows = random.normal(size=shape).astype(np.float32)
    weight = random.normal(size=(width, columns)).astype(np.float32)
    product = multiply(rows.T if is_transposed else rows, weight)
    assert product.dtype == np.float32
    assert product == pytest.approx((rows.T if is_transposed else rows) @ weight, rel=1e-4, abs=1e-4)
