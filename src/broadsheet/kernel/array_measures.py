"""Features of blocks that depend on their places, in NumPy: see `measures`, which describes the functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.kernel.measures import CONTAINER_NAMES, SENTENCE_CHARS, BlockPlaces, Doubles, Floats, Indices
from broadsheet.kernel.texts import MIN_LONG_CHARS


def measure_containers(places: BlockPlaces, features: Any) -> None:
    """Do the same as `measures.measure_containers`."""
    first_block, end_block = np.asarray(places.first_block), np.asarray(places.end_block)
    enclosing = np.asarray(places.enclosing).reshape(-1, places.number)[: places.levels]
    running = _read_sums(places)
    chars, link_chars, punctuation, long_blocks, long_chars = running.take(end_block, 1) - running.take(first_block, 1)
    size, some_chars = end_block - first_block, np.maximum(chars, 1)
    table = np.empty((len(CONTAINER_NAMES), len(size)), np.float32)
    table[0] = np.log1p(chars)
    table[1] = chars / _total(running[0])
    table[2] = link_chars / some_chars
    table[3] = punctuation * (SENTENCE_CHARS / some_chars)
    table[4] = np.log1p(long_blocks)
    table[5] = long_chars / _total(running[-1])
    table[6] = np.log1p(size)
    levels = _read_features(features, places.number).reshape(-1, *enclosing.shape)  # (names, levels, n)
    table.take(enclosing, axis=1, out=levels[:-1], mode="clip")
    before = np.arange(places.number) - first_block.take(enclosing)
    np.divide(before, size.take(enclosing), out=levels[-1], casting="unsafe")


def measure_positions(places: BlockPlaces, features: Any) -> None:
    """Do the same as `measures.measure_positions`."""
    running, position, count = _read_sums(places), np.asarray(places.position), places.positions
    blocks = np.maximum(np.bincount(position, minlength=count), 1)
    sums = (np.bincount(position, values, count) for values in np.diff(running))
    chars, link_chars, punctuation, _, long_chars = sums
    some_chars = np.maximum(chars, 1)
    table = (
        *(np.log1p(blocks), chars / _total(running[0]), link_chars / some_chars),
        *(punctuation / (some_chars / SENTENCE_CHARS), long_chars / _total(running[-1]), np.log1p(chars / blocks)),
    )
    _read_features(features, places.number)[:] = np.stack(table).take(position, axis=1)


def measure_order(places: BlockPlaces, features: Any) -> None:
    """Do the same as `measures.measure_order`."""
    running, number, index = _read_sums(places), places.number, np.arange(places.number)
    columns = _read_features(features, number)
    columns[0] = index / number
    columns[1] = np.log1p(index)
    columns[2] = np.log1p(number - index)
    columns[3] = np.log1p(number)
    columns[4] = running[0, :-1] / _total(running[0])
    columns[5] = running[-1, :-1] / _total(running[-1])
    columns[6] = np.log1p(_total(running[0]))


def measure_headline(places: BlockPlaces, headline: int, same_tags: Sequence[bool], features: Any) -> None:
    """Do the same as `measures.measure_headline`."""
    running, number, index = _read_sums(places)[0], places.number, np.arange(places.number)
    first_block, end_block = np.asarray(places.first_block), np.asarray(places.end_block)
    enclosing = np.asarray(places.enclosing)
    holds_headline = (first_block <= headline) & (headline < end_block)  # (containers,)
    level = holds_headline.take(enclosing.reshape(-1, number)).argmax(0)
    shared = enclosing.take(level * number + index)
    columns = _read_features(features, number)
    columns[0] = 1
    columns[1] = np.log1p(np.abs(index - headline)) / 3
    columns[1, :headline] *= -1
    columns[2, headline] = 1
    columns[3, headline + 1 :] = 1
    columns[4] = level / places.levels
    columns[5] = (running.take(end_block) - running.take(first_block)).take(shared) / _total(running)
    if same_tags:
        columns[6, headline + 1 :] = np.log1p(np.cumsum(same_tags))


def measure_context(contexts: Sequence[int], bits: int, features: Any) -> None:
    """Do the same as `measures.measure_context`."""
    flags = np.array(contexts, np.intp)
    _read_features(features, len(contexts))[:] = flags >> np.arange(bits)[:, None] & 1


def measure_depth(depths: Sequence[int], places: BlockPlaces, texts: Sequence[str], features: Any) -> None:
    """Do the same as `measures.measure_depth`."""
    columns, counts = _read_features(features, places.number), Counter(texts)
    columns[0] = np.array(depths).take(np.asarray(places.position)) / 10
    columns[1] = np.log1p([counts[text] - 1 for text in texts]) if len(counts) < len(texts) else 0


def sum_blocks(  # noqa: PLR0913, PLR0917
    features: Floats, rows: Indices, scores: Floats, chars: Floats, threshold: float, sums: Doubles, extremes: Doubles
) -> None:
    """Do the same as `measures.sum_blocks`."""
    body_scores = scores[:, 0].astype(np.float64)
    is_kept = body_scores > threshold
    kept_chars = chars * is_kept
    values = np.empty((len(rows) + 5, len(scores)))
    values[:-5] = features.take(rows, axis=0)
    values[-5] = 1
    values[-4] = body_scores
    values[-3] = scores[:, 1]
    values[-2] = chars > MIN_LONG_CHARS
    np.minimum(body_scores, 1 - body_scores, out=values[-1])
    weights = np.array((chars, kept_chars, is_kept), np.float64)
    sums[:] = weights @ values.T
    kept_blocks = np.flatnonzero(is_kept)
    extremes[2] = -1
    if len(kept_blocks):
        extremes[:3] = kept_chars.max(), 1 + (np.diff(kept_blocks) > 1).sum(), kept_blocks[-1]
    extremes[3:] = scores.max(0)


def _read_sums(places: BlockPlaces) -> NDArray[np.float64]:
    return np.asarray(places.sums).reshape(-1, places.number + 1)


def _read_features(features: Any, number: int) -> Floats:
    return np.asarray(features).reshape(-1, number)


def _total(running: NDArray[np.float64]) -> float:
    return max(float(running[-1]), 1.0)
