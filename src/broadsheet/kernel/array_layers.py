"""Layers of the block network between its matrix products, in NumPy: see `layers`, which describes the functions."""

from __future__ import annotations

from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]


def clip_features(features: Floats, mean: Floats, max_distance: Floats, clipped: Floats) -> None:
    """Do the same as `layers.clip_features`."""
    limit = max_distance[:, None]
    distance = features - mean[:, None]
    np.maximum(distance, -limit, out=distance)
    np.minimum(distance, limit, out=distance)
    clipped[:] = distance.T


def find_used(containers: Indices, numbers: Indices, used: Indices) -> int:
    """Do the same as `layers.find_used`."""
    numbers[containers] = 1
    present = np.flatnonzero(numbers)
    count = len(present)
    numbers[present] = np.arange(count)
    used[:count] = present
    return count


def add_convolution(state: Floats, parts: Floats, bias: Floats, reach: int) -> None:
    """Do the same as `layers.add_convolution`."""
    number, width = len(state), len(bias)
    change = parts[:, width : 2 * width] + bias
    if reach < number:
        change[reach:] += parts[:-reach, :width]
        change[:-reach] += parts[reach:, 2 * width :]
    np.maximum(change, 0, out=change)
    state += change


def sum_running(values: Floats, running: Floats) -> None:
    """Do the same as `layers.sum_running`."""
    running[0] = 0
    np.cumsum(values, axis=0, out=running[1:])


def average_rows(running: Floats, first: Indices, end: Indices, means: Floats) -> None:
    """Do the same as `layers.average_rows`."""
    np.subtract(running.take(end, axis=0), running.take(first, axis=0), out=means)
    means *= np.reciprocal((end - first).astype(np.float32))[:, None]


def add_rows(state: Floats, table: Floats, rows: Indices) -> None:
    """Do the same as `layers.add_rows`."""
    state += table.take(rows, axis=0)


def add_positive(state: Floats, change: Floats, bias: Floats) -> None:
    """Do the same as `layers.add_positive`."""
    change += bias
    np.maximum(change, 0, out=change)
    state += change


def sum_words(table: Floats, rows: Indices, counts: Indices, start_words: int, sums: Floats) -> None:
    """Do the same as `layers.sum_words`."""
    half = sums.shape[1] // 2
    vectors = table.take(rows, axis=0)
    np.add.reduce(vectors[:, :start_words, :half], axis=1, out=sums[:, :half])
    np.add.reduce(vectors[:, :, half:], axis=1, out=sums[:, half:])
    sums[:, half:] /= np.maximum(counts, 1)[:, None]


def sum_names(table: Floats, rows: Indices, ends: Indices, sums: Floats) -> None:
    """Do the same as `layers.sum_names`."""
    running = np.zeros((len(rows) + 1, sums.shape[1]))
    np.cumsum(table.take(rows, axis=0), axis=0, out=running[1:])
    np.subtract(running.take(ends, axis=0), running.take(np.append(0, ends[:-1]), axis=0), out=sums, casting="unsafe")


def sum_outer_names(names: Floats, outer: Indices, weights: Floats, sums: Floats) -> None:
    """Do the same as `layers.sum_outer_names`."""
    half = sums.shape[1]
    padded = np.append(names[:, half:], np.zeros((1, half), np.float32), axis=0)
    around, level_outer = np.append(outer, -1), outer
    sums[:] = 0
    for weight in weights:
        sums += weight * padded.take(level_outer, axis=0, mode="wrap")
        level_outer = around.take(level_outer, mode="wrap")


def find_word_rows(  # `starts` is for the loop
    keys: NDArray[np.uint32],
    starts: Indices,  # noqa: ARG001
    hashes: NDArray[np.uint32],
    rows: Indices,
) -> None:
    """Do the same as `layers.find_word_rows`."""
    if not len(keys):
        rows[:] = 0
        return
    nearest = np.minimum(keys.searchsorted(hashes), len(keys) - 1)
    rows[:] = np.where(keys.take(nearest) == hashes, nearest + 1, 0)


def count_words(words: NDArray[np.uint32], counts: Indices) -> None:
    """Do the same as `layers.count_words`."""
    counts[:] = np.count_nonzero(words, axis=1)


def find_name_rows(table: dict[int, int], names: list[tuple[int, ...]], ends: Indices, rows: Indices) -> None:
    """Do the same as `layers.find_name_rows`."""
    np.cumsum(np.fromiter(map(len, names), np.intp, len(names)), out=ends)
    rows[:] = np.fromiter(map(table.get, chain.from_iterable(names), repeat(0)), np.intp, len(rows))


def find_tag_rows(table: dict[str, int], tags: list[str], rows: Indices) -> None:
    """Do the same as `layers.find_tag_rows`."""
    rows[: len(tags)] = np.fromiter(map(table.get, tags, repeat(0)), np.intp, len(tags))
