from __future__ import annotations

import pytest

from broadsheet.methods.fusion.characters import read_characters
from broadsheet.methods.fusion.tokens import HEAD, Tokens, read_tokens, share_with


def read(*texts: str) -> Tokens:
    return read_tokens(read_characters(texts))


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("Read more: All the news", "READ MORE all the NEWS"),
        ("»By John O'Neil«", "by john o neil"),
        ("Čeština, dnes", "čEŠTINA dnes"),
    ],
)
def test_words_are_alike_without_case_and_marks(text: str, like: str) -> None:
    one, other = read(text), read(like)
    assert one.hashes.tolist() == other.hashes.tolist()


@pytest.mark.parametrize(
    ("text", "count"),
    [("two words", 2), ("相关新闻", 4), ("3 Kommentare", 2), ("...", 0), ("😀", 0), ("a-b", 2), ("\ud800 lone", 1)],
)
def test_count(text: str, count: int) -> None:
    assert read(text).count.tolist() == [count]


def test_texts_are_read_apart() -> None:
    alone = [read(text).hashes.tolist() for text in ("Share", "...", "By Ann")]
    tokens = read("Share", "...", "By Ann")
    assert tokens.hashes.tolist() == [each for own in alone for each in own]
    assert tokens.owner.tolist() == [0, 2, 2]
    assert tokens.first.tolist() == [0, 1, 1]


def test_only_the_beginning_is_read() -> None:
    assert read("word " * HEAD, "word").count.tolist() == [HEAD // 5, 1]


def test_share_with_a_title() -> None:
    title = read("Ferry returns to the harbour").hashes
    tokens = read("The ferry sails", "Nothing", "...", "Ferry returns")
    assert share_with(tokens, title).tolist() == pytest.approx([2 / 3, 0, 0, 1])
    assert share_with(tokens, title[:0]).tolist() == [0, 0, 0, 0]
    assert share_with(read("..."), title).tolist() == [0]


def test_the_first_texts_alone() -> None:
    whole, part = read("By Ann", "Share", "Title").take(2), read("By Ann", "Share")
    assert whole.hashes.tolist() == part.hashes.tolist()
    assert whole.count.tolist() == part.count.tolist()
