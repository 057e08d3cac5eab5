"""Refinement of the classification (section 5): article text is contiguous, so one group of blocks is kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.style import Boxes


def keep_longest_group(
    candidates: Sequence[int],
    top: Sequence[float],
    bottom: Sequence[float],
    length: Sequence[int],
    gap: float,
) -> list[int]:
    """Split candidates at vertical gaps of more than `gap` pixels; return the group with the most text.

    `top`, `bottom` and `length` (in characters) describe the candidates. The result is in the order of the candidates.
    """
    if not candidates:
        return []
    order = sorted(range(len(candidates)), key=top.__getitem__)  # stable: ties stay in page order
    groups = [[order[0]]]
    for previous, current in pairwise(order):
        if top[current] - bottom[previous] > gap:  # Equation 6 does not hold
            groups.append([])
        groups[-1].append(current)
    longest = max(groups, key=lambda group: sum(length[index] for index in group))
    return [candidates[index] for index in sorted(longest)]


def find_vertical_edges(
    blocks: Blocks, boxes: Boxes, chosen: list[int]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the upper and the lower edges of some blocks, in pixels from the top of the page."""
    first = [blocks.first[block] for block in chosen]
    last = [blocks.last[block] for block in chosen]
    lower_edges = boxes.y + boxes.height
    return boxes.y[first], np.maximum(lower_edges[first], lower_edges[last])
