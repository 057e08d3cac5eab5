from __future__ import annotations

import random

import pytest

from broadsheet.evaluation.intervals import compare, estimate
from broadsheet.evaluation.summary import MEASURES

WORD = MEASURES["word_f1"]


def make_rows(mean: float, count: int, seed: int) -> list[dict[str, float]]:
    chance = random.Random(seed)
    return [{"word_f1": chance.uniform(mean - 0.1, mean + 0.1)} for _ in range(count)]


def test_the_interval_holds_the_value_and_narrows_with_pages() -> None:
    few, many = estimate(WORD, make_rows(0.8, 20, 1)), estimate(WORD, make_rows(0.8, 2_000, 1))
    assert few is not None
    assert many is not None
    assert few.low < few.value < few.high
    assert many.high - many.low < (few.high - few.low) / 4
    assert few.pages == 20


def test_an_estimate_is_the_same_every_time() -> None:
    rows = make_rows(0.8, 50, 1)
    assert estimate(WORD, rows) == estimate(WORD, rows)


def test_pages_without_the_label_do_not_count() -> None:
    found = estimate(WORD, [{"word_f1": 0.5}, {}, {"date": 1.0}])
    assert found is not None
    assert (found.value, found.pages) == (0.5, 1)
    assert estimate(WORD, [{}]) is None


def test_shingle_f1_is_that_of_the_means() -> None:
    rows = [{"shingle_precision": 1.0, "shingle_recall": 0.0}, {"shingle_precision": 0.5, "shingle_recall": 1.0}]
    found = estimate(MEASURES["shingle_f1"], rows)
    assert found is not None
    assert found.value == pytest.approx(2 * 0.75 * 0.5 / 1.25)


def test_pooled_measures_count_blocks_and_not_pages() -> None:
    rows = [
        {"block_right": 9.0, "block_extra": 1.0, "block_missed": 0.0, "block_left_out": 0.0},
        {"block_right": 0.0, "block_extra": 0.0, "block_missed": 1.0, "block_left_out": 5.0},
    ]
    precision, recall = (estimate(MEASURES[name], rows) for name in ("block_precision", "block_recall"))
    assert precision is not None
    assert recall is not None
    assert (precision.value, recall.value) == pytest.approx((0.9, 0.9))


def test_node_averages_as_scikit_learn_has_them() -> None:
    rows = [{"node_right": 8.0, "node_extra": 2.0, "node_missed": 4.0, "node_left_out": 86.0}]
    values = {}
    for name in ("node_micro_f1", "node_macro_precision", "node_macro_recall", "node_macro_f1"):
        found = estimate(MEASURES[name], rows)
        assert found is not None
        values[name] = found.value
    assert values["node_micro_f1"] == pytest.approx(0.94)
    assert values["node_macro_precision"] == pytest.approx((8 / 10 + 86 / 90) / 2)
    assert values["node_macro_recall"] == pytest.approx((8 / 12 + 86 / 88) / 2)
    assert values["node_macro_f1"] == pytest.approx((16 / 22 + 172 / 178) / 2)


def test_nothing_kept_is_no_division_by_zero() -> None:
    found = estimate(MEASURES["block_f1"], [dict.fromkeys(MEASURES["block_f1"].columns, 0.0)])
    assert found is not None
    assert found.value == 0


def test_a_real_difference_is_told_from_noise() -> None:
    ours, theirs = make_rows(0.9, 100, 1), make_rows(0.8, 100, 2)
    real, noise = compare(WORD, ours, theirs), compare(WORD, make_rows(0.8, 100, 3), theirs)
    assert real is not None
    assert noise is not None
    assert real.is_significant
    assert real.low > 0
    assert not noise.is_significant
    assert noise.low < 0 < noise.high


def test_a_difference_is_the_same_from_the_other_side() -> None:
    ours, theirs = make_rows(0.9, 30, 1), make_rows(0.88, 30, 2)
    here, there = compare(WORD, ours, theirs), compare(WORD, theirs, ours)
    assert here is not None
    assert there is not None
    assert here.value == pytest.approx(-there.value)
    assert here.p_value == pytest.approx(there.p_value)


def test_the_same_answers_differ_by_nothing() -> None:
    rows = make_rows(0.9, 30, 1)
    found = compare(WORD, rows, rows)
    assert found is not None
    assert (found.value, found.p_value) == (0, 1)
