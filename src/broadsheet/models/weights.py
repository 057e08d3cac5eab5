"""Weights: a folder with arrays (safetensors), a configuration (JSON) and a card (README.md).

Shipped weights are in `weights/<model>/<version>/`. A method also accepts another folder, such as one written by
`broadsheet train`. A folder that cannot be used raises UsageError with one line: what is wrong and what to do.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadsheet.atomic import replace_folder
from broadsheet.errors import UsageError, WeightsError, describe_unknown
from broadsheet.stored import DamagedFile, describe, parse_json

SHIPPED = Path(__file__).parent / "weights"
ARRAYS = "weights.safetensors"
CONFIG = "config.json"
CARD = "README.md"
_HASH_DIGITS = 16
_KIND_NAMES = {"f": "floats", "iu": "integers"}  # NumPy's dtype.kind
TITLE_MODEL = "title"  # works with every method
_UNUSABLE = {"words": "semtext and gcn contain what they learned from the shipped word vectors"}


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The arrays of a model by name, and the configuration that they were trained with."""

    arrays: Mapping[str, NDArray[Any]]
    config: Mapping[str, Any]
    folder: Path

    @property
    def advice(self) -> str:
        """The end of error messages: how to get weights that work."""
        return f"train new weights: broadsheet train {self.config.get('model', 'MODEL')}"


def load_weights(model: str, folder: str | Path | None = None) -> Weights:
    """Load the newest shipped weights of a model, or those in a folder. They are cached and read-only."""
    if not isinstance(folder, str | Path | None):
        raise UsageError(f"weights must be a folder (str or Path), not {folder!r:.80}")
    return _load(model, find_newest(model) if folder is None else Path(folder))


@cache
def hash_weights(model: str, folder: str | Path | None = None) -> str:
    """Return the start of the SHA-256 of the arrays and the configuration: it tells which weights made an article."""
    place = find_newest(model) if folder is None else Path(folder)
    digest = hashlib.sha256((place / ARRAYS).read_bytes())
    digest.update((place / CONFIG).read_bytes())
    return digest.hexdigest()[:_HASH_DIGITS]


@cache
def _load(model: str, folder: Path) -> Weights:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    advice = f"pass another folder or train one: broadsheet train {model}"
    try:
        arrays = load_file(folder / ARRAYS)
        config = parse_json(
            (folder / CONFIG).read_bytes(), dict, make=lambda values: _Required(values, folder / CONFIG, advice)
        )
    except (OSError, TypeError, ValueError, SafetensorError) as error:  # TypeError: a dtype that NumPy lacks
        raise UsageError(f"cannot read weights of {model} in {folder}: {describe(error)}; {advice}") from error
    if config.get("model") != model:
        raise UsageError(f"{folder} contains weights of {config.get('model')!r}, not of {model!r}; {advice}")
    for array in arrays.values():
        array.setflags(write=False)
    return Weights(_Required(arrays, folder / ARRAYS, advice), config, folder)


class _Required(dict[str, Any]):
    """A dict whose missing keys raise UsageError: the file lacks a value that the model needs."""

    def __init__(self, values: Mapping[str, Any], file: Path, advice: str) -> None:
        super().__init__(values)
        self.file = file
        self.advice = advice

    def __missing__(self, key: str) -> Any:
        raise UsageError(f"{self.file} has no {key!r}; {self.advice}")


def check_arrays(weights: Weights, shapes: Mapping[str, tuple[int | None, ...]], *, kinds: str = "f") -> None:
    """Raise UsageError unless all these arrays exist, with these shapes (None: any length) and one of NumPy's kinds."""
    for name, shape in shapes.items():
        array = weights.arrays.get(name)
        if array is None:
            raise UsageError(f"{weights.folder / ARRAYS} has no array {name!r}; {weights.advice}")
        is_same_shape = len(array.shape) == len(shape) and all(
            expected in (None, length) for length, expected in zip(array.shape, shape, strict=True)
        )
        if array.dtype.kind not in kinds or not is_same_shape:
            lengths = " x ".join("any" if length is None else str(length) for length in shape)
            raise UsageError(
                f"array {name!r} in {weights.folder / ARRAYS} is {array.dtype} of shape {array.shape}, "
                f"expected {_KIND_NAMES.get(kinds, kinds)} of shape {lengths}; {weights.advice}"
            )


def refuse_weights(method: str, weights: str | Path | None) -> None:
    """Raise UsageError if weights are passed to a method that does not learn."""
    if weights is not None:
        raise UsageError(f"method {method!r} has no weights; leave out weights={str(weights)!r}")


