from __future__ import annotations

import pytest

from broadsheet.text import format_count


@pytest.mark.parametrize(
    ("count", "noun", "ending", "expected"),
    [(0, "page", "s", "0 pages"), (1, "page", "s", "1 page"), (1200, "address", "es", "1,200 addresses")],
)
def test_count(count: int, noun: str, ending: str, expected: str) -> None:
    assert format_count(count, noun, ending) == expected
