"""The disagreement of several extractions of a page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np


def measure_disagreement(kept: Sequence[str], lengths: Sequence[int]) -> float:
    """Return one minus the mean F1 of characters over all pairs of extractions: 0 if all are equal.

    Args:
        kept: For each extraction a string with "1" for each block that is article text, else "0".
        lengths: Characters of each block.

    """
    chars = np.asarray(lengths, np.float64)
    flags = [np.fromiter((flag == "1" for flag in row), np.bool_, len(row)) for row in kept]
    values = [_compare_pair(left, right, chars) for left, right in combinations(flags, 2)]
    return float(np.mean(values)) if values else 0.0


def _compare_pair(left: np.ndarray, right: np.ndarray, chars: np.ndarray) -> float:
    total = float(chars[left].sum() + chars[right].sum())
    return 1 - 2 * float(chars[left & right].sum()) / total if total else 0.0
