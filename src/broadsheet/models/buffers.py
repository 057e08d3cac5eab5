"""Arrays as the loops of `broadsheet.kernel` read them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.kernel import is_compiled

_IS_COMPILED = is_compiled()


def read_buffer(array: NDArray[Any]) -> Any:
    """Return the array for compiled loops; a list for plain Python, which reads lists three times as fast."""
    return array if _IS_COMPILED else array.tolist()


@lru_cache(100)
def round_single(number: float) -> float:
    """Return the nearest float32. Scores are compared with it, because the float32 of 0.2 is greater than 0.2."""
    return float(np.float32(number))
