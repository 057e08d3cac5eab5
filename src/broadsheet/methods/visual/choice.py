"""Post-processing: one title, one cluster of date nodes, and the body between them and the end (section 3.4.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.visual.config import VisualConfig

Scores = NDArray[np.float64]
_LONG = 80  # characters of a block of prose
_SHARE_OF_BEST = 0.5  # best of 0.5 to 0.8 on dev sets


def choose_title(scores: Scores, config: VisualConfig) -> int | None:
    """Choose the title among the nodes under examination, by their scores: the first that is one; None without any."""
    found = np.flatnonzero(scores > config.min_score)
    if config.takes_best_title:
        return int(scores.argmax()) if len(scores) and scores.max() > 0 else None
    return int(found[0]) if len(found) else None


def choose_dates(
    places: Sequence[int], lengths: Sequence[int], scores: Scores, title_place: int | None, config: VisualConfig
) -> list[list[int]]:
    """Choose the date nodes among those under examination: clusters of them, the likeliest first.

    `places` are the nodes' numbers in the list of all text nodes. As published there is one cluster, the closest to the
    title; without a title, all date nodes together.
    """
    least = config.min_date_score if config.takes_best_date else config.min_score
    found = [at for at in np.flatnonzero(scores > least).tolist() if lengths[at] <= config.max_date]
    if title_place is None and not config.takes_best_date:
        return [found] if found else []
    clusters = _cluster(found, places, config.date_gap)
    if config.takes_best_date:
        return sorted(clusters, key=lambda cluster: (-max(scores[at] for at in cluster), cluster))
    return sorted(clusters, key=lambda cluster: min(abs(places[at] - (title_place or 0)) for at in cluster))[:1]


def choose_bar(scores: Scores, lengths: Sequence[int], config: VisualConfig) -> float:
    """Choose the score above which a block is body: lower where even the best long block of the page has a low one."""
    if not config.lowers_bar or not len(scores):
        return config.min_score
    long = scores[np.array(lengths) >= _LONG]
    return min(config.min_score, _SHARE_OF_BEST * float((long if len(long) else scores).max()))


def _cluster(found: Sequence[int], places: Sequence[int], gap: int) -> list[list[int]]:
    """Put nodes with at most `gap` other text nodes between them together."""
    clusters: list[list[int]] = []
    for at in found:
        if clusters and places[at] - places[clusters[-1][-1]] <= gap + 1:
            clusters[-1].append(at)
        else:
            clusters.append([at])
    return clusters
