from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from broadsheet.models.words import MAX_WORD_CHARS, RARE_FREQUENCY, SIF_A, WordVectors, hash_words, load_words

COLUMNS = 6
RARE_WORDS = ["zebra", "quagga"]


def make_words(frequent: dict[str, int] | None = None, component: list[float] | None = None) -> WordVectors:
    """Make a small table of random rows; `frequent` maps words to frequency levels."""
    random = np.random.default_rng(3)
    levels = frequent or {"the": 40}
    subwords = hash_words(list(levels))
    keys = subwords.hashes[subwords.start[:-1], 0]
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
        ("", 1),  # "<>" is shorter than an n-gram
        ("a", 1),
        ("ab", 2),  # "<ab>" as the word, and as the n-gram of four characters
        ("abc", 4),  # "<abc>" as the word, "<abc", "abc>", "<abc>"
        ("byline", 10),
        ("字", 1),
        ("straße", 10),  # counted in characters, not bytes
        ("правительство", 24),
        ("𝒳𝒳𝒳𝒳𝒳𝒳", 10),
        ("x" * 500, 78),
        ("a<b>c", 4),  # brackets are removed
        ("\ud800", 1),
    ],
)
def test_number_of_subwords(word: str, count: int) -> None:
    subwords = hash_words([word])
    assert subwords.start.tolist() == [0, count]


# First two quarters of MurmurHash3_x64_128, computed by floret.
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
def test_hashes_equal_those_of_floret(word: str, quarters: tuple[int, int]) -> None:
    assert tuple(hash_words([word]).hashes[0].tolist()) == quarters


def test_hashes_do_not_depend_on_other_words() -> None:
    words = ["the", "字", "straße", "internationalisierung", "правительство", "", "a"]
    batch = hash_words(words)
    for number, word in enumerate(words):
        single = hash_words([word])
        assert np.array_equal(batch.hashes[batch.start[number] : batch.start[number + 1]], single.hashes)


def test_no_words() -> None:
    words = make_words()
    assert words.vectors([]).shape == (0, COLUMNS)
    assert words.frequency([]).shape == (0,)
    assert words.sif([]).shape == (0, COLUMNS)


def test_vector_is_the_mean_of_subword_rows() -> None:
    words = make_words()
    subwords = hash_words(["byline"])
    random = np.random.default_rng(3)
    table = random.integers(-127, 128, (50, COLUMNS)).astype(np.int8)
    scale = random.random(COLUMNS, np.float32)
    expected = table[(subwords.hashes % 50).ravel()].mean(0) * scale
    assert np.allclose(words.vectors(["byline"])[0], expected, rtol=1e-5)


def test_long_words_do_not_overflow() -> None:
    table, scale = np.full((3, 2), 127, np.int8), np.ones(2, np.float32)
    words = WordVectors(table, scale, np.zeros(1, np.uint32), np.zeros(1, np.uint8), np.zeros(2, np.float32))
    assert np.allclose(words.vectors(["x" * 10_000]), 127)


def test_frequencies_are_stored_as_logarithmic_levels() -> None:
    words = make_words({"the": 40, "of": 64})
    assert np.allclose(
        words.frequency(["of", "the", *RARE_WORDS]), [0.01, 10 ** (-40 / 32), RARE_FREQUENCY, RARE_FREQUENCY], rtol=1e-5
    )


def test_text_vectors_are_weighted_means_without_the_common_component() -> None:
    words = make_words({"the": 32})
    the, zebra = words.vectors(["the", "zebra"])
    mean = (the * SIF_A / (SIF_A + 0.1) + zebra * SIF_A / (SIF_A + RARE_FREQUENCY)) / 2
    mean[0] = 0  # the component is the first axis
    vectors = words.sif([[], ["the", "zebra"], [], ["zebra"]])
    assert np.allclose(vectors[1], mean, atol=1e-4)
    assert not vectors[0].any()
    assert not vectors[2].any()
    assert vectors[3].any()


def test_projected_words_give_projected_text_vectors() -> None:
    words = make_words(component=[0.6, 0.8, 0, 0, 0, 0])
    matrix = np.random.default_rng(0).random((COLUMNS, 4), np.float32)
    texts = [["the", "zebra", "byline"], [], ["quagga"]]
    projected = words.project(words.centring @ matrix)
    assert projected.columns == 4
    assert np.allclose(projected.sif(texts), words.sif(texts) @ matrix, atol=1e-3)


def test_a_small_cache_gives_the_same_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.models.words._MAX_CACHED_WORDS", 10)
    monkeypatch.setattr("broadsheet.models.words._CHUNK_WORDS", 4)
    monkeypatch.setattr("broadsheet.models.words._CHUNK_TEXT_WORDS", 7)
    many = [f"word{number}" for number in range(40)]
    texts = [many[first : first + 3] for first in range(0, 40, 3)]
    bounded = make_words()
    results = bounded.vectors(many), bounded.vectors(many[:3]), bounded.sif(texts)
    monkeypatch.undo()
    reference = make_words()
    assert np.array_equal(results[0], reference.vectors(many))
    assert np.array_equal(results[1], reference.vectors(many[:3]))
    assert np.array_equal(results[2], reference.sif(texts))


def test_threads_get_the_same_vectors() -> None:
    words, reference = make_words(), make_words()
    queries = [[f"w{number * step}" for number in range(200)] for step in range(1, 9)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(words.vectors, queries))
    for query, result in zip(queries, results, strict=True):
        assert np.array_equal(result, reference.vectors(query))


NEIGHBOURS = [
    ("government", "minister", "shirt"),
    ("police", "arrested", "recipe"),
    ("regierung", "bundestag", "recipe"),
    ("sidebar", "widget", "police"),
    ("правительство", "президент", "football"),
]


@pytest.mark.parametrize(("word", "near", "far"), NEIGHBOURS)
def test_shipped_vectors_of_related_words_are_similar(word: str, near: str, far: str) -> None:
    one, other, third = load_words().vectors([word, near, far])
    assert cosine(one, other) > cosine(one, third) + 0.1


def test_shipped_frequencies_of_common_words() -> None:
    words = load_words()
    assert (words.frequency("the die и 的 le y".split()) > 5e-3).all()
    assert (words.frequency(["zebrastreifen", "x" * MAX_WORD_CHARS]) == np.float32(RARE_FREQUENCY)).all()


def cosine(one: Any, other: Any) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
