"""Matrix products in the caller's thread only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
_MAX_PRODUCTS = 250_000  # multiplications in one call; OpenBLAS uses more threads from 262,144 on


def multiply(rows: Array, weight: Array) -> Array:
    """Multiply (n, a) by (a, b) in chunks of rows.

    A page is too small to gain from threads, and on a busy machine a product waits milliseconds for another thread.
    """
    count, (width, columns) = len(rows), weight.shape
    chunk = max(_MAX_PRODUCTS // weight.size, 1)
    if count <= chunk:
        return np.asarray(rows @ weight)
    product = np.empty((count, columns), np.float32)
    chunked = count - count % chunk
    if rows.flags.c_contiguous:
        stack = rows[:chunked].reshape(-1, chunk, width)
    else:  # a transposed array
        stack = rows.T[:, :chunked].reshape(width, -1, chunk).transpose(1, 2, 0)
    np.matmul(stack, weight, out=product[:chunked].reshape(-1, chunk, columns))
    if chunked < count:
        np.matmul(rows[chunked:], weight, out=product[chunked:])
    return product
