import numpy as np
from numpy.typing import NDArray

TILE_COLUMNS: int

def can_multiply() -> bool: ...
def write_product(rows: NDArray[np.float32], weight: NDArray[np.float32], product: NDArray[np.float32]) -> None: ...
