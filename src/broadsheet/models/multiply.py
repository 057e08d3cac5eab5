"""Matrix products of a page: small, many, and in the caller's thread alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
_MAX_SUMS = 250_000  # multiplications that OpenBLAS does without asking other threads (262,144)


def multiply(rows: Array, weight: Array) -> Array:
    """Multiply (n, a) by (a, b), some rows at a time.

    A page is so small that threads gain nothing, and on a busy machine a product waits milliseconds for one of them.
    """
    count, (width, columns) = len(rows), weight.shape
    some = max(_MAX_SUMS // weight.size, 1)
    if count <= some:
        return np.asarray(rows @ weight)
    found = np.empty((count, columns), np.float32)
    whole = count - count % some
    if rows.flags.c_contiguous:
        stack = rows[:whole].reshape(-1, some, width)
    else:  # the rows are the columns of an array
        stack = rows.T[:, :whole].reshape(width, -1, some).transpose(1, 2, 0)
    np.matmul(stack, weight, out=found[:whole].reshape(-1, some, columns))
    if whole < count:
        np.matmul(rows[whole:], weight, out=found[whole:])
    return found
