from __future__ import annotations

import pytest

from broadsheet.text import drop_invisible, fold_text


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("  a\n\t b  ", "a b"),
        ("a\u00a0\u00a0b", "a b"),
        ("a\u200bb\u00adc \u2060 d\ufeff", "abc d"),
        ("\u200b ", ""),
        ("", ""),
    ],
)
def test_fold_text(text: str, folded: str) -> None:
    assert fold_text(text) == folded


def test_drop_invisible_keeps_white_space() -> None:
    assert drop_invisible(" a\u200b  b\u00ad ") == " a  b "
