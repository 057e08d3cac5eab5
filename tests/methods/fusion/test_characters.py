from __future__ import annotations

from collections import Counter

import pytest

from broadsheet.kernel.texts import Kind
from broadsheet.methods.fusion.characters import make_tables


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Ab 3,", {Kind.UPPER: 1, Kind.LOWER: 1, Kind.SPACE: 1, Kind.DIGIT: 1, Kind.COMMA: 1}),
        ("港口。", {Kind.UNSPACED: 2, Kind.END: 1}),
        ("مرحبا؟", {Kind.LOWER: 5, Kind.END: 1}),
        ("»a|", {Kind.BAR: 2, Kind.LOWER: 1}),
        ("“a”:", {Kind.QUOTE: 2, Kind.LOWER: 1, Kind.COLON: 1}),
    ],
)
def test_kinds(text: str, kinds: dict[Kind, int]) -> None:
    table = make_tables().kinds
    assert Counter(table[ord(character)] for character in text) == kinds


@pytest.mark.parametrize(("upper", "lower"), [("A", "a"), ("Č", "č"), ("İ", "İ"), ("ß", "ß"), ("1", "1")])
def test_lower_case(upper: str, lower: str) -> None:
    assert chr(make_tables().lower[ord(upper)]) == lower
