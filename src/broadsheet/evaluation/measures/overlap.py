"""Precision and recall of one multiset against another, used by several measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return harmonic_mean(self.precision, self.recall)


def harmonic_mean(left: float, right: float) -> float:
    """Return 2lr / (l + r), or 0 if both are 0."""
    return 2 * left * right / (left + right) if left + right else 0.0


def score_bags(output: Counter[Hashable], gold: Counter[Hashable]) -> Score:
    """Compare two multisets. Two empty ones score 1; one empty and one not score 0."""
    small, large = (output, gold) if len(output) < len(gold) else (gold, output)
    common = sum(min(count, large[item]) for item, count in small.items())
    return score_counts(common, output.total(), gold.total())


def score_counts(common: float, output: float, gold: float) -> Score:
    """Return the score of counts: items in both, items of the output, items of the gold."""
    if not output and not gold:
        return Score(1.0, 1.0)
    return Score(common / output if output else 0.0, common / gold if gold else 0.0)
