"""Features written and read by name: `columns["chars"] = lengths`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float32]


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
