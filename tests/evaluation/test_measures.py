"""Measures of texts, on examples that can be counted by hand."""

from __future__ import annotations

import pytest

from broadsheet.blocks import segment
from broadsheet.evaluation.measures import (
    Hits,
    count_blocks,
    count_nodes,
    count_snippets,
    measure_calibration,
    measure_edit_distance,
    measure_speed,
    score_authors,
    score_date,
    score_rouge_lsum,
    score_shingles,
    score_title,
    score_words,
)
from broadsheet.page import TEXT, read_page


def flags(text: str) -> list[bool]:
    return [char == "1" for char in text]


def test_ignored_blocks_are_not_counted() -> None:
    assert count_blocks(flags("11010"), flags("10110"), flags("00001")) == Hits(right=2, extra=1, missed=1, left_out=0)
    assert count_blocks(flags("1"), flags("0"), flags("1")) == Hits(0, 0, 0, 0)


def test_nodes_are_the_elements_of_the_page() -> None:
    page = read_page("<div><p>one<p>two<p>three</div>")
    blocks = segment(page)
    elements = sum(tag != TEXT for tag in page.nodes.tag)
    hits = count_nodes(blocks, flags("110"), flags("011"), flags("000"), elements)
    assert (hits.right, hits.extra, hits.missed) == (1, 1, 1)
    assert hits.left_out == elements - 3


def test_an_element_with_two_blocks_counts_once() -> None:
    page = read_page("<div>one<br><br>two</div>")
    blocks = segment(page)
    assert len(blocks) == 2
    assert count_nodes(blocks, flags("11"), flags("11"), flags("00"), 10) == Hits(1, 0, 0, 9)


def test_a_calibrated_method_has_no_error() -> None:
    calibration = measure_calibration([0.55, 0.55, 0.95], [0.5, 0.6, 0.95])
    assert calibration is not None
    assert calibration.error == pytest.approx(0)
    assert [(point.pages, point.low) for point in calibration.bins] == [(2, 0.5), (1, 0.9)]


def test_the_error_is_weighted_by_pages() -> None:
    calibration = measure_calibration([1.0, 1.0, 1.0, 0.2], [0.5, 0.5, 0.5, 0.2])
    assert calibration is not None
    assert calibration.error == pytest.approx(0.375)


def test_no_pages_give_no_calibration() -> None:
    assert measure_calibration([], []) is None


def test_speed() -> None:
    speed = measure_speed([0.001 * number for number in range(101)])
    assert speed is not None
    assert (speed.median, speed.p95) == pytest.approx((50, 95))
    assert measure_speed([]) is None


@pytest.mark.parametrize(
    ("output", "gold", "score"),
    [
        ("Harbour – “open”", "harbour: open", 1),
        ("Harbour open | Courier", "Harbour open", 0),
        (None, "Harbour", 0),
        ("", "Harbour", 0),
    ],
)
def test_title(output: str | None, gold: str, score: float) -> None:
    assert score_title(output, gold) == score


@pytest.mark.parametrize(
    ("output", "gold", "score"),
    [
        ("2020-01-02", "2020-01-02", 1),
        ("2020-01-02T23:00:00", "2020-01-02", 1),
        ("2020-01-03", "2020-01-02", 0),
        ("2020-01-03T01:00:00+02:00", "2020-01-02T23:00:00+00:00", 1),  # the same moment in two time zones
        ("2020-01-03T01:00:00", "2020-01-02T23:00:00+00:00", 0),  # the zone of one is unknown
        ("yesterday", "2020-01-02", 0),
        (None, "2020-01-02", 0),
        ("", "2020-01-02", 0),
    ],
)
def test_date(output: str | None, gold: str, score: float) -> None:
    assert score_date(output, gold) == score


@pytest.mark.parametrize(
    ("output", "gold", "score"),
    [
        (["Ann Lee"], ["ANN LEE"], 1),
        (["Bo Ek", "Ann Lee"], ["Ann Lee", "Bo Ek"], 1),
        (["Ann Lee", "Staff"], ["Ann Lee"], 2 / 3),
        ([], ["Ann Lee"], 0),
        (["Ann Lee"], [], 0),
        ([], [], 1),
    ],
)
def test_authors(output: list[str], gold: list[str], score: float) -> None:
    assert score_authors(output, gold) == pytest.approx(score)


def test_snippets() -> None:
    output = "The  Harbour\nopened. Subscribe now!"
    hits = count_snippets(output, ["the harbour opened", "ships came"], ["subscribe now", "imprint", "cookies"])
    assert hits == Hits(right=1, missed=1, extra=1, left_out=2)


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
