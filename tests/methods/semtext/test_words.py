from __future__ import annotations

import pytest

from broadsheet.methods.semtext.words import (
    ABBREVIATIONS,
    TAG_PHRASES,
    load_stop_words,
    split_names,
    split_tag,
    split_text,
)
from broadsheet.page import tags

NAMES = [
    ("delimiters", "story-feed_item", "story feed item"),
    ("camel case", "ScrollSpy_container", "scroll spy container"),
    ("BEM", "Article_Column--main", "article column main"),
    ("several names", "Article flex story-70262407", "article flex story"),
    ("an acronym in camel case", "HTMLBody", "html body"),
    ("capitals", "MAIN-CONTENT", "main content"),
    ("abbreviations", "btn nav-img", "button navigation image"),
    ("one abbreviation, two words", "sidebar", "side bar"),
    ("numbers are dropped", "col-md-12", "column md"),
    ("a name without words is kept", "x7 w-100", "x7 w-100"),
    ("other scripts", "статья-текст", "статья текст"),
    ("white space", "  ", ""),
]  # fmt: skip


@pytest.mark.parametrize(("names", "words"), [case[1:] for case in NAMES], ids=[case[0] for case in NAMES])
def test_class_names(names: str, words: str) -> None:
    assert " ".join(split_names(names)) == words


@pytest.mark.parametrize(
    ("tag", "words"), [("p", "paragraph"), ("div", "division"), ("h1", "primary headline"), ("x-card", "x-card")]
)
def test_tags(tag: str, words: str) -> None:
    assert " ".join(split_tag(tag)) == words


def test_every_container_has_words() -> None:
    assert set(TAG_PHRASES) == tags.CONTAINERS


def test_expansions_contain_no_abbreviations() -> None:
    expansions = {word for phrase in ABBREVIATIONS.values() for word in phrase.split()}
    assert not expansions & set(ABBREVIATIONS)


@pytest.mark.parametrize("word", ["the", "und", "les", "и", "的", "の", "την", "를"])
def test_stop_words_of_many_languages(word: str) -> None:
    assert word in load_stop_words()


@pytest.mark.parametrize("word", ["war", "news", "home", "article", "menu"])
def test_content_words_are_not_stop_words(word: str) -> None:
    assert word not in load_stop_words()


def test_only_the_beginning_of_a_long_text_is_split() -> None:
    assert len(split_text("word " * 1_000_000)) == 200
