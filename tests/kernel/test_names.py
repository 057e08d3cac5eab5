"""The loop over the bytes of class names and ids finds the same words as the regular expression."""

from __future__ import annotations

from string import ascii_lowercase
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.html.table import NodeTable
from broadsheet.kernel.containers import MAX_NAME_CHARS, MAX_WORD_CHARS, MAX_WORDS, MIN_WORD_CHARS, NameWriter
from broadsheet.text import split_identifiers

NAMES = st.text("abzABZyY-_ 09[`{@é\u0130\U0001f600\ud800", max_size=30)


def write_names(*positions: tuple[str, ...]) -> list[list[int]]:
    """Return the hashes that the loop writes for each position, given the attribute values of each."""
    table = NodeTable()
    for value in (value for values in positions for value in values):
        table.value_start.append(len(table.arena))
        table.arena += value.encode("utf-8", "surrogatepass")
        table.value_end.append(len(table.arena))
    writer = NameWriter(table, len(positions))
    attribute = 0
    for values in positions:
        for _ in values:
            writer.add(attribute)
            attribute += 1
        writer.end_position()
    starts = [0, *writer.ends[:-1]]
    return [list(writer.hashes[start:end]) for start, end in zip(starts, writer.ends, strict=True)]


def hash_words(*values: str) -> list[int]:
    """Return the hashes of distinct words, by the regular expression."""
    hashes: dict[int, None] = {}
    for value in values:
        words = [word.lower() for word in split_identifiers(value[:MAX_NAME_CHARS])]
        kept = [word for word in words if MIN_WORD_CHARS <= len(word) <= MAX_WORD_CHARS]
        new = dict.fromkeys(value for value in map(hash_word, kept) if value not in hashes)
        hashes |= dict.fromkeys(list(new)[:MAX_WORDS])
    return list(hashes)


def hash_word(word: str) -> int:
    return crc32(word.encode())


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=4))
def test_same_words(positions: list[tuple[str, str]]) -> None:
    assert write_names(*positions) == [hash_words(*values) for values in positions]


@pytest.mark.parametrize("character", ["a", "é", "中", "\U0001f600"])
def test_limit_is_in_characters(character: str) -> None:
    value = character * (MAX_NAME_CHARS - 4) + " ab cd"
    assert write_names((value,)) == [hash_words(value)] == [[hash_word("ab")]]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (("articleBody related-links",), "article body related links"),
        (("RSSFeed",), "rss feed"),
        (("A b2 xY",), ""),
        (("main main MAIN",), "main"),
        (("",), ""),
        ((), ""),
        (("story", "story-4711_main"), "story main"),
        (("b" * (MAX_WORD_CHARS + 1), "b" * MAX_WORD_CHARS), "b" * MAX_WORD_CHARS),
        (("ab " * 300, "cd"), "ab cd"),
        (
            (" ".join(f"{letter}x" for letter in ascii_lowercase),),
            " ".join(f"{letter}x" for letter in ascii_lowercase[:MAX_WORDS]),
        ),
    ],
)
def test_words(values: tuple[str, ...], words: str) -> None:
    assert write_names(values, ("next",)) == [[hash_word(word) for word in words.split()], [hash_word("next")]]
