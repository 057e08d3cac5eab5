from __future__ import annotations

import pytest

from broadsheet.methods.fusion.characters import Kind, count_characters, read_characters


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Ab 3,", {Kind.UPPER: 1, Kind.LOWER: 1, Kind.SPACE: 1, Kind.DIGIT: 1, Kind.COMMA: 1}),
        ("港口。", {Kind.UNSPACED: 2, Kind.END: 1}),
        ("مرحبا؟", {Kind.LOWER: 5, Kind.END: 1}),
        ("»a|", {Kind.BAR: 2, Kind.LOWER: 1}),
        ("😀", {Kind.OTHER: 1}),
        ("“a”:", {Kind.QUOTE: 2, Kind.LOWER: 1, Kind.COLON: 1}),
    ],
)
def test_counts_of_kinds(text: str, kinds: dict[Kind, int]) -> None:
    counts = count_characters(read_characters([text]), 1).counts[:, 0]
    assert {kind: int(counts[kind]) for kind in Kind if counts[kind]} == kinds


def test_first_and_last_characters() -> None:
    counts = count_characters(read_characters(["He said.”", "x", "A\nB", "wait...", "more…", "e.g.", "x\ny"]), 6)
    assert counts.first.tolist() == [Kind.UPPER, Kind.LOWER, Kind.UPPER, Kind.LOWER, Kind.LOWER, Kind.LOWER]
    assert counts.last.tolist()[:3] == [Kind.QUOTE, Kind.LOWER, Kind.UPPER]
    assert counts.before_last.tolist()[:2] == [Kind.END, Kind.LOWER]
    assert counts.line_breaks.tolist() == [0, 0, 1, 0, 0, 0]
    assert counts.is_cut.tolist() == [False, False, False, True, True, False]
    assert counts.lengths.tolist() == [9, 1, 3, 7, 5, 4]
