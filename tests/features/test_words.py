from __future__ import annotations

import pytest

from broadsheet.features import split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Cat's out, 3.5 times!", ["the", "cat", "s", "out", "3", "5", "times"]),
        ("Straße ÉTÉ", ["strasse", "été"]),
        ("北京 news今天", ["北", "京", "news", "今", "天"]),
        ("東京の", ["東", "京", "の"]),
        ("한국어 뉴스", ["한국어", "뉴스"]),
        ("Новости, сегодня", ["новости", "сегодня"]),
        ("ข่าว", ["ข", "่", "า", "ว"]),
        ("", []),
        ("–—…", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert split_words(text) == words
