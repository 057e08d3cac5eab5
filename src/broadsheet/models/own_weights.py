"""Own weights: folders that replace shipped ones, by the model that their configuration names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from broadsheet.errors import WeightsError
from broadsheet.models.weights import CONFIG

TITLE_MODEL = "title"  # works with every method
_UNUSABLE = {"words": "semtext and gcn contain what they learned from the shipped word vectors"}


class OwnWeights(NamedTuple):
    """Folders of weights by model."""

    folders: Mapping[str, Path]

    @property
    def model(self) -> str | None:
        """The model of a method whose weights these are; None if there are only title weights."""
        return next((model for model in self.folders if model != TITLE_MODEL), None)

    @property
    def method(self) -> str | None:
        """The method that the weights were trained for, such as visual-published; None for title weights."""
        return None if self.model is None else read_method_name(self.folders[self.model])

    @property
    def title(self) -> Path | None:
        """The folder of title weights."""
        return self.folders.get(TITLE_MODEL)


def find_own_weights(folders: Iterable[Path]) -> OwnWeights:
    """Return the weights in some folders: at most one method, and title weights.

    For a folder without a configuration, the folders of weights in it are used. Raises WeightsError.
    """
    by_model: dict[str, Path] = {}
    for folder in folders:
        for part in list_weights(folder):
            model = read_model_name(part)
            if model in _UNUSABLE:
                raise WeightsError(f"weights of {model!r} ({part}) cannot be replaced: {_UNUSABLE[model]}")
            if model in by_model:
                raise WeightsError(f"{by_model[model]} and {part} are both weights of {model!r}; name one of them")
            by_model[model] = part
    methods = [model for model in by_model if model != TITLE_MODEL]
    if len(methods) > 1:
        raise WeightsError(f"weights of several methods: {', '.join(methods)}; name the weights of one method")
    return OwnWeights(by_model)


def list_weights(folder: Path) -> list[Path]:
    """Return the folder if it is one of weights, else the folders of weights in it. Raises WeightsError if none is."""
    if (folder / CONFIG).is_file():
        return [folder]
    if not folder.is_dir():
        raise WeightsError(f"no folder of weights: {folder}; broadsheet train MODEL -o {folder} writes one")
    parts = sorted(path.parent for path in folder.glob(f"*/{CONFIG}"))
    if not parts:
        raise WeightsError(
            f"{folder} is not a folder of weights: it has no {CONFIG}; broadsheet train MODEL writes one"
        )
    return parts


def read_model_name(folder: Path) -> str:
    """Return the name of the model that a folder of weights belongs to. Raises WeightsError."""
    model = _read_config(folder).get("model")
    if not isinstance(model, str):
        raise WeightsError(f"{folder / CONFIG} does not name a model; train new weights: broadsheet train MODEL")
    return model


def read_method_name(folder: Path) -> str:
    """Return the method that weights were trained for: the configuration names it if it is not that of the model."""
    method = _read_config(folder).get("method")
    return method if isinstance(method, str) else read_model_name(folder)


def _read_config(folder: Path) -> Mapping[str, Any]:
    try:
        config = json.loads((folder / CONFIG).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise WeightsError(
            f"cannot read {folder / CONFIG}: {error}; train new weights: broadsheet train MODEL"
        ) from error
    return config if isinstance(config, dict) else {}
