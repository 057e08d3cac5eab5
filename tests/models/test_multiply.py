from __future__ import annotations

import numpy as np
import pytest

from broadsheet.kernel import is_compiled
from broadsheet.models.arrays import multiply, multiply_chunks


@pytest.mark.parametrize("is_transposed", [False, True])
@pytest.mark.parametrize(
    ("count", "width", "columns"),
    [
        (0, 3, 2),
        (1, 48, 144),
        (36, 48, 144),
        (37, 48, 144),
        (500, 116, 48),
        (3, 600, 600),
        (226, 96, 288),
        (70, 64, 192),
    ],
)
def test_chunks_give_the_whole_product(count: int, width: int, columns: int, is_transposed: bool) -> None:
    random = np.random.default_rng(0)
    shape = (width, count) if is_transposed else (count, width)
    rows = random.normal(size=shape).astype(np.float32)
    weight = random.normal(size=(width, columns)).astype(np.float32)
    for function in (multiply, multiply_chunks):
        product = function(rows.T if is_transposed else rows, weight)
        assert product.dtype == np.float32
        assert product == pytest.approx((rows.T if is_transposed else rows) @ weight, rel=1e-4, abs=1e-4)


@pytest.mark.skipif(not is_compiled(), reason="nothing is compiled")
def test_compiled_products_check_their_input() -> None:
    from broadsheet.kernel.network import write_product

    shapes = [
        ((2, 3), (4, 16), (2, 16)),
        ((2, 3), (3, 16), (1, 16)),
        ((2, 3), (3, 16), (2, 32)),
        ((2, 3), (3, 8), (2, 8)),
    ]
    for shape in shapes:
        with pytest.raises(ValueError, match="shapes"):
            write_product(*(np.zeros(size, np.float32) for size in shape))
