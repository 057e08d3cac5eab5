"""How sure a figure is: bootstrap intervals, and paired tests between contenders.

Intervals: percentile bootstrap over pages (Efron and Tibshirani 1993), 95 %. Tests: approximate randomisation (Noreen
1989): swap the two contenders' rows on random pages, and see how often the difference is as large as the one found.
Both are seeded, and pages are taken in order of their ids: the same results give the same figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.evaluation.summary import Measure, Numbers

ROUNDS = 1000
_SEED = 20240229
_MAX_CELLS = 4_000_000  # rounds x pages that are drawn at once


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float
    pages: int


@dataclass(frozen=True, slots=True)
class Difference:
    """One contender minus another on the same pages."""

    value: float
    low: float
    high: float
    p_value: float
    pages: int

    @property
    def is_significant(self) -> bool:
        """Whether it is unlikely to be noise."""
        return self.p_value < 0.05


def estimate(measure: Measure, rows: Sequence[Mapping[str, float]], *, rounds: int = ROUNDS) -> Estimate | None:
    """A measure over pages; None when no page has what it needs."""
    values = _gather(measure, rows)
    if values is None:
        return None
    value = float(_combine(measure, values.mean(axis=0)))
    if not rounds or len(values) < 2:
        return Estimate(value, value, value, len(values))
    drawn = np.concatenate(
        [_combine(measure, weights @ values / len(values)) for weights in _draw_weights(len(values), rounds)]
    )
    low, high = np.percentile(drawn, (2.5, 97.5))
    return Estimate(value, float(low), float(high), len(values))


def compare(
    measure: Measure,
    ours: Sequence[Mapping[str, float]],
    theirs: Sequence[Mapping[str, float]],
    *,
    rounds: int = ROUNDS,
) -> Difference | None:
    """Difference of two contenders; row i of both is the same page. None when no page has what it needs."""
    names = set(measure.columns)
    pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if names <= a.keys() and names <= b.keys()]
    left, right = _gather(measure, [a for a, _ in pairs]), _gather(measure, [b for _, b in pairs])
    if left is None or right is None:
        return None
    count = len(left)
    found = float(_combine(measure, left.mean(axis=0)) - _combine(measure, right.mean(axis=0)))
    drawn = [
        _combine(measure, weights @ left / count) - _combine(measure, weights @ right / count)
        for weights in _draw_weights(count, rounds)
    ]
    low, high = np.percentile(np.concatenate(drawn), (2.5, 97.5))
    return Difference(found, float(low), float(high), _randomise(measure, left, right, found, rounds), count)


def _randomise(measure: Measure, left: Numbers, right: Numbers, found: float, rounds: int) -> float:
    """Share of random swaps that give a difference at least as large."""
    as_large = 0
    for swaps in _draw_swaps(len(left), rounds):
        moved = swaps @ (right - left) / len(left)
        gap = _combine(measure, left.mean(axis=0) + moved) - _combine(measure, right.mean(axis=0) - moved)
        as_large += int(np.count_nonzero(np.abs(gap) >= abs(found) - 1e-12))
    return (as_large + 1) / (rounds + 1)


def _gather(measure: Measure, rows: Sequence[Mapping[str, float]]) -> Numbers | None:
    """Columns of the pages that have them all: pages x columns."""
    found = [[row[name] for name in measure.columns] for row in rows if all(name in row for name in measure.columns)]
    return np.array(found, dtype=np.float64) if found else None


def _combine(measure: Measure, means: Numbers) -> Numbers:
    """Put means together: (columns) to a number, or (rounds x columns) to (rounds)."""
    return measure.combine({name: means[..., at] for at, name in enumerate(measure.columns)})


def _draw_weights(pages: int, rounds: int) -> Iterator[Numbers]:
    """How often each page is drawn in each round: rounds x pages."""
    random = np.random.default_rng(_SEED)
    for count in _batches(pages, rounds):
        drawn: NDArray[np.int64] = random.integers(0, pages, size=(count, pages))
        weights = np.zeros((count, pages))
        np.add.at(weights, (np.arange(count)[:, None], drawn), 1.0)
        yield weights


def _draw_swaps(pages: int, rounds: int) -> Iterator[Numbers]:
    random = np.random.default_rng(_SEED + 1)
    for count in _batches(pages, rounds):
        yield random.integers(0, 2, size=(count, pages)).astype(np.float64)


def _batches(pages: int, rounds: int) -> Iterator[int]:
    size = max(_MAX_CELLS // max(pages, 1), 1)
    for start in range(0, rounds, size):
        yield min(size, rounds - start)
