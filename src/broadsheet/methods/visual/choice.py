"""Post-processing: choice of the title node, of clusters of date nodes, and of the body's threshold (section 3.4.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.visual.config import VisualConfig

Scores = NDArray[np.float64]
_MIN_PROSE_CHARS = 80  # of a block
_BEST_SCORE_SHARE = 0.5  # best of 0.5 to 0.8 on dev sets


def choose_title(scores: Scores, config: VisualConfig) -> int | None:
    """Return the index of the title among the examined nodes: the first above the threshold, or None."""
    if config.takes_best_title:
        return int(scores.argmax()) if len(scores) and scores.max() > 0 else None
    above = np.flatnonzero(scores > config.min_score)
    return int(above[0]) if len(above) else None


def choose_dates(
    nodes: Sequence[int], lengths: Sequence[int], scores: Scores, title_node: int | None, config: VisualConfig
) -> list[list[int]]:
    """Return clusters of indices of date nodes, the most probable cluster first.

    `nodes` are the examined nodes, as indices in the list of all text nodes. As published there is one cluster: the
    closest to the title, or all date nodes if there is no title; long nodes are discarded after that choice. With
    `takes_best_date` they are discarded first.
    """
    threshold = config.min_date_score if config.takes_best_date else config.min_score
    dates = np.flatnonzero(scores > threshold).tolist()
    if config.takes_best_date:
        clusters = _cluster(_keep_short(dates, lengths, config), nodes, config.date_gap)
        return sorted(clusters, key=lambda cluster: (-max(scores[index] for index in cluster), cluster))
    if title_node is not None:
        clusters = _cluster(dates, nodes, config.date_gap)
        dates = min(clusters, key=lambda cluster: min(abs(nodes[index] - title_node) for index in cluster), default=[])
    short = _keep_short(dates, lengths, config)
    return [short] if short else []


def _keep_short(dates: Sequence[int], lengths: Sequence[int], config: VisualConfig) -> list[int]:
    """Discard nodes that would add large amounts of text."""
    return [index for index in dates if lengths[index] <= config.max_date]


def choose_threshold(scores: Scores, lengths: Sequence[int], config: VisualConfig) -> float:
    """Return the score above which a block is body: lower where even the best long block has a low score."""
    if not config.lowers_threshold or not len(scores):
        return config.min_score
    long_scores = scores[np.array(lengths) >= _MIN_PROSE_CHARS]
    best = float((long_scores if len(long_scores) else scores).max())
    return min(config.min_score, _BEST_SCORE_SHARE * best)


def _cluster(dates: Sequence[int], nodes: Sequence[int], gap: int) -> list[list[int]]:
    """Put date nodes with at most `gap` other text nodes between them into one cluster."""
    clusters: list[list[int]] = []
    for index in dates:
        if clusters and nodes[index] - nodes[clusters[-1][-1]] <= gap + 1:
            clusters[-1].append(index)
        else:
            clusters.append([index])
    return clusters
