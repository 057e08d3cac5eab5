"""A linear-chain conditional random field with two labels.

With two labels, one number per item is enough: the log-odds of label 1. The same holds for the messages that the
forward-backward algorithm passes. Pages have some hundred items; plain Python is faster than NumPy at that size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

_MAX_LOG_ODDS = 500.0  # clipped here, so that exp does not overflow


@dataclass(frozen=True, slots=True)
class Chain:
    """Scores of label pairs, and of the labels at both ends. Only differences between labels matter."""

    transitions: tuple[tuple[float, float], tuple[float, float]]  # [from][to]
    first: tuple[float, float]
    last: tuple[float, float]


def find_marginals(scores: Sequence[float], chain: Chain) -> list[float]:
    """Return the probability of label 1 of each item, given the log-odds of each item alone (forward-backward)."""
    if not scores:
        return []
    low = min(min(row) for row in chain.transitions)
    (e00, e01), (e10, e11) = ((exp(zero - low), exp(one - low)) for zero, one in chain.transitions)
    odds = chain.first[1] - chain.first[0] + scores[0]  # log-odds from this item and all before it
    forward = [odds]
    for score in scores[1:]:
        weight = exp(max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, odds)))
        odds = score + log((e01 + weight * e11) / (e00 + weight * e10))
        forward.append(odds)
    backward = chain.last[1] - chain.last[0]  # log-odds from all items after this one
    marginals = [0.0] * len(scores)
    for item in range(len(scores) - 1, -1, -1):
        marginals[item] = _apply_sigmoid(forward[item] + backward)
        weight = exp(max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, backward + scores[item])))
        backward = log((e10 + weight * e11) / (e00 + weight * e01))
    return marginals


def find_best(scores: Sequence[float], chain: Chain) -> list[int]:
    """Return the most probable sequence of labels (Viterbi)."""
    if not scores:
        return []
    (t00, t01), (t10, t11) = chain.transitions
    zero, one = chain.first[0], chain.first[1] + scores[0]
    predecessors: list[tuple[int, int]] = []
    for score in scores[1:]:
        predecessors.append((int(one + t10 > zero + t00), int(one + t11 > zero + t01)))
        zero, one = max(zero + t00, one + t10), max(zero + t01, one + t11) + score
    labels = [int(one + chain.last[1] > zero + chain.last[0])]
    for pair in reversed(predecessors):
        labels.append(pair[labels[-1]])
    return labels[::-1]


def _apply_sigmoid(odds: float) -> float:
    if odds < -_MAX_LOG_ODDS:
        return 0.0
    return 1.0 / (1.0 + exp(-odds))
