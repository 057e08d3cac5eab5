from __future__ import annotations

import pytest

from broadsheet.methods.fusion.characters import read_characters
from broadsheet.methods.fusion.tokens import (
    MAX_BLOCK_WORDS,
    MAX_CHARS,
    Tokens,
    count_shared_words,
    list_words,
    read_tokens,
)


def read(*texts: str) -> Tokens:
    return read_tokens(read_characters(texts))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Read more: All the news", "READ MORE all the NEWS"),
        ("»By John O'Neil«", "by john o neil"),
        ("Čeština, dnes", "čEŠTINA dnes"),
    ],
)
def test_case_and_punctuation_do_not_matter(text: str, other: str) -> None:
    assert read(text).hashes.tolist() == read(other).hashes.tolist()


@pytest.mark.parametrize(
    ("text", "count"),
    [("two words", 2), ("相关新闻", 4), ("3 Kommentare", 2), ("...", 0), ("😀", 0), ("a-b", 2), ("\ud800 lone", 1)],
)
def test_number_of_words(text: str, count: int) -> None:
    assert read(text).count.tolist() == [count]


def test_texts_are_independent() -> None:
    single = [read(text).hashes.tolist() for text in ("Share", "...", "By Ann")]
    tokens = read("Share", "...", "By Ann")
    assert tokens.hashes.tolist() == [word for words in single for word in words]
    assert tokens.owner.tolist() == [0, 2, 2]
    assert tokens.first.tolist() == [0, 1, 1]


def test_only_the_first_characters_are_read() -> None:
    assert read("word " * MAX_CHARS, "word").count.tolist() == [MAX_CHARS // 5, 1]


def test_words_of_the_title() -> None:
    title = read("Ferry returns to the harbour").hashes
    tokens = read("The ferry sails", "Nothing", "...", "Ferry returns")
    assert count_shared_words(tokens, title).tolist() == [2, 0, 0, 2]
    assert count_shared_words(tokens, title[:0]).tolist() == [0, 0, 0, 0]
    assert count_shared_words(read("..."), title).tolist() == [0]


def test_take_the_first_texts() -> None:
    whole, part = read("By Ann", "Share", "Title").take(2), read("By Ann", "Share")
    assert whole.hashes.tolist() == part.hashes.tolist()
    assert whole.count.tolist() == part.count.tolist()


def test_first_words_of_each_text() -> None:
    texts = ("By Ann", "...", "word " * 20)
    words = list_words(read(*texts))
    assert words.shape == (3, MAX_BLOCK_WORDS)
    assert (words > 0).sum(axis=1).tolist() == [2, 0, MAX_BLOCK_WORDS]
    assert words[0, :2].tolist() == read("by ann").hashes.tolist()
    assert list_words(read("...")).tolist() == [[0] * MAX_BLOCK_WORDS]
