from typing import Any

import numpy as np
from numpy.typing import NDArray

TILE_COLUMNS: int

def can_multiply() -> bool: ...
def use_vectors(is_allowed: bool) -> None: ...
def write_product(rows: NDArray[np.float32], weight: NDArray[np.float32], product: NDArray[np.float32]) -> None: ...

class Network:
    """See `methods.fusion.array_network.Network`, which has the same methods."""

    def __init__(self, weights: Any) -> None: ...
    def run(
        self,
        page: Any,
        terms: NDArray[np.float32] | None = None,
        chars: NDArray[np.float32] | None = None,
        min_doubt: float = 0.0,
    ) -> NDArray[np.float32]: ...
    def compute_hidden(self, page: Any) -> list[NDArray[np.float32]]: ...
