"""Weights: a folder with arrays (safetensors), their configuration (JSON) and a card (README.md).

The shipped ones stand in `weights/<model>/<version>/`; a method takes a folder of your own in their place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.atomic import replace_folder
from broadsheet.errors import UsageError

SHIPPED = Path(__file__).parent / "weights"
ARRAYS = "weights.safetensors"
CONFIG = "config.json"
CARD = "README.md"


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The arrays of a model by name, and what is needed to read them."""

    arrays: Mapping[str, NDArray[Any]]
    config: Mapping[str, Any]
    folder: Path


@cache
def load_weights(model: str, folder: Path | None = None) -> Weights:
    """Load the newest shipped weights of a model, or those of a folder; once for each. Nobody may change them."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    place = folder or _find_newest(model)
    try:
        arrays = load_file(place / ARRAYS)
        config = json.loads((place / CONFIG).read_text("utf-8"))
    except (OSError, ValueError, SafetensorError) as error:
        raise UsageError(f"{place} holds no weights of {model} that can be read: {error}") from error
    if config.get("model") != model:
        raise UsageError(f"{place} holds weights of {config.get('model')!r}, not of {model!r}; name another folder")
    for array in arrays.values():
        array.setflags(write=False)
    return Weights(arrays, config, place)


def save_weights(
    folder: Path, model: str, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any], card: str
) -> None:
    """Write a folder of weights atomically. It replaces an existing folder."""
    from safetensors.numpy import save_file

    with replace_folder(folder) as draft:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, draft / ARRAYS)
        (draft / ARRAYS).chmod(0o644)  # safetensors writes it for its owner alone; other users must be able to read it
        text = json.dumps({"model": model, **config}, indent=2, ensure_ascii=False, sort_keys=True)
        (draft / CONFIG).write_text(text + "\n", "utf-8")
        (draft / CARD).write_text(card, "utf-8")


def _find_newest(model: str) -> Path:
    versions = sorted((SHIPPED / model).glob("[0-9]*"), key=lambda folder: int(folder.name))
    if not versions:
        raise UsageError(f"no weights of {model} are shipped; train some: broadsheet train {model}")
    return versions[-1]
