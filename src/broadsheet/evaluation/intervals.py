"""Bootstrap intervals of measures, and paired tests between contenders.

Intervals are 95 % percentile bootstrap intervals over pages (Efron and Tibshirani 1993). Tests are approximate
randomisation tests (Noreen 1989): the two contenders' rows are swapped on random pages, and the p-value is the share of
rounds in which the difference is at least as large as the measured one. Both are seeded and pages are sorted by id, so
the same results give the same figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.evaluation.measure_table import Measure, Numbers

ROUNDS = 1000
MAX_P_VALUE = 0.05  # of a significant difference
_SEED = 20240229
_MAX_CELLS = 4_000_000  # rounds x pages of one batch of draws


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float
    pages: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The figure of one contender minus that of another on the same pages."""

    value: float
    low: float
    high: float
    p_value: float
    pages: int

    @property
    def is_significant(self) -> bool:
        """Whether the difference is unlikely to be due to chance."""
        return self.p_value < MAX_P_VALUE


def estimate_measure(measure: Measure, rows: Sequence[Mapping[str, float]], *, rounds: int = ROUNDS) -> Estimate | None:
    """Compute a measure over pages, given the columns of each page; None when no page has the measure's columns."""
    values = _select_values(measure, rows)
    if values is None:
        return None
    value = float(_combine(measure, values.mean(axis=0)))
    if not rounds or len(values) < 2:
        return Estimate(value, value, value, len(values))
    draws = np.concatenate(
        [_combine(measure, weights @ values / len(values)) for weights in _draw_weights(len(values), rounds)]
    )
    low, high = np.percentile(draws, (2.5, 97.5))
    return Estimate(value, float(low), float(high), len(values))


def compare_measure(
    measure: Measure,
    ours: Sequence[Mapping[str, float]],
    theirs: Sequence[Mapping[str, float]],
    *,
    rounds: int = ROUNDS,
) -> Difference | None:
    """Compare two contenders; row i of both is the same page. None when no page has the columns for both."""
    names = set(measure.columns)
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if names <= a.keys() and names <= b.keys()]
    left, right = _select_values(measure, [a for a, _ in pairs]), _select_values(measure, [b for _, b in pairs])
    if left is None or right is None:
        return None
    pages = len(left)
    value = float(_combine(measure, left.mean(axis=0)) - _combine(measure, right.mean(axis=0)))
    draws = [
        _combine(measure, weights @ left / pages) - _combine(measure, weights @ right / pages)
        for weights in _draw_weights(pages, rounds)
    ]
    low, high = np.percentile(np.concatenate(draws), (2.5, 97.5))
    return Difference(value, float(low), float(high), _compute_p_value(measure, left, right, rounds), pages)


def _compute_p_value(measure: Measure, left: Numbers, right: Numbers, rounds: int) -> float:
    """Return the share of random swaps that give a difference at least as large as the measured one."""
    left_mean, right_mean = left.mean(axis=0), right.mean(axis=0)
    measured = abs(float(_combine(measure, left_mean) - _combine(measure, right_mean)))
    as_large = 0
    for swaps in _draw_swaps(len(left), rounds):
        moved = swaps @ (right - left) / len(left)
        differences = _combine(measure, left_mean + moved) - _combine(measure, right_mean - moved)
        as_large += int(np.count_nonzero(np.abs(differences) >= measured - 1e-12))
    return (as_large + 1) / (rounds + 1)


def _select_values(measure: Measure, rows: Sequence[Mapping[str, float]]) -> Numbers | None:
    """Return the measure's columns of the pages that have them all, as an array (pages, columns)."""
    values = [[row[name] for name in measure.columns] for row in rows if all(name in row for name in measure.columns)]
    return np.array(values, dtype=np.float64) if values else None


def _combine(measure: Measure, means: Numbers) -> Numbers:
    """Compute a measure of means: (columns) to a number, or (rounds, columns) to (rounds)."""
    return measure.combine({name: means[..., at] for at, name in enumerate(measure.columns)})


def _draw_weights(pages: int, rounds: int) -> Iterator[Numbers]:
    """Draw pages with replacement; yields batches (rounds, pages) of how often each page was drawn."""
    random = np.random.default_rng(_SEED)
    for count in _split_rounds(pages, rounds):
        drawn: NDArray[np.int64] = random.integers(0, pages, size=(count, pages))
        weights = np.zeros((count, pages))
        np.add.at(weights, (np.arange(count)[:, None], drawn), 1.0)
        yield weights


def _draw_swaps(pages: int, rounds: int) -> Iterator[Numbers]:
    """Draw 0 or 1 for each page; yields batches (rounds, pages)."""
    random = np.random.default_rng(_SEED + 1)
    for count in _split_rounds(pages, rounds):
        yield random.integers(0, 2, size=(count, pages)).astype(np.float64)


def _split_rounds(pages: int, rounds: int) -> Iterator[int]:
    size = max(_MAX_CELLS // max(pages, 1), 1)
    for start in range(0, rounds, size):
        yield min(size, rounds - start)
