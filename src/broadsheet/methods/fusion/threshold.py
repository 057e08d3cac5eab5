"""The threshold of a page: the score above which blocks are article text.

It maximises the expected F1 of the page. Where the network is certain, it is about 0.5. Where all scores are low, it is
lower, so that the page still gives some text.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadsheet.kernel.scores import find_lowest_score
from broadsheet.methods.fusion.config import DEFAULT_CONFIG, FusionConfig
from broadsheet.models.arrays import read_buffer, round_single


def find_threshold(
    scores: NDArray[np.float32], chars: NDArray[np.float32], config: FusionConfig = DEFAULT_CONFIG
) -> float:
    """Find the threshold of a page from the score and the length of each block."""
    if config.threshold is not None:
        return config.threshold
    min_score = round_single(config.min_threshold)
    lowest_score = find_lowest_score(read_buffer(scores), read_buffer(chars), config.sharpness, min_score)
    threshold = float(np.nextafter(np.float32(lowest_score), np.float32(0)))
    return min(max(threshold, config.min_threshold), config.max_threshold)
