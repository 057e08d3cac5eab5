"""Models are trained with these sets, so that they must not change by accident."""

from __future__ import annotations

import pytest

from broadsheet.text import punctuation


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        (punctuation.ASCII_MARKS, ".,;:!?"),
        (punctuation.SENTENCE_ENDS, ".!?。！？…؟।"),
        (punctuation.RARE_ENDS, "۔։．｡"),
        (punctuation.COMMAS, ",，、،"),
        (punctuation.SEMICOLONS, ";；"),
        (punctuation.COLONS, ":："),
        (punctuation.CLOSING_QUOTES, "\"'”’»"),
    ],
)
def test_sets(marks: str, expected: str) -> None:
    assert sorted(marks) == sorted(expected)
