"""The threshold of a page: the score above which blocks are article text.

It maximises the expected F1 of the page. Where the network is certain, it is about 0.5. Where all scores are low, it is
lower, so that the page still gives some text.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.config import DEFAULT_CONFIG, FusionConfig


def find_threshold(
    scores: NDArray[np.float32], chars: NDArray[np.float32], config: FusionConfig = DEFAULT_CONFIG
) -> float:
    """Find the threshold of a page from the score and the length of each block."""
    if config.threshold is not None:
        return config.threshold
    expected = chars * np.asarray(scores, np.float64) ** config.sharpness  # expected characters of article text
    order = np.argsort(-scores, kind="stable")
    f1 = 2 * np.cumsum(expected[order]) / (np.cumsum(chars[order]) + expected.sum() + 1e-9)
    lowest_score = scores[order[int(f1.argmax())]]
    threshold = float(np.nextafter(lowest_score, np.float32(0)))
    return min(max(threshold, config.min_threshold), config.max_threshold)
