from __future__ import annotations

from zlib import crc32

import pytest

from broadsheet.methods.fusion.names import hash_names


@pytest.mark.parametrize(
    ("class_name", "name", "words"),
    [
        ("articleBody related-links", None, "article body related links"),
        ("story", "story-4711_main", "story main"),
        (None, "HTMLBlock", "html block"),
        ("NAV nav a x2", "", "nav"),
        ("b" * 21, None, ""),
        ("ab " * 300, "cd", "ab cd"),
        (" ".join(f"{chr(97 + at)}x" for at in range(20)), None, " ".join(f"{chr(97 + at)}x" for at in range(12))),
        (None, None, ""),
    ],
)
def test_words_of_names(class_name: str | None, name: str | None, words: str) -> None:
    assert hash_names(class_name, name) == tuple(crc32(word.encode()) for word in words.split())
