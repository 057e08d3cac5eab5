"""The loops over the scores of blocks."""

from __future__ import annotations

import math
from array import array

import numpy as np
import pytest

from broadsheet.kernel.scores import RoleLimits, are_probabilities, choose_roles, find_likely, find_lowest_score
from broadsheet.models.arrays import read_buffer, round_single

COMMENT, DATE = 1, 2
LIMITS = RoleLimits(content=0.5, role=0.4, comment=0.6, comment_column=COMMENT, date_column=DATE)


def choose(text: str, *scores: float) -> tuple[list[int], dict[int, int]]:
    """Return the content blocks and the other roles of one block with these scores."""
    others: dict[int, int] = {}
    return choose_roles(read_buffer(np.array(scores, np.float32)), len(scores), [text], LIMITS, others), others


@pytest.mark.parametrize(
    ("text", "scores", "is_content", "role"),
    [
        ("a", (0.9, 0.1, 0.1), True, None),
        ("a", (0.2, 0.1, 0.1), False, None),
        ("a", (0.51, 0.55, 0.1), True, COMMENT),  # too low a score for a comment to exclude article text
        ("a", (0.51, 0.65, 0.1), False, COMMENT),
        ("1 May", (0.1, 0.1, 0.8), False, DATE),
        ("٣ مايو", (0.1, 0.1, 0.8), False, DATE),
        ("May", (0.1, 0.5, 0.8), False, COMMENT),  # a date has a digit
    ],
)
def test_roles(text: str, scores: tuple[float, ...], is_content: bool, role: int | None) -> None:
    content, others = choose(text, *scores)
    assert (content == [0], others.get(0)) == (is_content, role)


@pytest.mark.parametrize("seed", range(40))
def test_lowest_score_gives_the_highest_f1(seed: int) -> None:
    generator = np.random.default_rng(seed)
    chars = generator.integers(1, 500, 30).astype(np.float32)
    scores = (generator.random(30) ** generator.integers(1, 9)).astype(np.float32)
    expected = chars * scores.astype(np.float64) ** 1.25
    order = np.argsort(-scores, kind="stable")
    f1 = np.cumsum(expected[order]) / (np.cumsum(chars[order]) + expected.sum())
    best = float(scores[order[f1.argmax()]])
    lowest = find_lowest_score(read_buffer(scores), read_buffer(chars), 1.25, 0.1)
    assert lowest == (best if best > 0.1 else 0.0)


def test_likely_blocks() -> None:
    scores = read_buffer(np.array([0.2, 0.9, 0.9, 0.3], np.float32))
    assert find_likely(scores, round_single(0.2), array("i", [1, 1, 2, 3]), 1) == [1, 3]


@pytest.mark.parametrize(("values", "is_valid"), [([], True), ([0, 1.0], True), ([1.1], False), ([math.nan], False)])
def test_probabilities(values: list[float], is_valid: bool) -> None:
    assert are_probabilities(values) is is_valid
