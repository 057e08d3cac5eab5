from __future__ import annotations

import unicodedata

import pytest

from broadsheet.html.normalize import MAX_MARKS, normalize_text


@pytest.mark.parametrize("text", ["plain", "café", "cafe\u0301", "a\u0301\u0323", "\u1100\u1161\u11a8", "각"])
def test_texts_with_few_marks_are_in_nfc(text: str) -> None:
    assert normalize_text(text) == unicodedata.normalize("NFC", text)


def test_all_marks_of_a_long_sequence_are_kept() -> None:
    marks = "\u0301\u0323" * 200
    normal = normalize_text(f"a{marks}", "NFKD")
    assert sorted(normal.replace("\u034f", "")) == sorted(f"a{marks}")
    assert max(map(len, normal.split("\u034f"))) <= MAX_MARKS + 1
