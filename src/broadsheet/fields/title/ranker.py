"""The ranker of title candidates: a network with one hidden layer, and a softmax over the candidates of a page.

"None of them" is one more candidate, with score 0. The probability of the chosen candidate is therefore a confidence.
"""

from __future__ import annotations

from functools import cache
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import UsageError
from broadsheet.fields.title.features import FEATURE_NAMES, Samples
from broadsheet.models.config import read_setting
from broadsheet.models.weights import check_arrays, load_weights

MODEL = "title"
Floats = NDArray[np.float32]


class Ranker(NamedTuple):
    """Weights of the network. Features are not scaled: they have values of about 0 to 1."""

    inner: Floats  # (features, hidden)
    inner_bias: Floats  # (hidden,)
    outer: Floats  # (hidden,)
    outer_bias: float

    def predict(self, samples: Samples) -> list[float]:
        """Return the probability of each candidate of a page. The rest to 1 is the probability of none."""
        hidden = samples @ self.inner
        hidden += self.inner_bias
        np.maximum(hidden, 0.0, out=hidden)
        scores = (hidden @ self.outer).tolist()
        # Plain Python is faster than NumPy for a few numbers.
        highest = max(*scores, -self.outer_bias)
        powers = [exp(score - highest) for score in scores]
        total = sum(powers) + exp(-self.outer_bias - highest)
        return [power / total for power in powers]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays for a folder of weights."""
        bias = np.array([self.outer_bias], np.float32)
        return {"inner": self.inner, "inner_bias": self.inner_bias, "outer": self.outer, "outer_bias": bias}


@cache
def load_ranker(folder: Path | None = None) -> Ranker:
    """Load the shipped ranker, or that of a folder."""
    weights = load_weights(MODEL, folder)
    if read_setting(weights, "columns", kind=tuple[str, ...]) != FEATURE_NAMES:
        raise UsageError(f"{weights.folder} was trained with other features; {weights.advice}")
    check_arrays(weights, {"inner": (len(FEATURE_NAMES), None), "outer_bias": (1,)})
    hidden = (weights.arrays["inner"].shape[1],)
    check_arrays(weights, {"inner_bias": hidden, "outer": hidden})
    arrays = weights.arrays
    return Ranker(arrays["inner"], arrays["inner_bias"], arrays["outer"], float(arrays["outer_bias"][0]))
