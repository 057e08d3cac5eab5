"""Train the forests that judge a page: whether it is an article, and the expected F1 of its text. Measure them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.corrections import find_threshold
from broadsheet.methods.fusion.features import read_chars
from broadsheet.methods.fusion.page_features import PageForests, compute_outcome_features
from broadsheet.methods.fusion.train_data import FusionPages
from broadsheet.methods.fusion.train_labels import UNKNOWN
from broadsheet.models import Forest
from broadsheet.training.trees import ForestSize, convert_forest, fit_boosted_forest

Floats = NDArray[np.float64]
Probabilities = Sequence[NDArray[np.float32]]  # of each page: (blocks, roles)
FOREST_SIZE = ForestSize(trees=80, leaves=8, depth=6, min_leaf=20, rate=0.08)
MIN_LEAF, MAX_LEAF_SHARE = 5, 0.02  # of a leaf, with few pages: a share of them
Samples = NDArray[np.float32]


def measure_pages(pages: FusionPages, chosen: NDArray[np.intp], probabilities: Probabilities) -> NDArray[np.float32]:
    """Compute the features of some pages from their heads and the probabilities of their blocks."""
    outcomes = []
    for page, roles in zip(chosen.tolist(), probabilities, strict=True):
        values = pages.values[pages.rows(page)].T.astype(np.float32)
        outcomes.append(compute_outcome_features(values, roles, find_threshold(roles[:, 0], read_chars(values))))
    return np.concatenate((pages.heads[chosen], np.stack(outcomes)), axis=1)


def score_pages(pages: FusionPages, chosen: NDArray[np.intp], probabilities: Probabilities) -> Floats:
    """Compute the F1 of the characters of each page's text. Blocks without a label are ignored."""
    scores = []
    for page, roles in zip(chosen.tolist(), probabilities, strict=True):
        rows = pages.rows(page)
        label, chars = pages.labels[rows, 0], read_chars(pages.values[rows].T.astype(np.float32))
        is_predicted = roles[:, 0] > find_threshold(roles[:, 0], chars)
        labelled_chars = chars * (label != UNKNOWN)
        predicted, gold = labelled_chars * is_predicted, labelled_chars * (label == 1)
        scores.append(2 * float(predicted @ (label == 1)) / max(float(predicted.sum() + gold.sum()), 1.0))
    return np.array(scores)


def train_article_forest(samples: NDArray[np.float32], is_article: NDArray[np.bool_], seed: int) -> Forest:
    """Learn whether a page is an article. Both classes have the same total weight."""
    weights = np.where(is_article, 0.5 / is_article.mean(), 0.5 / (1 - is_article.mean()))
    return convert_forest(fit_boosted_forest(samples, is_article, weights, _choose_size(len(samples)), seed))


def train_quality_forest(samples: NDArray[np.float32], scores: Floats, seed: int) -> Forest:
    """Learn the expected F1: each page is a positive sample of weight F1 and a negative one of weight 1 - F1."""
    doubled = np.concatenate((samples, samples))
    targets = np.repeat((True, False), len(samples))
    weights = np.concatenate((scores, 1 - scores))
    return convert_forest(fit_boosted_forest(doubled, targets, weights, _choose_size(len(samples)), seed))


def _choose_size(pages: int) -> ForestSize:
    return replace(FOREST_SIZE, min_leaf=int(np.clip(MAX_LEAF_SHARE * pages, MIN_LEAF, FOREST_SIZE.min_leaf)))


def measure_calibration(expected: Floats, scores: Floats, bins: int = 10) -> float:
    """Compute the expected calibration error: the mean difference of expectation and score in bins of equal width."""
    bin_numbers = np.minimum((expected * bins).astype(int), bins - 1)
    error = 0.0
    for number in range(bins):
        is_in_bin = bin_numbers == number
        if is_in_bin.any():
            error += is_in_bin.mean() * abs(float(expected[is_in_bin].mean() - scores[is_in_bin].mean()))
    return error


def find_labelled_pages(pages: FusionPages) -> NDArray[np.intp]:
    """Return the pages that have gold text."""
    is_labelled = np.logical_or.reduceat(pages.labels[:, 0] != UNKNOWN, pages.block_starts[:-1])
    return np.flatnonzero(is_labelled)


def measure_dev(pages: FusionPages, predictions: Probabilities, forests: PageForests) -> dict[str, str]:
    """Measure everything that the dev pages have labels for."""
    samples = measure_pages(pages, np.arange(len(pages)), predictions)
    return {
        **_measure_texts(pages, predictions),
        **_measure_article_forest(pages, samples, forests),
        **_measure_quality_forest(pages, samples, predictions, forests),
    }


def _measure_texts(pages: FusionPages, predictions: Probabilities) -> dict[str, str]:
    labelled = find_labelled_pages(pages)
    if not len(labelled):
        return {}
    scores, names = _score_labelled(pages, labelled, predictions), pages.datasets[labelled]
    by_dataset = {name: float(scores[names == name].mean()) for name in np.unique(names).tolist()}
    return {
        "F1 of characters, mean of dev sets": f"{np.mean(list(by_dataset.values())):.4f}",
        **{f"F1 of characters, {name}.dev": f"{value:.3f}" for name, value in by_dataset.items()},
    }


def _measure_article_forest(pages: FusionPages, samples: Samples, forests: PageForests) -> dict[str, str]:
    """Return the recall of both kinds of pages and their mean."""
    typed = np.flatnonzero(pages.page_types != "")
    is_article = pages.page_types[typed] == "article"
    if is_article.all() or not is_article.any():
        return {}
    is_accepted = forests.article.predict(samples[typed]) >= forests.article_threshold
    recalls = [float((is_accepted == is_article)[is_article == kind].mean()) for kind in (True, False)]
    values = f"{recalls[0]:.3f}, {recalls[1]:.3f}, {np.mean(recalls):.3f}"
    return {"recall of articles, of other pages, mean, dev": values}


def _measure_quality_forest(
    pages: FusionPages, samples: Samples, predictions: Probabilities, forests: PageForests
) -> dict[str, str]:
    labelled = find_labelled_pages(pages)
    if not len(labelled):
        return {}
    scores = _score_labelled(pages, labelled, predictions)
    error = measure_calibration(forests.quality.predict(samples[labelled]), scores)
    return {"expected calibration error, dev": f"{error:.3f}"}


def _score_labelled(pages: FusionPages, labelled: NDArray[np.intp], predictions: Probabilities) -> NDArray[np.float64]:
    return score_pages(pages, labelled, [predictions[page] for page in labelled.tolist()])
