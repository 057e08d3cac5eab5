from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from broadsheet.embeddings import WordVectors, load_words
from broadsheet.embeddings.subwords import MAX_CHARS, hash_words
from broadsheet.embeddings.words import RARE, SIF_A

COLUMNS = 6
RARE_WORDS = ["zebra", "quagga"]


def make_words(frequent: dict[str, int] | None = None, component: list[float] | None = None) -> WordVectors:
    """A small table of random rows, and frequencies of some words as levels."""
    random = np.random.default_rng(3)
    levels = frequent or {"the": 40}
    pieces = hash_words(list(levels))
    keys = pieces.hashes[pieces.start[:-1], 0]
    order = np.argsort(keys)
    return WordVectors(
        random.integers(-127, 128, (50, COLUMNS)).astype(np.int8),
        random.random(COLUMNS, np.float32),
        keys[order],
        np.array(list(levels.values()), np.uint8)[order],
        np.array(component or [1, *[0] * (COLUMNS - 1)], np.float32),
    )


@pytest.mark.parametrize(
    ("word", "count"),
    [
        ("", 1),  # "<>" is shorter than a piece
        ("a", 1),
        ("ab", 2),  # "<ab>" as the word, and again as a piece of four
        ("abc", 4),  # "<abc>" as the word, "<abc", "abc>", "<abc>"
        ("byline", 10),
        ("字", 1),
        ("straße", 10),  # characters count, not bytes
        ("правительство", 24),
        ("𝒳𝒳𝒳𝒳𝒳𝒳", 10),
        ("x" * 500, 78),
        ("a<b>c", 4),  # brackets are never part of a word
        ("\ud800", 1),
    ],
)
def test_a_word_is_cut_into_pieces_of_four_and_five_characters(word: str, count: int) -> None:
    pieces = hash_words([word])
    assert pieces.start.tolist() == [0, count]


# First two quarters of MurmurHash3_x64_128, as floret itself computes them.
REFERENCE = [
    ("a", (2851496305, 347028722)),
    ("byline", (2984419227, 2344041493)),
    ("字", (712982163, 2559298472)),
    ("straße", (696768387, 3836846576)),
    ("правительство", (2837889330, 696506855)),  # over 16 bytes
    ("internationalisation", (1146652449, 4227570177)),
    ("schifffahrtsgesellschaftskapitän", (2186351153, 726875019)),  # over 32 bytes
]


@pytest.mark.parametrize(("word", "quarters"), REFERENCE)
def test_hashes_are_those_of_floret(word: str, quarters: tuple[int, int]) -> None:
    assert tuple(hash_words([word]).hashes[0].tolist()) == quarters


def test_words_hash_alike_alone_and_among_others() -> None:
    words = ["the", "字", "straße", "internationalisierung", "правительство", "", "a"]
    together = hash_words(words)
    for at, word in enumerate(words):
        alone = hash_words([word])
        assert np.array_equal(together.hashes[together.start[at] : together.start[at + 1]], alone.hashes)


def test_no_words() -> None:
    words = make_words()
    assert words.vectors([]).shape == (0, COLUMNS)
    assert words.frequency([]).shape == (0,)
    assert words.sif([]).shape == (0, COLUMNS)


def test_a_vector_is_the_mean_of_the_rows_of_its_pieces() -> None:
    words = make_words()
    pieces = hash_words(["byline"])
    random = np.random.default_rng(3)
    table = random.integers(-127, 128, (50, COLUMNS)).astype(np.int8)
    scale = random.random(COLUMNS, np.float32)
    expected = table[(pieces.hashes % 50).ravel()].mean(0) * scale
    assert np.allclose(words.vectors(["byline"])[0], expected, rtol=1e-5)


def test_long_words_do_not_overflow() -> None:
    table, scale = np.full((3, 2), 127, np.int8), np.ones(2, np.float32)
    words = WordVectors(table, scale, np.zeros(1, np.uint32), np.zeros(1, np.uint8), np.zeros(2, np.float32))
    assert np.allclose(words.vectors(["x" * 10_000]), 127)


def test_frequencies_are_stored_in_steps_of_a_logarithm() -> None:
    words = make_words({"the": 40, "of": 64})
    assert np.allclose(words.frequency(["of", "the", *RARE_WORDS]), [0.01, 10 ** (-40 / 32), RARE, RARE], rtol=1e-5)


def test_sentences_are_weighted_means_without_the_common_component() -> None:
    words = make_words({"the": 32})
    vectors = words.vectors(["the", "zebra"])
    mean = (vectors[0] * SIF_A / (SIF_A + 0.1) + vectors[1] * SIF_A / (SIF_A + RARE)) / 2
    mean[0] = 0  # the component is the first axis
    found = words.sif([[], ["the", "zebra"], [], ["zebra"]])
    assert np.allclose(found[1], mean, atol=1e-4)
    assert not found[0].any()
    assert not found[2].any()
    assert found[3].any()


def test_projected_words_make_projected_sentences() -> None:
    words = make_words(component=[0.6, 0.8, 0, 0, 0, 0])
    matrix = np.random.default_rng(0).random((COLUMNS, 4), np.float32)
    texts = [["the", "zebra", "byline"], [], ["quagga"]]
    projected = words.project(words.centring @ matrix)
    assert projected.columns == 4
    assert np.allclose(projected.sif(texts), words.sif(texts) @ matrix, atol=1e-3)


def test_what_is_kept_is_bounded_and_does_not_change_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.embeddings.words._KEPT_WORDS", 10)
    monkeypatch.setattr("broadsheet.embeddings.words._AT_A_TIME", 4)
    monkeypatch.setattr("broadsheet.embeddings.words._WORDS_OF_SENTENCES", 7)
    few, many = make_words(), [f"word{number}" for number in range(40)]
    texts = [many[at : at + 3] for at in range(0, 40, 3)]
    monkeypatch.undo()
    plain = make_words()
    assert np.array_equal(few.vectors(many), plain.vectors(many))
    assert np.array_equal(few.vectors(many[:3]), plain.vectors(many[:3]))
    assert np.array_equal(few.sif(texts), plain.sif(texts))


def test_threads_get_the_same_answers() -> None:
    words, plain = make_words(), make_words()
    asked = [[f"w{number * step}" for number in range(200)] for step in range(1, 9)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(words.vectors, asked))
    for given, answer in zip(asked, answers, strict=True):
        assert np.array_equal(answer, plain.vectors(given))


NEIGHBOURS = [
    ("government", "minister", "shirt"),
    ("police", "arrested", "recipe"),
    ("regierung", "bundestag", "recipe"),
    ("sidebar", "widget", "police"),
    ("правительство", "президент", "football"),
]


@pytest.mark.parametrize(("word", "near", "far"), NEIGHBOURS)
def test_shipped_vectors_know_related_words(word: str, near: str, far: str) -> None:
    one, other, third = load_words().vectors([word, near, far])
    assert cosine(one, other) > cosine(one, third) + 0.1


def test_shipped_frequencies_know_small_words_of_many_languages() -> None:
    words = load_words()
    assert (words.frequency("the die и 的 le y".split()) > 5e-3).all()
    assert (words.frequency(["zebrastreifen", "x" * MAX_CHARS]) == np.float32(RARE)).all()


def cosine(one: Any, other: Any) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
