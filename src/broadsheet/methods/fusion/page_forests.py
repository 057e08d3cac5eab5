"""Two small forests over page features: whether the page is an article, and the expected F1 of its text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadsheet.models.config import read_setting
from broadsheet.models.forest import Forest, load_forest
from broadsheet.models.weights import Weights


class PagePrediction(NamedTuple):
    """The prediction for a page."""

    is_article: bool
    confidence: float  # expected F1 of the extracted text


class PageForests(NamedTuple):
    """The two forests."""

    article: Forest
    quality: Forest
    article_threshold: float  # score below which a page is not an article

    def predict(self, features: NDArray[np.float32], article_threshold: float | None = None) -> PagePrediction:
        """Predict from the head features followed by the outcome features of a page.

        `article_threshold` replaces the threshold that is stored with the weights.
        """
        threshold = self.article_threshold if article_threshold is None else article_threshold
        return PagePrediction(
            is_article=self.article.predict_one(features) >= threshold,
            confidence=self.quality.predict_one(features),
        )


def read_forests(weights: Weights, features: int) -> PageForests:
    """Read the forests of a weights folder. Raise UsageError if an array is missing or does not fit."""
    return PageForests(
        article=load_forest(weights, "article", features),
        quality=load_forest(weights, "quality", features),
        article_threshold=read_setting(weights, "article_limit", kind=float),
    )
