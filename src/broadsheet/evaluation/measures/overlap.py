"""Precision and recall of one collection of things against another: what several measures are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """How much of the output is right, and how much of the gold was found."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        return harmonic_mean(self.precision, self.recall)


def harmonic_mean(left: float, right: float) -> float:
    """2lr / (l + r); 0 when both are 0."""
    return 2 * left * right / (left + right) if left + right else 0.0


def score_bags(output: Counter[Hashable], gold: Counter[Hashable]) -> Score:
    """Compare two bags. Nothing where nothing is due is right; an empty answer where something is due is all wrong."""
    small, large = (output, gold) if len(output) < len(gold) else (gold, output)
    return score_counts(sum(min(count, large[thing]) for thing, count in small.items()), output.total(), gold.total())


def score_counts(right: float, given: float, due: float) -> Score:
    """Compare counts: right ones, given ones, due ones."""
    if not given and not due:
        return Score(1.0, 1.0)
    return Score(right / given if given else 0.0, right / due if due else 0.0)
