from __future__ import annotations

import math
from typing import Any

import pytest

from broadsheet.errors import UsageError
from broadsheet.page import Limits


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"max_seconds": "2"}, "max_seconds must be a number of seconds of at least 0, not '2'"),
        ({"max_seconds": -1}, "max_seconds must be a number of seconds of at least 0, not -1"),
        ({"max_seconds": math.nan}, "max_seconds must be a number of seconds of at least 0, not nan"),
        ({"max_seconds": None}, "max_seconds must be a number of seconds of at least 0, not None"),
        ({"max_bytes": 1e6}, "max_bytes must be an integer of at least 1, not 1000000.0"),
        ({"max_nodes": 0}, "max_nodes must be an integer of at least 1, not 0"),
        ({"max_depth": True}, "max_depth must be an integer of at least 1, not True"),
        ({"max_blocks": -5}, "max_blocks must be an integer of at least 1, not -5"),
        ({"max_chars": "x" * 1000}, "max_chars must be an integer of at least 1, not 'xxx"),
        ({"max_memory": math.nan}, "max_memory must be an integer of at least 1, not nan"),
    ],
)
def test_wrong_limits_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        Limits(**values)
    assert str(error.value).startswith(message)
    assert len(str(error.value)) < 160


@pytest.mark.parametrize(
    "values", [{"max_seconds": 0}, {"max_seconds": math.inf}, {"max_memory": None}, {"max_bytes": 1}]
)
def test_extreme_limits(values: dict[str, Any]) -> None:
    limits = Limits(**values)
    assert {name: getattr(limits, name) for name in values} == values
