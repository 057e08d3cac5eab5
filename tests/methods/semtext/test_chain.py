from __future__ import annotations

from itertools import pairwise, product
from math import exp

import pytest

from broadsheet.methods.semtext.sequence import Chain, find_best, find_marginals

CHAIN = Chain(transitions=((0.7, -0.4), (-1.1, 0.9)), first=(0.3, -0.2), last=(-0.1, 0.6))
SCORES = [
    [],
    [0.4],
    [-2.0, 1.5],
    [1.0, -0.5, 0.2, 3.0, -2.5, 0.1],
]


def score_labels(labels: tuple[int, ...], scores: list[float]) -> float:
    total = CHAIN.first[labels[0]] + CHAIN.last[labels[-1]]
    total += sum(score for label, score in zip(labels, scores, strict=True) if label)
    return total + sum(CHAIN.transitions[a][b] for a, b in pairwise(labels))


@pytest.mark.parametrize("scores", SCORES, ids=len)
def test_marginals_are_sums_over_all_label_sequences(scores: list[float]) -> None:
    weights = {labels: exp(score_labels(labels, scores)) for labels in product((0, 1), repeat=len(scores)) if labels}
    for item, marginal in enumerate(find_marginals(scores, CHAIN)):
        expected = sum(weight for labels, weight in weights.items() if labels[item]) / sum(weights.values())
        assert marginal == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scores", SCORES, ids=len)
def test_best_label_sequence(scores: list[float]) -> None:
    sequences = [labels for labels in product((0, 1), repeat=len(scores)) if labels]
    expected = max(sequences, key=lambda labels: score_labels(labels, scores), default=())
    assert tuple(find_best(scores, CHAIN)) == expected


def test_large_log_odds_do_not_overflow() -> None:
    assert find_marginals([1e6, -1e6, 1e6], CHAIN) == pytest.approx([1.0, 0.0, 1.0])
