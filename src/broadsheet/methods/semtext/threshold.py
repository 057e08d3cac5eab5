"""How probable a unit must be to count as main (ours): less where the network is unsure of the page as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.semtext.config import SemtextConfig


def find_limit(scores: Sequence[float] | NDArray[np.float64], chars: Sequence[float], config: SemtextConfig) -> float:
    """Find the probability above which units of a page are main, given the length of their texts."""
    if not config.threshold:
        return 0.5  # the scores are labels already
    if not config.page_share:
        return config.threshold
    score, weight = np.asarray(scores, np.float64), np.asarray(chars, np.float64)
    expected = float(weight @ score)  # characters of main text
    usual = float(weight @ score**2) / expected if expected else 0.0  # what a character of main text has
    return max(config.threshold, config.page_share * usual)
