from __future__ import annotations

import pytest

from broadsheet.text import hyphenate_camel_case, split_identifiers


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("articleBody related-links", ["article", "Body", "related", "links"]),
        ("post_12 h2", ["post", "h"]),
        ("RSSFeed NAV", ["RSS", "Feed", "NAV"]),
        ("überSchrift", ["ber", "Schrift"]),
        ("12 -_", []),
        ("", []),
    ],
)
def test_split_identifiers(names: str, words: list[str]) -> None:
    assert split_identifiers(names) == words


def test_any_letter() -> None:
    assert split_identifiers("überSchrift RSSFeed новости2", any_letter=True) == [
        "über",
        "Schrift",
        "RSS",
        "Feed",
        "новости",
    ]


def test_acronyms_that_are_not_split() -> None:
    assert split_identifiers("RSSFeed mainNav", splits_acronyms=False) == ["RSSF", "eed", "main", "Nav"]


@pytest.mark.parametrize(
    ("name", "hyphenated"),
    [("storyBody", "story-body"), ("Most-Read", "most-read"), ("RSSFeed", "rssfeed"), ("story2Body", "story2body")],
)
def test_hyphenate_camel_case(name: str, hyphenated: str) -> None:
    assert hyphenate_camel_case(name) == hyphenated
