"""The forests of the method, and the choice of title, dates and body by their scores (section 3.4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.visual.body_features import (
    BODY_FEATURES,
    SCORE_FEATURES,
    TITLE_FEATURES,
    BodyFeatures,
    compute_from_title,
    compute_score_features,
    stack_columns,
)
from broadsheet.methods.visual.config import MODEL, VisualConfig
from broadsheet.methods.visual.date_features import DATE_FEATURES
from broadsheet.methods.visual.features import DATE_COLUMNS, TITLE_COLUMNS
from broadsheet.models import Forest, load_weights
from broadsheet.models.config import read_setting
from broadsheet.models.forest import load_forest

_FIRST_BODY_COLUMNS = len(BODY_FEATURES) + len(TITLE_FEATURES)
# Names in weights folders, and the number of features of each forest.
COLUMNS = {
    "title": len(TITLE_COLUMNS),
    "date": len(DATE_COLUMNS),
    "date_clues": len(DATE_FEATURES),
    "body": _FIRST_BODY_COLUMNS,
    "body_again": _FIRST_BODY_COLUMNS + len(SCORE_FEATURES),
}
NAMES = tuple(COLUMNS)
SECTION = "forests"  # of config.json
Scores = NDArray[np.float64]
_MIN_PROSE_CHARS = 80  # of a block
_BEST_SCORE_SHARE = 0.5  # best of 0.5 to 0.8 on dev sets


@dataclass(frozen=True, slots=True, eq=False)
class Forests:
    """One forest per decision."""

    title: Forest  # attributes -> title node
    date: Forest  # attributes -> date node
    date_clues: Forest  # DATE_FEATURES -> date node
    body: Forest  # BODY_FEATURES and TITLE_FEATURES -> body block
    body_again: Forest  # the same and SCORE_FEATURES, from the scores of `body` -> body block


def load_forests(folder: str | Path | None = None) -> Forests:
    """Load the shipped forests or those in a folder; those that it lacks are the shipped ones.

    Raise UsageError if they cannot be used.
    """
    shipped, weights = load_weights(MODEL), load_weights(MODEL, folder)
    stored = read_setting(weights, SECTION, kind=dict)
    return Forests(
        **{
            name: load_forest(weights if name in stored else shipped, name, COLUMNS[name], section=(SECTION,))
            for name in NAMES
        }
    )


def score_body(features: BodyFeatures, title_block: int | None, forests: Forests) -> NDArray[np.float64]:
    """Return the score of each block: the probability that it is part of the body."""
    chars = features.columns["chars"]
    columns = features.columns | compute_from_title(len(chars), title_block)
    samples = stack_columns(columns, (*BODY_FEATURES, *TITLE_FEATURES))
    first_scores = forests.body.predict(samples)
    score_samples = stack_columns(compute_score_features(features.groups, chars, first_scores), SCORE_FEATURES)
    return forests.body_again.predict(np.concatenate((samples, score_samples), axis=1))


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
