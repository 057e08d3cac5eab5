from __future__ import annotations

from string import ascii_lowercase
from zlib import crc32

import pytest

from broadsheet.methods.fusion.names import hash_names


@pytest.mark.parametrize(
    ("class_name", "element_id", "words"),
    [
        ("articleBody related-links", None, "article body related links"),
        ("story", "story-4711_main", "story main"),
        (None, "HTMLBlock", "html block"),
        ("NAV nav a x2", "", "nav"),
        ("b" * 21, None, ""),
        ("ab " * 300, "cd", "ab cd"),
        (
            " ".join(f"{letter}x" for letter in ascii_lowercase),
            None,
            " ".join(f"{letter}x" for letter in ascii_lowercase[:12]),
        ),
        (None, None, ""),
    ],
)
def test_hashes_of_words(class_name: str | None, element_id: str | None, words: str) -> None:
    for _ in range(2):  # the second time from the cache
        hashes = hash_names([class_name, None], [element_id, None])
        assert hashes == [tuple(crc32(word.encode()) for word in words.split()), ()]