def save_weights(
    folder: Path, model: str, arrays: Mapping[str, NDArray[Any]], config: Mapping[str, Any], card: str
) -> None:
    """Write a folder of weights completely or not at all. An existing folder of weights is replaced."""
    check_output(folder)
    from safetensors.numpy import save_file

    with replace_folder(folder) as draft:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, draft / ARRAYS)
        (draft / ARRAYS).chmod(0o644)  # save_file makes it private; installed and shared weights are for everyone
        text = json.dumps({"model": model, **config}, indent=2, ensure_ascii=False, sort_keys=True)
        (draft / CONFIG).write_text(text + "\n", "utf-8")
        (draft / CARD).write_text(card, "utf-8")


def check_output(folder: Path) -> None:
    """Raise UsageError if a folder for weights exists and contains something else: it would be deleted."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a new folder for the weights")
    above = next((path for path in folder.absolute().parents if path.exists()), None)
    if above is not None and not above.is_dir():
        raise UsageError(f"{above} is a file, so {folder} cannot be created; name a new folder for the weights")
    if folder.exists() and {path.name for path in folder.iterdir()} - {ARRAYS, CONFIG, CARD}:
        raise UsageError(f"{folder} contains other files, which would be deleted; name a new folder for the weights")


def find_newest(model: str) -> Path:
    """Return the folder of the newest shipped weights of a model. Raises UsageError."""
    versions = sorted((SHIPPED / model).glob("[0-9]*"), key=lambda folder: int(folder.name))
    if not versions:
        raise UsageError(f"no weights of {model} are shipped; train them: broadsheet train {model}")
    return versions[-1]


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
        return parse_json((folder / CONFIG).read_bytes(), dict)
    except (OSError, DamagedFile) as error:
        raise WeightsError(
            f"cannot read {folder / CONFIG}: {error}; train new weights: broadsheet train MODEL"
        ) from error


# Cards of weights: the README.md that training writes into every folder of weights


_COMMAND = re.compile(r"^- Trained by `([^`]+)`", re.MULTILINE)
_DATE = re.compile(r"^- Date: (\S+)$", re.MULTILINE)
_TABLE = re.compile(r"^\| (measure|training data) .*\n\| ---.*\n((?:\|.*\n?)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TrainingData:
    """A row of the table of training data."""

    name: str
    pages: int
    licence: str  # as the origin of the pages states it


@dataclass(frozen=True, slots=True)
class CardSummary:
    """The main facts of a card. A fact that the card does not state is empty."""

    model: str
    place: str  # "shipped", or the folder of own weights
    date: str
    pages: int  # training pages
    measure: str  # the first one on the card
    value: str
    command: str  # that trains the weights
    data: tuple[TrainingData, ...]


def list_shipped() -> list[CardSummary]:
    """Return the summaries of the newest shipped weights of each model."""
    names = sorted(path.name for path in SHIPPED.iterdir() if path.is_dir())
    return [_summarize(name, "shipped", find_newest(name)) for name in names]


def list_trained_cards(folder: Path) -> list[CardSummary]:
    """Return the summaries of the folders of weights in a folder; none if it has none."""
    parts = sorted(path.parent for path in folder.glob(f"*/{CONFIG}"))
    return [_summarize(read_model_name(part), str(part), part) for part in parts]


def read_card(name: str) -> str:
    """Return the cards of a folder of weights, or the card of a model's shipped weights. Raises WeightsError."""
    is_model = (SHIPPED / name).is_dir() and "/" not in name and not (Path(name) / CONFIG).is_file()
    if not is_model and "/" not in name and not Path(name).exists():
        raise WeightsError(describe_unknown("model", name, (card.model for card in list_shipped())))
    folders = [find_newest(name)] if is_model else list_weights(Path(name))
    return "\n".join(_read(folder) for folder in folders)


def _read(folder: Path) -> str:
    try:
        return (folder / CARD).read_text("utf-8")
    except (OSError, ValueError) as error:
        raise WeightsError(f"cannot read the card {folder / CARD}: {error}") from error


def _summarize(model: str, place: str, folder: Path) -> CardSummary:
    card = _read(folder) if (folder / CARD).is_file() else ""
    tables = {match[1]: [_split_row(row) for row in match[2].splitlines()] for match in _TABLE.finditer(card)}
    measures = [row for row in tables.get("measure", []) if len(row) > 1]
    rows = [row for row in tables.get("training data", []) if len(row) > 2 and row[1].isdigit()]
    data = tuple(TrainingData(row[0], int(row[1]), row[2]) for row in rows)
    command, date = _COMMAND.search(card), _DATE.search(card)
    measure, value = measures[0][:2] if measures else ("", "")
    return CardSummary(
        model=model,
        place=place,
        date=date[1] if date else "",
        pages=sum(row.pages for row in data),
        measure=measure,
        value=value,
        command=command[1] if command else "",
        data=data,
    )


def _split_row(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split(" | ")]
