"""Arrays that several networks share: products in the caller's thread, sums of segments, named columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from broadsheet.kernel import is_compiled

if is_compiled():
    from broadsheet.kernel import network

Array = NDArray[np.float32]
_HAS_TILES = is_compiled() and network.can_multiply()
_MAX_PRODUCTS = 250_000  # multiplications in one call; OpenBLAS uses more threads from 262,144 on
_PANEL_COLUMNS = 32
MAX_SHORT_ROWS = 8  # a longer segment is summed on its own
_IS_COMPILED = is_compiled()


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


class Segments(NamedTuple):
    """Segments of consecutive rows of an array, none of them empty, sorted by length, longest first.

    `sum` gives the sums of np.add.reduceat and is two to five times as fast. reduceat takes 0.3 microseconds for each
    segment and more for its rows. Here the first rows of all short segments are added at once, then the second rows of
    those that have one, and so on.
    """

    order: NDArray[np.intp]  # (segments,) indices in the caller's order
    starts: NDArray[np.intp]  # (segments,) first row of each
    counts: NDArray[np.intp]  # (segments,) number of rows of each

    def sum(self, values: Array) -> Array:
        """Sum the rows of each segment, in the caller's order: (segments, columns)."""
        sorted_sums: Array = np.take(values, self.starts, axis=0)
        if not len(sorted_sums):
            return sorted_sums
        long = self._count_longer(MAX_SHORT_ROWS)
        for row in range(1, MAX_SHORT_ROWS):
            end = self._count_longer(row)
            if end == long:
                break
            sorted_sums[long:end] += np.take(values, self.starts[long:end] + row, axis=0)
        for index, (start, count) in enumerate(zip(self.starts[:long].tolist(), self.counts[:long], strict=True)):
            np.add.reduce(values[start : start + count], axis=0, out=sorted_sums[index])
        sums = np.empty_like(sorted_sums)
        sums[self.order] = sorted_sums
        return sums

    def _count_longer(self, rows: int) -> int:
        """Count the segments that have more than `rows` rows; these come first."""
        return int(np.searchsorted(-self.counts, -rows))


def make_segments(starts: NDArray[np.intp], counts: NDArray[np.intp]) -> Segments:
    """Sort segments by length."""
    order = np.argsort(-counts, kind="stable")
    return Segments(order, starts[order], counts[order])


class Columns:
    """Named columns of n values each. They are the rows of one array: (names, n)."""

    __slots__ = ("_rows", "values")

    def __init__(self, rows: Mapping[str, int], values: Array) -> None:
        """Name the rows of an array; `rows` comes from `number_names`."""
        self.values = values
        self._rows = rows

    def __getitem__(self, name: str) -> Array:
        """Return a column as a view: (n,)."""
        column: Array = self.values[self._rows[name]]
        return column

    def __setitem__(self, name: str, column: ArrayLike) -> None:
        self.values[self._rows[name]] = column

    def group(self, names: tuple[str, ...]) -> Array:
        """Return neighbouring columns as one view: (names, n)."""
        return self.values[self._rows[names[0]] : self._rows[names[-1]] + 1]


def number_names(names: Iterable[str]) -> dict[str, int]:
    """Map each name to its row."""
    return {name: row for row, name in enumerate(names)}


def read_buffer(array: NDArray[Any]) -> Any:
    """Return the array for compiled loops; a list for plain Python, which reads lists three times as fast."""
    return array if _IS_COMPILED else array.tolist()


@lru_cache(100)
def round_single(number: float) -> float:
    """Return the nearest float32. Scores are compared with it, because the float32 of 0.2 is greater than 0.2."""
    return float(np.float32(number))
