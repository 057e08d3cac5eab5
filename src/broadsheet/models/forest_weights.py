"""Read a forest from a weights folder, and check that it can be used."""

from __future__ import annotations

from typing import Any

from broadsheet.errors import UsageError
from broadsheet.models.config import read_setting
from broadsheet.models.forest import Forest, read_forest
from broadsheet.models.weights import ARRAYS, Weights, check_arrays

_INDEX_ARRAYS = ("roots", "feature", "child")
_SETTINGS: dict[str, type[Any]] = {"depth": int, "base": float, "is_mean": bool}


def load_forest(weights: Weights, name: str, columns: int, *, section: tuple[str, ...] = ()) -> Forest:
    """Read a forest for samples of `columns` features. Its settings are in `section` of the configuration.

    Raise UsageError if something is missing or has a wrong shape, or if the forest uses more features.
    """
    settings: dict[str, Any] = {
        key: read_setting(weights, *section, name, key, kind=kind) for key, kind in _SETTINGS.items()
    }
    check_arrays(weights, {f"{name}.{array}": (None,) for array in _INDEX_ARRAYS}, kinds="iu")
    nodes = len(weights.arrays[f"{name}.feature"])
    check_arrays(weights, {f"{name}.child": (nodes,)}, kinds="iu")
    check_arrays(weights, {f"{name}.threshold": (nodes,), f"{name}.value": (nodes,)})
    forest = read_forest(name, weights.arrays, settings)
    if forest.feature.max(initial=0) >= columns:
        raise UsageError(
            f"forest {name!r} in {weights.folder / ARRAYS} uses feature {forest.feature.max()} of {columns}: "
            f"it was trained with other features; {weights.advice}"
        )
    if max(forest.child.max(initial=0), forest.roots.max(initial=0)) >= max(nodes, 1) or not len(forest.roots):
        raise UsageError(f"forest {name!r} in {weights.folder / ARRAYS} is damaged; {weights.advice}")
    return forest
