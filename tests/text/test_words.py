from __future__ import annotations

import pytest

from broadsheet.text import fold_words, split_texts, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "The Harbour, re-opened: it's 3.5 m deep",
            ["the", "harbour", "re", "opened", "it", "s", "3", "5", "m", "deep"],
        ),
        ("Straße Čeština", ["straße", "čeština"]),
        ("港口 reopened 了", ["港", "口", "reopened", "了"]),
        ("ท่าเรือ", list("ท่าเรือ")),
        ("カタカナとabc123", [*"カタカナと", "abc123"]),
        ("한국어 뉴스", ["한국어", "뉴스"]),
        ("e\u0301tat", ["état"]),  # decomposed letters equal composed ones
        ("", []),
        ("--- !!", []),
    ],
)
def test_split_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words


TEXTS = [
    [],
    [""],
    ["The Harbour", "", "re-opened."],
    ["plain", "港口 reopened 了", "ΟΔΟΣ", "e\u0301tat"],
    ["a\0b", "c"],  # NUL is the separator between texts
]


@pytest.mark.parametrize("texts", TEXTS)
def test_split_texts_equals_split_words_of_each(texts: list[str]) -> None:
    assert split_texts(texts) == [split_words(text) for text in texts]


def test_fold_words() -> None:
    assert fold_words("  “Harbour”: Re-Opened!\n") == "harbour re opened"
