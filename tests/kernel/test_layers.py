"""The loops of the network's layers give the same numbers as the NumPy expressions."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from broadsheet.kernel import array_layers, layers

RANDOM = np.random.default_rng(0)
NUMBER, WIDTH = 7, 4


def make(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return RANDOM.normal(size=shape).astype(np.float32)


STATE, PARTS, BIAS, TABLE = make(NUMBER, WIDTH), make(NUMBER, 3 * WIDTH), make(WIDTH), make(5, WIDTH)
TABLE[0] = 0
ROWS = np.array([0, 4, 2, 2, 0, 1, 3])
KEYS = np.array([5, 1 << 20, (1 << 20) + 3, 0xFFFF_FFFF], np.uint32)


def test_clip_features() -> None:
    results = []
    for module in (layers, array_layers):
        clipped = np.empty((WIDTH, NUMBER), np.float32)
        module.clip_features(STATE, STATE[:, 0].copy(), np.full(NUMBER, 0.5, np.float32), clipped)
        results.append(clipped)
    assert results[0].tolist() == results[1].tolist()
    assert results[0][0].tolist() == [0] * NUMBER
    assert np.abs(results[0]).max() == 0.5


def test_find_used() -> None:
    containers = np.array([4, 1, 1, 4, 2])
    for module in (layers, array_layers):
        numbers, used = np.zeros(6, np.intp), np.empty(6, np.intp)
        assert module.find_used(containers, numbers, used) == 3
        assert used[:3].tolist() == [1, 2, 4]
        assert numbers[containers].tolist() == [2, 0, 0, 2, 1]


def convolve(module: ModuleType, reach: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    state = STATE.copy()
    module.add_convolution(state, PARTS.copy(), BIAS, reach)
    return state


@pytest.mark.parametrize("reach", [1, 2, 6, 7, 8])
def test_add_convolution(reach: int) -> None:
    assert convolve(layers, reach) == pytest.approx(convolve(array_layers, reach), abs=1e-6)


def test_average_rows() -> None:
    first, end = np.array([0, 2, 6]), np.array([7, 3, 7])
    results = []
    for module in (layers, array_layers):
        running, means = np.empty((NUMBER + 1, WIDTH), np.float32), np.empty((3, WIDTH), np.float32)
        module.sum_running(STATE, running)
        module.average_rows(running, first, end, means)
        results.append(means)
    assert results[0] == pytest.approx(results[1], abs=1e-6)
    assert results[0][1] == pytest.approx(STATE[2], abs=1e-6)


def test_add_rows_and_positive_parts() -> None:
    results = []
    for module in (layers, array_layers):
        state, change = STATE.copy(), PARTS[:, :WIDTH].copy()
        module.add_rows(state, TABLE, ROWS)
        module.add_positive(state, change, BIAS)
        results.append(state)
    assert results[0] == pytest.approx(results[1], abs=1e-6)


def test_sum_words() -> None:
    rows, counts = np.array([[1, 0, 3, 4], [0, 0, 0, 0], [2, 2, 0, 1]]), np.array([4, 0, 3])
    results = [np.empty((3, WIDTH), np.float32), np.empty((3, WIDTH), np.float32)]
    layers.sum_words(TABLE, rows, counts, 2, results[0])
    array_layers.sum_words(TABLE, rows, counts, 2, results[1])
    assert results[0] == pytest.approx(results[1], abs=1e-6)
    assert results[0][1].tolist() == [0] * WIDTH


@pytest.mark.parametrize(("rows", "ends"), [([1, 2, 0, 4], [0, 2, 2, 4]), ([], [0, 0, 0, 0])])
def test_sum_names(rows: list[int], ends: list[int]) -> None:
    results = [np.empty((4, WIDTH), np.float32), np.empty((4, WIDTH), np.float32)]
    layers.sum_names(TABLE, np.array(rows, np.intp), np.array(ends), results[0])
    array_layers.sum_names(TABLE, np.array(rows, np.intp), np.array(ends), results[1])
    assert results[0] == pytest.approx(results[1], abs=1e-6)


def test_sum_outer_names() -> None:
    outer, weights = np.array([-1, 0, 1, 2, 0, -1, 3]), np.array([1, 0.5], np.float32)
    results = [np.empty((NUMBER, WIDTH // 2), np.float32), np.empty((NUMBER, WIDTH // 2), np.float32)]
    layers.sum_outer_names(STATE, outer, weights, results[0])
    array_layers.sum_outer_names(STATE, outer, weights, results[1])
    assert results[0] == pytest.approx(results[1], abs=1e-6)
    assert results[0][0].tolist() == [0] * (WIDTH // 2)


@pytest.mark.parametrize("keys", [KEYS, KEYS[:0]])
def test_find_word_rows(keys: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> None:
    starts = keys.searchsorted(np.arange(2**12 + 1) << 20)
    hashes = np.array([0, 5, 6, 1 << 20, (1 << 20) + 2, (1 << 20) + 3, 0xFFFF_FFFF, 0x8000_0000], np.uint32)
    results = [np.empty(len(hashes), np.intp), np.empty(len(hashes), np.intp)]
    layers.find_word_rows(keys, starts, hashes, results[0])
    array_layers.find_word_rows(keys, starts, hashes, results[1])
    assert results[0].tolist() == results[1].tolist() == ([0, 1, 0, 2, 0, 3, 4, 0] if len(keys) else [0] * 8)


def test_find_name_and_tag_rows() -> None:
    for module in (layers, array_layers):
        ends, names, tags = np.empty(3, np.intp), np.empty(3, np.intp), np.zeros(3, np.intp)
        module.find_name_rows({7: 2, 9: 1}, [(7, 8), (), (9,)], ends, names)
        module.find_tag_rows({"p": 4}, ["p", "x"], tags)
        assert (ends.tolist(), names.tolist(), tags.tolist()) == ([2, 2, 3], [2, 0, 1], [4, 0, 0])


def test_count_words() -> None:
    words = np.array([[5, 0, 0], [1, 2, 3], [0, 0, 0]], np.uint32)
    for module in (layers, array_layers):
        counts = np.empty(3, np.intp)
        module.count_words(words, counts)
        assert counts.tolist() == [1, 3, 0]
