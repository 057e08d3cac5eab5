"""Train what judges a page: article or not, the expected F1 of its text, and whether it is exact. Measure them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.corrections import find_threshold
from broadsheet.methods.fusion.exactness import ExactnessModel, measure_margins
from broadsheet.methods.fusion.features import read_chars
from broadsheet.methods.fusion.page_features import PageForests, compute_outcome_features
from broadsheet.methods.fusion.train_data import FusionPages
from broadsheet.methods.fusion.train_labels import UNKNOWN
from broadsheet.models import Forest
from broadsheet.training.trees import ForestSize, convert_forest, fit_boosted_forest

Floats = NDArray[np.float64]
Probabilities = Sequence[NDArray[np.float32]]  # of each page: (blocks, roles)
FOREST_SIZE = ForestSize(trees=80, leaves=8, depth=6, min_leaf=20, rate=0.08)
ARTICLE_WEIGHT = 0.25  # of an article among the pages of other types
MIN_LEAF, MAX_LEAF_SHARE = 5, 0.02  # of a leaf, with few pages: a share of them
Samples = NDArray[np.float32]
WEIGHT_PENALTY = 1.0  # on the weights of the exactness, beside the sum of errors over pages
NEWTON_STEPS = 25


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


def find_trained_types(page_types: NDArray[np.str_]) -> NDArray[np.str_]:
    """Return the page types as they are learned: collections are listings, and "other" may be any type."""
    return np.where(page_types == "collection", "listing", np.where(page_types == "other", "", page_types))


def train_type_forest(samples: Samples, is_type: NDArray[np.bool_], is_article: NDArray[np.bool_], seed: int) -> Forest:
    """Learn whether a page is of a type. Articles, the most pages, have less weight."""
    weights = np.where(is_article, ARTICLE_WEIGHT, 1.0)
    return convert_forest(fit_boosted_forest(samples, is_type, weights, _choose_size(len(samples)), seed))


def train_quality_forest(samples: NDArray[np.float32], scores: Floats, seed: int) -> Forest:
    """Learn the expected F1: each page is a positive sample of weight F1 and a negative one of weight 1 - F1."""
    doubled = np.concatenate((samples, samples))
    targets = np.repeat((True, False), len(samples))
    weights = np.concatenate((scores, 1 - scores))
    return convert_forest(fit_boosted_forest(doubled, targets, weights, _choose_size(len(samples)), seed))


def find_exact_pages(pages: FusionPages, chosen: NDArray[np.intp], probabilities: Probabilities) -> NDArray[np.bool_]:
    """Return for each page whether all blocks are decided correctly. Blocks without a label are ignored."""
    is_exact = []
    for page, roles in zip(chosen.tolist(), probabilities, strict=True):
        rows = pages.rows(page)
        label, chars = pages.labels[rows, 0], read_chars(pages.values[rows].T.astype(np.float32))
        is_predicted = roles[:, 0] > find_threshold(roles[:, 0], chars)
        is_exact.append(bool((is_predicted == (label == 1))[label != UNKNOWN].all()))
    return np.array(is_exact)


def measure_all_margins(pages: FusionPages, chosen: NDArray[np.intp], probabilities: Probabilities) -> Floats:
    """Measure the margins of some pages: (n, MARGIN_NAMES)."""
    margins = []
    for page, roles in zip(chosen.tolist(), probabilities, strict=True):
        chars = read_chars(pages.values[pages.rows(page)].T.astype(np.float32))
        margins.append(measure_margins(roles[:, 0], find_threshold(roles[:, 0], chars)))
    return np.stack(margins)


def train_exactness(margins: Floats, is_exact: NDArray[np.bool_]) -> ExactnessModel:
    """Fit the probability that a text is exact."""
    mean, spread = margins.mean(0), margins.std(0) + 1e-6
    *weights, bias = _fit_logistic((margins - mean) / spread, is_exact, WEIGHT_PENALTY)
    return ExactnessModel(tuple(mean.tolist()), tuple(spread.tolist()), tuple(map(float, weights)), float(bias))


def calibrate_exactness(model: ExactnessModel, margins: Floats, is_exact: NDArray[np.bool_]) -> ExactnessModel:
    """Return the model with another slope and bias, fitted to predictions of the networks that are averaged.

    It was trained on predictions of teachers, which are less certain and less often exact.
    """
    logits = ((margins - np.array(model.mean)) / np.array(model.spread)) @ np.array(model.weights) + model.bias
    slope, bias = _fit_logistic(logits[:, None], is_exact, 0.0).tolist()
    return replace(model, weights=tuple(slope * weight for weight in model.weights), bias=slope * model.bias + bias)


def _fit_logistic(samples: Floats, targets: NDArray[np.bool_], penalty: float) -> Floats:
    """Fit a logistic regression by Newton's method. Returns the weights and the bias."""
    inputs = np.concatenate((samples, np.ones((len(samples), 1))), axis=1)
    ridge = np.diag([penalty] * samples.shape[1] + [0.0]) + 1e-9 * np.eye(inputs.shape[1])
    weights = np.zeros(inputs.shape[1])
    for _ in range(NEWTON_STEPS):
        probabilities = 1 / (1 + np.exp(-(inputs @ weights).clip(-30, 30)))
        gradient = inputs.T @ (probabilities - targets) + ridge @ weights
        curvature = (inputs * (probabilities * (1 - probabilities))[:, None]).T @ inputs + ridge
        weights -= np.linalg.solve(curvature, gradient)
    return weights


def measure_auc(expected: Floats, targets: NDArray[np.bool_]) -> float:
    """Return the probability that a page of the class has a higher expectation than one that is not in it."""
    above = (expected[targets][:, None] > expected[~targets][None]).mean()
    equal = (expected[targets][:, None] == expected[~targets][None]).mean()
    return float(above + equal / 2)


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


def find_complete_pages(pages: FusionPages) -> NDArray[np.intp]:
    """Return the pages with labels of all roles, without composed ones."""
    return np.flatnonzero(pages.has_all_roles & ~pages.is_composed)


def measure_dev(
    pages: FusionPages, predictions: Probabilities, forests: PageForests, exactness: ExactnessModel | None = None
) -> dict[str, str]:
    """Measure everything that the dev pages have labels for."""
    samples = measure_pages(pages, np.arange(len(pages)), predictions)
    return {
        **_measure_texts(pages, predictions),
        **_measure_article_forest(pages, samples, forests),
        **_measure_quality_forest(pages, samples, predictions, forests),
        **(_measure_exactness(pages, predictions, exactness) if exactness else {}),
    }


def _measure_exactness(pages: FusionPages, predictions: Probabilities, model: ExactnessModel) -> dict[str, str]:
    chosen = find_complete_pages(pages)
    of_chosen = [predictions[page] for page in chosen.tolist()]
    is_exact = find_exact_pages(pages, chosen, of_chosen)
    auc = measure_auc(model.predict(measure_all_margins(pages, chosen, of_chosen)), is_exact)
    return {
        "share of pages with every block right, dev": f"{is_exact.mean():.3f}",
        "AUC of exactness, dev": f"{auc:.3f}",
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
