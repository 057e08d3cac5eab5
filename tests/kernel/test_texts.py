from __future__ import annotations

from array import array

import numpy as np
import pytest

from broadsheet.kernel.texts import (
    MAX_BLOCK_WORDS,
    MAX_CHARS,
    SHARED_NAMES,
    SUMS,
    TEXT_NAMES,
    StatedWords,
    TextOutput,
    TextReader,
    measure_texts,
)
from broadsheet.methods.fusion.characters import make_tables

TABLES = make_tables()


class Measured:
    """The results of `measure_texts`, by name."""

    def __init__(self, *texts: str, links: tuple[int, ...] = (), stated: tuple[str, str, str] = ("", "", "")) -> None:
        count = len(texts)
        names = (*TEXT_NAMES, *SHARED_NAMES)
        features = np.full((len(names), count), np.nan, np.float32)
        self.words = np.zeros((count, MAX_BLOCK_WORDS), np.uint32)
        self.sums = np.zeros((SUMS, count + 1))
        buffers = [values.reshape(-1).data for values in (features, self.words, self.sums)]
        output = TextOutput(buffers[0], len(TEXT_NAMES), *buffers[1:])
        measure_texts(list(texts), array("i", links or (0,) * count), StatedWords(TABLES, *stated), output)
        assert np.isfinite(features).all()
        self.columns = dict(zip(names, features.tolist(), strict=True))


def hash_words(text: str) -> list[int]:
    """Return the hashes of the words of a text."""
    reader = TextReader(TABLES)
    return list(reader.hashes[: reader.read_words(text)])


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Read more: All the news", "READ MORE all the NEWS"),
        ("»By John O'Neil«", "by john o neil"),
        ("Čeština, dnes", "čEŠTINA dnes"),
    ],
)
def test_case_and_punctuation_do_not_matter(text: str, other: str) -> None:
    assert hash_words(text) == hash_words(other)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        *(("two words", 2), ("相关新闻", 4), ("ab相c", 3), ("3 Kommentare", 2), ("a-b", 2), ("\ud800 lone", 1)),
        *(("...", 0), ("😀", 0), ("", 0), ("word " * MAX_CHARS, MAX_CHARS // 5), ("x" * (MAX_CHARS + 1), 1)),
    ],
)
def test_number_of_words(text: str, count: int) -> None:
    assert len(hash_words(text)) == count


def test_hashes_are_those_of_the_weights() -> None:
    assert hash_words("By Ann") == [410381942, 1111780882]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("chars", np.log1p([9, 1, 3, 7, 5, 2])),
        ("words", np.log1p([2, 1, 2, 1, 1, 2])),
        ("quote_share", [10 / 9, 0, 0, 0, 0, 0]),
        ("unspaced_share", [0, 0, 0, 0, 0, 1]),
        ("ends", np.log1p([1, 0, 0, 3, 1, 0])),
        ("ends_sentence", [1, 0, 0, 1, 1, 0]),
        ("ends_cut", [0, 0, 0, 1, 1, 0]),
        ("ends_lower", [0, 1, 0, 0, 0, 0]),
        ("starts_upper", [1, 0, 1, 0, 0, 0]),
        ("starts_lower", [0, 1, 0, 1, 1, 0]),
        ("lines", np.log1p([0, 0, 1, 0, 0, 0])),
        ("links", [0, 1, 0, 0, 0, 0]),
    ],
)
def test_features(name: str, values: list[float]) -> None:
    measured = Measured("He said.”", "x", "A\nB", "wait...", "more…", "相关", links=(0, 1, 0, 0, 0, 0))
    assert measured.columns[name] == pytest.approx(list(values), abs=1e-6)


@pytest.mark.parametrize(("text", "is_cut"), [(".", 0), ("..", 1), ("...", 1), ("a..", 0), ("a...", 1), ("…", 1)])
def test_cut_texts(text: str, is_cut: int) -> None:
    assert Measured(text).columns["ends_cut"] == [is_cut]


def test_characters_beyond_the_tables() -> None:
    measured = Measured("\ud800 the", "😀😀", "ab相c" * 90)
    assert (measured.words > 0).sum(axis=1).tolist() == [1, 0, MAX_BLOCK_WORDS]
    assert measured.columns["other_share"] == pytest.approx([10 / 5, 10, 0])
    assert measured.columns["unspaced_share"] == pytest.approx([0, 0, 1 / 4])


def test_features_of_very_long_texts() -> None:
    measured = Measured("word, " * 5000)
    assert measured.columns["chars"] == pytest.approx([np.log1p(30_000)])
    assert measured.columns["commas"] == pytest.approx([np.log1p(5000)])


def test_shared_words() -> None:
    stated = ("Ferry returns to the harbour", "", "Ann Lee")
    measured = Measured("The ferry sails", "Nothing", "...", "Ferry by Ann Lee, Ann", stated=stated)
    assert measured.columns["title_share"] == pytest.approx([2 / 3, 0, 0, 1 / 5])
    assert measured.columns["description_share"] == [0, 0, 0, 0]
    assert measured.columns["author_share"] == pytest.approx([0, 0, 0, 1])


def test_first_words_of_each_text() -> None:
    words = Measured("By Ann", "...", "word " * 20).words
    assert (words > 0).sum(axis=1).tolist() == [2, 0, MAX_BLOCK_WORDS]
    assert words[0, :2].tolist() == hash_words("by ann")


def test_running_sums() -> None:
    sums = Measured("a, b.", "x" * 100, "y" * 100, links=(2, 29, 30)).sums
    assert sums.tolist() == [
        [0, 5, 105, 205],  # characters
        [0, 2, 31, 61],  # in links
        [0, 2, 2, 2],  # commas and sentence ends
        [0, 0, 1, 1],  # long texts with few links
        [0, 0, 100, 100],  # characters in these
    ]
