"""Two small forests over page features: whether the page is an article, and the expected F1 of its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.models.forest import read_forest


@dataclass(frozen=True, slots=True)
class PagePrediction:
    """The prediction for a page."""

    is_article: bool
    confidence: float  # expected F1 of the extracted text


class PageForests:
    """The article forest and the quality forest."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any]) -> None:
        self._article = read_forest("article", arrays, config["article"])
        self._quality = read_forest("quality", arrays, config["quality"])
        self._article_threshold = float(config["article_limit"])

    def predict(self, features: NDArray[np.float32], article_threshold: float | None = None) -> PagePrediction:
        """Predict from the head features followed by the outcome features of a page.

        `article_threshold` replaces the one stored with the weights.
        """
        sample = features.tolist()
        threshold = self._article_threshold if article_threshold is None else article_threshold
        return PagePrediction(
            is_article=self._article.predict_one(sample) >= threshold,
            confidence=self._quality.predict_one(sample),
        )
