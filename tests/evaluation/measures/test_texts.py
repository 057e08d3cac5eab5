"""Measures of texts, on examples that can be counted by hand."""

from __future__ import annotations

import pytest

from broadsheet.evaluation.measures.edit_distance import measure_edit_distance
from broadsheet.evaluation.measures.exact import is_exact
from broadsheet.evaluation.measures.rouge_lsum import score_rouge_lsum
from broadsheet.evaluation.measures.shingle import score_shingles
from broadsheet.evaluation.measures.word import score_words


@pytest.mark.parametrize(
    ("output", "gold", "precision", "recall"),
    [
        ("a b c d", "a b c d", 1, 1),
        ("a b c d e", "a b c d", 1 / 2, 1),
        ("a b c d", "a b c d e", 1, 1 / 2),
        ("d c b a", "a b c d", 0, 0),  # order counts
        ("a b c d a b c d", "a b c d", 1 / 5, 1),  # a repetition does not count twice
        ("a b", "a b", 1, 1),  # a text shorter than a shingle is one shingle
        ("", "a b", 0, 0),
        ("a b", "", 0, 0),
        ("", "", 1, 1),
    ],
)
def test_shingles(output: str, gold: str, precision: float, recall: float) -> None:
    score = score_shingles(output.split(), gold.split())
    assert (score.precision, score.recall) == pytest.approx((precision, recall))


@pytest.mark.parametrize(
    ("output", "gold", "precision", "recall", "f1"),
    [
        ("d c b a", "a b c d", 1, 1, 1),  # order does not count
        ("a a a", "a b", 1 / 3, 1 / 2, 0.4),
        ("a x", "a b c d", 1 / 2, 1 / 4, 1 / 3),
        ("", "a", 0, 0, 0),
        ("", "", 1, 1, 1),
    ],
)
def test_words(output: str, gold: str, precision: float, recall: float, f1: float) -> None:
    score = score_words(output.split(), gold.split())
    assert (score.precision, score.recall, score.f1) == pytest.approx((precision, recall, f1))


@pytest.mark.parametrize(
    ("output", "gold", "precision", "recall"),
    [
        ("a b c\nd e", "a b c\nd e", 1, 1),
        ("d e\na b c", "a b c\nd e", 1, 1),  # the order of lines does not count
        ("c b a", "a b c", 1 / 3, 1 / 3),  # the order inside a line does
        ("a b\nb c", "a b c", 3 / 4, 1),  # the subsequences of both lines are united; the second b is extra
        ("x y", "a b", 0, 0),
        ("", "a", 0, 0),
    ],
)
def test_rouge_lsum(output: str, gold: str, precision: float, recall: float) -> None:
    score = score_rouge_lsum(output, gold)
    assert (score.precision, score.recall) == pytest.approx((precision, recall))


def test_rouge_lsum_of_many_different_lines_is_fast() -> None:
    left = "\n".join(f"one {number} two {number} three" for number in range(2_000))
    right = "\n".join(f"two {number} one {number} four" for number in range(2_000))
    assert 0 < score_rouge_lsum(left, right).f1 < 1


@pytest.mark.parametrize(
    ("output", "gold", "edits"),
    [("kitten", "kitten", 0), ("kitten", "sitten", 2), ("kitten", "kittens", 1), ("", "abc", 3), ("a\n b", "a b", 0)],
)
def test_edit_distance(output: str, gold: str, edits: int) -> None:
    assert measure_edit_distance(output, gold) == edits


def test_edit_distance_beyond_the_maximum_is_the_difference_in_length() -> None:
    assert measure_edit_distance("a" * 300_000, "a" * 200_000) == 100_000


def test_exact() -> None:
    assert is_exact(["a", "b"], ["a", "b"])
    assert not is_exact(["a", "b"], ["b", "a"])
