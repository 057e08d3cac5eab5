from __future__ import annotations

import random

import pytest

from broadsheet.evaluation.figures import MEASURES, compare_measure, estimate_measure

WORD = MEASURES["word_f1"]


def make_rows(mean: float, count: int, seed: int) -> list[dict[str, float]]:
    generator = random.Random(seed)
    return [{"word_f1": generator.uniform(mean - 0.1, mean + 0.1)} for _ in range(count)]


def test_the_interval_contains_the_value_and_narrows_with_more_pages() -> None:
    few, many = estimate_measure(WORD, make_rows(0.8, 20, 1)), estimate_measure(WORD, make_rows(0.8, 2_000, 1))
    assert few is not None
    assert many is not None
    assert few.low < few.value < few.high
    assert many.high - many.low < (few.high - few.low) / 4
    assert few.pages == 20


def test_estimates_are_deterministic() -> None:
    rows = make_rows(0.8, 50, 1)
    assert estimate_measure(WORD, rows) == estimate_measure(WORD, rows)


def test_pages_without_the_label_do_not_count() -> None:
    result = estimate_measure(WORD, [{"word_f1": 0.5}, {}, {"date": 1.0}])
    assert result is not None
    assert (result.value, result.pages) == (0.5, 1)
    assert estimate_measure(WORD, [{}]) is None


def test_shingle_f1_is_the_f1_of_the_means() -> None:
    rows = [{"shingle_precision": 1.0, "shingle_recall": 0.0}, {"shingle_precision": 0.5, "shingle_recall": 1.0}]
    result = estimate_measure(MEASURES["shingle_f1"], rows)
    assert result is not None
    assert result.value == pytest.approx(2 * 0.75 * 0.5 / 1.25)


def test_pooled_measures_count_blocks_and_not_pages() -> None:
    rows = [
        {"block_right": 9.0, "block_extra": 1.0, "block_missed": 0.0, "block_left_out": 0.0},
        {"block_right": 0.0, "block_extra": 0.0, "block_missed": 1.0, "block_left_out": 5.0},
    ]
    precision, recall = (estimate_measure(MEASURES[name], rows) for name in ("block_precision", "block_recall"))
    assert precision is not None
    assert recall is not None
    assert (precision.value, recall.value) == pytest.approx((0.9, 0.9))


def test_node_averages_equal_those_of_scikit_learn() -> None:
    rows = [{"node_right": 8.0, "node_extra": 2.0, "node_missed": 4.0, "node_left_out": 86.0}]
    values = {}
    for name in ("node_micro_f1", "node_macro_precision", "node_macro_recall", "node_macro_f1"):
        result = estimate_measure(MEASURES[name], rows)
        assert result is not None
        values[name] = result.value
    assert values["node_micro_f1"] == pytest.approx(0.94)
    assert values["node_macro_precision"] == pytest.approx((8 / 10 + 86 / 90) / 2)
    assert values["node_macro_recall"] == pytest.approx((8 / 12 + 86 / 88) / 2)
    assert values["node_macro_f1"] == pytest.approx((16 / 22 + 172 / 178) / 2)


def test_f1_without_any_blocks_is_zero() -> None:
    result = estimate_measure(MEASURES["block_f1"], [dict.fromkeys(MEASURES["block_f1"].columns, 0.0)])
    assert result is not None
    assert result.value == 0


def test_significance_of_a_difference() -> None:
    ours, theirs = make_rows(0.9, 100, 1), make_rows(0.8, 100, 2)
    real, noise = compare_measure(WORD, ours, theirs), compare_measure(WORD, make_rows(0.8, 100, 3), theirs)
    assert real is not None
    assert noise is not None
    assert real.is_significant
    assert real.low > 0
    assert not noise.is_significant
    assert noise.low < 0 < noise.high


def test_differences_are_symmetric() -> None:
    ours, theirs = make_rows(0.9, 30, 1), make_rows(0.88, 30, 2)
    forward, backward = compare_measure(WORD, ours, theirs), compare_measure(WORD, theirs, ours)
    assert forward is not None
    assert backward is not None
    assert forward.value == pytest.approx(-backward.value)
    assert forward.p_value == pytest.approx(backward.p_value)


def test_equal_answers_have_no_difference() -> None:
    rows = make_rows(0.9, 30, 1)
    result = compare_measure(WORD, rows, rows)
    assert result is not None
    assert (result.value, result.p_value) == (0, 1)
