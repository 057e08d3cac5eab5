"""The small network that chooses among title candidates: one hidden layer, a softmax over the page's candidates.

"None of them" is a candidate too, of score 0: so the probability of the one that is chosen is how sure the choice is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import UsageError
from broadsheet.fields.title_measures import COLUMNS, Samples
from broadsheet.models import load_weights

MODEL = "title"
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """The weights. Measures are not scaled: they are made to be about as large as 1."""

    inner: Floats  # (COLUMNS, hidden)
    inner_bias: Floats  # (hidden,)
    outer: Floats  # (hidden,)
    outer_bias: float

    def predict(self, samples: Samples) -> list[float]:
        """Probability of each candidate of a page; what is missing to 1 is that of none."""
        hidden = samples @ self.inner
        hidden += self.inner_bias
        np.maximum(hidden, 0.0, out=hidden)
        scores = (hidden @ self.outer).tolist()
        # A handful of numbers: plain Python is faster from here on.
        highest = max(*scores, -self.outer_bias)
        powers = [exp(score - highest) for score in scores]
        total = sum(powers) + exp(-self.outer_bias - highest)
        return [power / total for power in powers]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays for a folder of weights."""
        bias = np.array([self.outer_bias], np.float32)
        return {"inner": self.inner, "inner_bias": self.inner_bias, "outer": self.outer, "outer_bias": bias}


@cache
def load_ranker(folder: Path | None = None) -> Ranker:
    """Load the shipped ranker, or that of a folder."""
    weights = load_weights(MODEL, folder)
    if tuple(weights.config["columns"]) != COLUMNS:
        raise UsageError(f"{weights.folder} was trained on other measures; train it again: broadsheet train title")
    arrays = weights.arrays
    return Ranker(arrays["inner"], arrays["inner_bias"], arrays["outer"], float(arrays["outer_bias"][0]))
