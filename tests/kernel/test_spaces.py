from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.kernel.spaces import drop_invisible, fold_ascii_words, fold_spaces, split_and_join

CHARACTERS = st.sampled_from("ab é中😀 \t\n\u00a0\u2003\u3000\x1c\u00ad\u200b\u2060\ufeff\ud800")


@given(st.text(CHARACTERS, max_size=12))
def test_both_ways_give_the_same_text(text: str) -> None:
    assert fold_spaces(text) == split_and_join(text)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        *(("", ""), (" \n", ""), ("one two", "one two"), ("\n one  two\t", "one two"), ("a\u00a0b", "a b")),
        *((" so\u00adft ", "soft"), ("\ufeffa b", "a b"), ("a \u200b b", "a b"), (" é ", "é")),
    ],
)
def test_white_space_and_invisible_characters(text: str, folded: str) -> None:
    assert fold_spaces(text) == folded


@given(st.text(st.characters(max_codepoint=127), max_size=20))
def test_words_of_ascii_texts_are_those_of_the_pattern(text: str) -> None:
    assert fold_ascii_words(text) == " ".join(re.findall(r"\w+", text.lower()))


def test_words_of_other_texts_are_left_to_the_pattern() -> None:
    with pytest.raises(IndexError):
        fold_ascii_words("é")


def test_a_folded_text_is_not_copied() -> None:
    text = "one two"
    assert fold_spaces(text) is text


def test_drop_invisible_keeps_white_space() -> None:
    assert drop_invisible(" so\u00adft \n") == " soft \n"
