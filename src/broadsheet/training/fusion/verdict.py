"""Train the forests that judge a page: is it an article, and how good is the text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.features import read_chars
from broadsheet.methods.fusion.page_features import compute_outcome_features
from broadsheet.methods.fusion.threshold import find_threshold
from broadsheet.models import Forest
from broadsheet.training.fusion.labels import UNKNOWN
from broadsheet.training.fusion.pages import FusionPages
from broadsheet.training.trees import ForestSize, fit_boosted_forest, lighten

Floats = NDArray[np.float64]
_SIZE = ForestSize(trees=80, leaves=8, depth=6, min_leaf=20, rate=0.08)


def measure_pages(
    pages: FusionPages, chosen: NDArray[np.intp], found: Sequence[NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Measures of some pages, given what the network found in them."""
    outcomes = []
    for page, each in zip(chosen.tolist(), found, strict=True):
        values = pages.values[slice(*pages.block_starts[page : page + 2])].T.astype(np.float32)
        outcomes.append(compute_outcome_features(values, each, find_threshold(each[:, 0], read_chars(values))))
    return np.concatenate((pages.heads[chosen], np.stack(outcomes)), axis=1)


def score_pages(pages: FusionPages, chosen: NDArray[np.intp], found: Sequence[NDArray[np.float32]]) -> Floats:
    """F1 of the characters of each page's text; blocks that nobody judged do not count."""
    scores = []
    for page, each in zip(chosen.tolist(), found, strict=True):
        rows = slice(*pages.block_starts[page : page + 2])
        label, chars = pages.labels[rows, 0], read_chars(pages.values[rows].T.astype(np.float32))
        is_kept = each[:, 0] > find_threshold(each[:, 0], chars)
        known = chars * (label != UNKNOWN)
        kept, wanted = known * is_kept, known * (label == 1)
        scores.append(2 * float(kept @ (label == 1)) / max(float(kept.sum() + wanted.sum()), 1.0))
    return np.array(scores)


def train_article(samples: NDArray[np.float32], is_article: NDArray[np.bool_], seed: int) -> Forest:
    """Learn what is an article, both kinds counting alike."""
    weights = np.where(is_article, 0.5 / is_article.mean(), 0.5 / (1 - is_article.mean()))
    return lighten(fit_boosted_forest(samples, is_article, weights, _SIZE, seed))


def train_quality(samples: NDArray[np.float32], scores: Floats, seed: int) -> Forest:
    """Learn the expected F1: every page is right with the weight of its F1 and wrong with the rest."""
    twice = np.concatenate((samples, samples))
    marks = np.repeat((True, False), len(samples))
    return lighten(fit_boosted_forest(twice, marks, np.concatenate((scores, 1 - scores)), _SIZE, seed))


def measure_calibration(expected: Floats, scores: Floats, bins: int = 10) -> float:
    """Expected calibration error: the mean distance of what was expected from what came, over bins of equal width."""
    place = np.minimum((expected * bins).astype(int), bins - 1)
    error = 0.0
    for each in range(bins):
        here = place == each
        if here.any():
            error += here.mean() * abs(float(expected[here].mean() - scores[here].mean()))
    return error
