"""The probability that a text is right to the word: a logistic regression on the margins of the block scores.

A text is exact if every block was decided correctly. The scores are calibrated, so the product of the probabilities of
the decisions says most of it. The smallest margins and the number of blocks say the rest, because errors of
neighbouring blocks are not independent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.models.config import read_setting
from broadsheet.models.weights import Weights

Floats = NDArray[np.float64]

KEY = "exactness"  # of the configuration of the weights
MARGIN_NAMES = (
    "decisions",  # logarithm of the probability that all decisions are right, if they were independent
    "smallest_margin",  # distance of a score from the threshold
    "third_margin",
    "unsure_blocks",  # logarithm of 1 + the number of blocks with scores between MIN_UNSURE and 1 - MIN_UNSURE
    "blocks",  # logarithm of 1 + the number of blocks
    "text_blocks",  # the same of the blocks above the threshold
)
_VECTOR: Any = tuple[(float,) * len(MARGIN_NAMES)]  # type: ignore[misc]  # a number for each name
MIN_UNSURE = 0.1
MIN_ERROR = 1e-3  # of a decision: no network is more certain


@dataclass(frozen=True, slots=True)
class ExactnessModel:
    """A logistic regression on standardised margins."""

    mean: tuple[float, ...]
    spread: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float

    def predict(self, margins: Floats) -> Floats:
        """Return the probability of each page: (n,) for margins (n, MARGIN_NAMES)."""
        logits = (margins - np.array(self.mean)) / np.array(self.spread) @ np.array(self.weights) + self.bias
        return np.asarray(1 / (1 + np.exp(-logits.clip(-30, 30))))

    def config(self) -> dict[str, object]:
        """Return the values for the configuration of the weights."""
        return asdict(self)


def measure_margins(scores: Sequence[float] | NDArray[np.floating[Any]], threshold: float) -> Floats:
    """Measure the margins of the blocks of a page: MARGIN_NAMES."""
    of_blocks = np.asarray(scores, np.float64)
    margins = np.sort(np.abs(of_blocks - threshold))
    errors = np.minimum(of_blocks, 1 - of_blocks).clip(MIN_ERROR)
    smallest, third = (margins[min(number, len(margins) - 1)] if len(margins) else 1.0 for number in (0, 2))
    return np.array(
        (
            np.log1p(-errors).sum(),
            smallest,
            third,
            np.log1p((errors > MIN_UNSURE).sum()),
            np.log1p(len(of_blocks)),
            np.log1p((of_blocks > threshold).sum()),
        )
    )


def read_exactness(weights: Weights) -> ExactnessModel | None:
    """Read the model of a folder of weights; None if it has none. Raises UsageError for a wrong type."""
    if KEY not in weights.config:
        return None
    vectors: dict[str, Any] = {
        name: read_setting(weights, KEY, name, kind=_VECTOR) for name in ("mean", "spread", "weights")
    }
    return ExactnessModel(**vectors, bias=read_setting(weights, KEY, "bias", kind=float))
