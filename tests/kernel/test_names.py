"""The loop over the characters of a name finds the same words as the regular expression."""

from __future__ import annotations

from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.kernel.names import hash_identifiers
from broadsheet.text import split_identifiers

MAX_WORDS, MAX_CHARS = 4, 6


def hash_words(name: str) -> tuple[int, ...]:
    words = [word.lower() for word in split_identifiers(name) if 2 <= len(word) <= MAX_CHARS]
    return tuple(dict.fromkeys(crc32(word.encode()) for word in words))[:MAX_WORDS]


@given(st.text("abzABZyY-_ 09[`{@é\u0130\U0001f600", max_size=30))
def test_same_words(name: str) -> None:
    assert hash_identifiers(name, MAX_WORDS, MAX_CHARS) == hash_words(name)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("articleBody related-links", ["article", "body", "related", "links"]),
        ("RSSFeed", ["rss", "feed"]),
        ("A b2 xY", []),
        ("main main MAIN", ["main"]),
        ("", []),
    ],
)
def test_words(name: str, words: list[str]) -> None:
    assert hash_identifiers(name, 12, 20) == tuple(crc32(word.encode()) for word in words)
