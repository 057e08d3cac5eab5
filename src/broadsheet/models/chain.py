"""A conditional random field over a chain of two labels: what it says of each place.

With two labels, all that matters of a place is one number, the log-odds of label 1, and so it is with what the places
before and behind tell of it. Plain Python: a page has some hundred places, and NumPy would take longer for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

_FAR = 500.0  # log-odds beyond this are certain, and exp must not overflow


@dataclass(frozen=True, slots=True)
class Chain:
    """Scores of label pairs and of the ends; what is added to both labels alike does not matter."""

    transitions: tuple[tuple[float, float], tuple[float, float]]  # [from][to]
    first: tuple[float, float]
    last: tuple[float, float]


def find_marginals(scores: Sequence[float], chain: Chain) -> list[float]:
    """Probability of label 1 at every place, given the log-odds that each has by itself (forward-backward)."""
    if not scores:
        return []
    low = min(min(row) for row in chain.transitions)
    (e00, e01), (e10, e11) = ((exp(zero - low), exp(one - low)) for zero, one in chain.transitions)
    odds = chain.first[1] - chain.first[0] + scores[0]  # log-odds by this place and all before it
    before = [odds]
    for score in scores[1:]:
        weight = exp(max(-_FAR, min(_FAR, odds)))
        odds = score + log((e01 + weight * e11) / (e00 + weight * e10))
        before.append(odds)
    behind = chain.last[1] - chain.last[0]  # log-odds by all behind this place
    found = [0.0] * len(scores)
    for at in range(len(scores) - 1, -1, -1):
        found[at] = _squash(before[at] + behind)
        weight = exp(max(-_FAR, min(_FAR, behind + scores[at])))
        behind = log((e10 + weight * e11) / (e00 + weight * e01))
    return found


def find_best(scores: Sequence[float], chain: Chain) -> list[int]:
    """The best labels taken together (Viterbi)."""
    if not scores:
        return []
    (t00, t01), (t10, t11) = chain.transitions
    zero, one = chain.first[0], chain.first[1] + scores[0]
    came_from: list[tuple[int, int]] = []
    for score in scores[1:]:
        came_from.append((int(one + t10 > zero + t00), int(one + t11 > zero + t01)))
        zero, one = max(zero + t00, one + t10), max(zero + t01, one + t11) + score
    labels = [int(one + chain.last[1] > zero + chain.last[0])]
    for pair in reversed(came_from):
        labels.append(pair[labels[-1]])
    return labels[::-1]


def _squash(odds: float) -> float:
    if odds < -_FAR:
        return 0.0
    return 1.0 / (1.0 + exp(-odds))
