"""Matrix products in the caller's thread only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadsheet.kernel import is_compiled

if is_compiled():
    from broadsheet.kernel import network

Array = NDArray[np.float32]
_HAS_TILES = is_compiled() and network.can_multiply()
_MAX_PRODUCTS = 250_000  # multiplications in one call; OpenBLAS uses more threads from 262,144 on
_PANEL_COLUMNS = 32


def multiply(rows: Array, weight: Array) -> Array:
    """Multiply (n, a) by (a, b)."""
    if _HAS_TILES and weight.shape[1] % network.TILE_COLUMNS == 0 and is_plain(rows) and is_plain(weight):
        product = np.empty((len(rows), weight.shape[1]), np.float32)
        network.write_product(rows, weight, product)
        return product
    return multiply_chunks(rows, weight)


def is_plain(array: Array) -> bool:
    """Tell whether an array is one block of float32 numbers, row by row."""
    return array.flags.c_contiguous and array.dtype == np.float32


def multiply_chunks(rows: Array, weight: Array) -> Array:
    """Multiply in chunks of rows, and in panels of columns where a chunk would have few rows.

    A page is too small to gain from threads, and on a busy machine a product waits milliseconds for another thread.
    BLAS copies its input in each call: with chunks of 9 rows, those copies take as long as the product.
    """
    count, (width, columns) = len(rows), weight.shape
    if count * weight.size <= _MAX_PRODUCTS:
        return np.asarray(rows @ weight)
    is_wide = columns % _PANEL_COLUMNS == 0 and weight.size * _PANEL_COLUMNS > _MAX_PRODUCTS
    panel = _PANEL_COLUMNS if is_wide else columns
    panels = weight.reshape(width, -1, panel).transpose(1, 0, 2)
    chunk = max(_MAX_PRODUCTS // (width * panel), 1)
    product = np.empty((count, columns), np.float32)
    chunked = count - count % chunk
    if rows.flags.c_contiguous:
        stack = rows[:chunked].reshape(-1, 1, chunk, width)
    else:  # a transposed array
        stack = rows.T[:, :chunked].reshape(width, -1, 1, chunk).transpose(1, 2, 3, 0)
    if chunked:
        np.matmul(stack, panels, out=_split_columns(product[:chunked].reshape(-1, chunk, columns), panel))
    if chunked < count:
        np.matmul(rows[chunked:], panels, out=_split_columns(product[chunked:], panel))
    return product


def _split_columns(product: Array, panel: int) -> Array:
    """Return a view of (..., n, columns) as (..., panels, n, panel)."""
    return product.reshape(*product.shape[:-1], -1, panel).swapaxes(-2, -3)
