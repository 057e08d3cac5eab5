"""Measure a network and the forests on dev pages, for the card. A measure whose labels are missing is left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.page_forests import PageForests
from broadsheet.training.fusion.labels import UNKNOWN
from broadsheet.training.fusion.pages import FusionPages
from broadsheet.training.fusion.verdict import Probabilities, measure_calibration, measure_pages, score_pages

Samples = NDArray[np.float32]


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
