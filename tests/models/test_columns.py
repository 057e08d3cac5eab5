from __future__ import annotations

import numpy as np
import pytest

from broadsheet.models.arrays import Columns, number_names

NAMES = ("chars", "words", "links")


@pytest.fixture
def columns() -> Columns:
    return Columns(number_names(NAMES), np.zeros((3, 2), np.float32))


def test_columns_are_written_by_name(columns: Columns) -> None:
    columns["words"] = [1, 2]
    columns["links"] = 3
    assert columns.values.tolist() == [[0, 0], [1, 2], [3, 3]]


def test_columns_are_views(columns: Columns) -> None:
    np.add(columns["chars"], 5, out=columns["chars"])
    columns.group(("words", "links"))[:] = 7
    assert columns.values.tolist() == [[5, 5], [7, 7], [7, 7]]


def test_an_unknown_name_is_an_error(columns: Columns) -> None:
    with pytest.raises(KeyError, match="shape"):
        columns["shape"] = 1
