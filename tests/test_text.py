"""Words, identifiers, white space, punctuation, patterns and counts."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from types import ModuleType

import pytest

import broadsheet.fields
import broadsheet.output
import broadsheet.page
import broadsheet.text
from broadsheet.text import (
    compile_later,
    drop_invisible,
    fold_text,
    fold_words,
    format_count,
    hyphenate_camel_case,
    split_identifiers,
    split_texts,
    split_words,
)


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


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        (broadsheet.text.ASCII_MARKS, ".,;:!?"),
        (broadsheet.text.SENTENCE_ENDS, ".!?。！？…؟।"),
        (broadsheet.text.RARE_ENDS, "۔։．｡"),
        (broadsheet.text.COMMAS, ",，、،"),
        (broadsheet.text.SEMICOLONS, ";；"),
        (broadsheet.text.COLONS, ":："),
        (broadsheet.text.CLOSING_QUOTES, "\"'”’»"),
    ],
)
def test_sets(marks: str, expected: str) -> None:
    assert sorted(marks) == sorted(expected)


def test_methods_of_the_pattern() -> None:
    pattern = compile_later("b+", re.IGNORECASE)
    assert pattern.sub("-", "aBba") == "a-a"
    match = pattern.search("abb")
    assert match is not None
    assert match[0] == "bb"
    assert pattern.search("a") is None


def test_compiled_on_first_use() -> None:
    pattern = compile_later("(")
    assert pattern.pattern == "("
    with pytest.raises(re.error):
        pattern.search("")


@pytest.mark.parametrize("package", [broadsheet.fields, broadsheet.output, broadsheet.page])
def test_patterns_of_the_package_are_valid(package: ModuleType) -> None:
    """A wrong pattern would otherwise raise on the first page that needs it."""
    late_pattern = type(compile_later(""))
    modules = [import_module(info.name) for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    for module in (broadsheet.text, *modules):
        for value in vars(module).values():
            for pattern in value.values() if isinstance(value, dict) else [value]:
                if isinstance(pattern, late_pattern):
                    re.compile(pattern.pattern, pattern.flags)


@pytest.mark.parametrize(
    ("count", "noun", "ending", "expected"),
    [(0, "page", "s", "0 pages"), (1, "page", "s", "1 page"), (1200, "address", "es", "1,200 addresses")],
)
def test_count(count: int, noun: str, ending: str, expected: str) -> None:
    assert format_count(count, noun, ending) == expected
