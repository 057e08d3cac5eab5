"""Refinement of the classification (section 5): article text stands together, so one group of candidates is kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def keep_longest_group(
    candidates: Sequence[int],
    top: Sequence[float],
    bottom: Sequence[float],
    length: Sequence[int],
    gap: float,
) -> list[int]:
    """Group candidates from top to bottom, with a break where more than `gap` pixels lie between two; keep the longest.

    `top`, `bottom` and `length` are those of the candidates, in their order; what is kept is in it, too.
    """
    if not candidates:
        return []
    order = sorted(range(len(candidates)), key=top.__getitem__)  # ties keep the order of the page
    groups = [[order[0]]]
    for before, at in pairwise(order):
        if top[at] - bottom[before] > gap:  # Equation 6 does not hold
            groups.append([])
        groups[-1].append(at)
    longest = max(groups, key=lambda group: sum(length[at] for at in group))
    return [candidates[at] for at in sorted(longest)]
