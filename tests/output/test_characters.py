from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.output.characters import clean_text


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("a\x00b\x08c\x1bd", "abcd"),
        ("a\x0cb\x1fc", "a b c"),  # these two separate words
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\ufffeb\uffffc", "abc"),
        ("half \ud83d, whole \ud83d\ude00, \U0001f600", "half \ufffd, whole \U0001f600, \U0001f600"),
    ],
)
def test_clean_text(raw: str, clean: str) -> None:
    assert clean_text(raw) == clean


@given(st.text(st.characters(codec=None)))
def test_cleaned_text_can_be_written_as_utf8(raw: str) -> None:
    clean = clean_text(raw)
    assert clean.encode("utf-8").decode("utf-8") == clean
    assert clean_text(clean) == clean
