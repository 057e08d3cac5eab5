"""The threshold of a page (ours): lower where all probabilities of the page are low."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.semtext.config import SemtextConfig


def find_threshold(
    scores: Sequence[float] | NDArray[np.float64], chars: Sequence[float], config: SemtextConfig
) -> float:
    """Return the probability above which blocks of a page are main. `chars` are the lengths of their texts."""
    if not config.threshold:
        return 0.5  # the scores are 0 or 1
    if not config.page_share:
        return config.threshold
    score, weight = np.asarray(scores, np.float64), np.asarray(chars, np.float64)
    main_chars = float(weight @ score)  # expected characters of main text
    mean_score = float(weight @ score**2) / main_chars if main_chars else 0.0  # of a character of main text
    return max(config.threshold, config.page_share * mean_score)
