"""Cache of computed features: columns of many pages, stored in the work folder between runs.

A cache entry is a folder with one file per column: `NAME.npy` for an array, which can be memory-mapped, and
`NAME.json` for a list of strings. Its name contains a key of everything that the columns depend on: code, data and
options. An entry that does not fit the key is never read; delete the work folder to free the space.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.atomic import replace_folder
from broadsheet.import_graph import ROOT, find_sources
from broadsheet.training.datasets import Dataset, describe_path

Column = NDArray[Any] | list[str]
_PACKAGES = ("rapidfuzz", "turbohtml")  # rapidfuzz aligns gold texts, turbohtml parses some pages


def load_or_compute(
    folder: Path, compute: Callable[[], Mapping[str, Column]], *, is_mapped: bool = False
) -> dict[str, Any]:
    """Return the columns of a cache entry, which is computed if it does not exist. Arrays can be memory-mapped."""
    if not folder.exists():
        _save_columns(folder, compute())
    return _load_columns(folder, is_mapped=is_mapped)


def _save_columns(folder: Path, columns: Mapping[str, Column]) -> None:
    with replace_folder(folder) as draft:
        for name, column in columns.items():
            if isinstance(column, list):
                (draft / f"{name}.json").write_text(json.dumps(column), "utf-8")
            else:
                np.save(draft / f"{name}.npy", column)


def _load_columns(folder: Path, *, is_mapped: bool) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".json":
            columns[path.stem] = json.loads(path.read_text("utf-8"))
        else:
            columns[path.stem] = np.load(path, mmap_mode="r" if is_mapped else None)
    return columns


def list_columns(table: Any) -> dict[str, Any]:
    """Return the fields of a dataclass whose fields are columns."""
    return {field.name: getattr(table, field.name) for field in fields(table)}


def make_key(*parts: object) -> str:
    """Return a short hash of values. Equal values give the same hash in every process."""
    return hashlib.blake2b(repr(_normalize(parts)).encode(), digest_size=6).hexdigest()


def _normalize(value: Any) -> Any:
    """Turn values into nested lists with a stable text: that of a set depends on the process."""
    if is_dataclass(value):
        return [type(value).__name__, [(field.name, _normalize(getattr(value, field.name))) for field in fields(value)]]
    if isinstance(value, Mapping):
        return sorted((repr(key), _normalize(item)) for key, item in value.items())
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if isinstance(value, list | tuple):
        return [_normalize(item) for item in value]
    return repr(value)


def hash_array(array: NDArray[Any]) -> str:
    """Return a short hash of the content of an array."""
    return hashlib.blake2b(np.ascontiguousarray(array).tobytes(), digest_size=6).hexdigest()


def describe_data(datasets: Sequence[Dataset]) -> list[tuple[object, ...]]:
    """Describe the files of some datasets for a key: name, size, time of the last change, and the chosen pages."""
    return [(dataset.path.name, *describe_path(dataset.path), sorted(dataset.chosen or ())) for dataset in datasets]


@cache
def hash_code(module: str, root: Path = ROOT) -> str:
    """Return a hash of the code that the columns of a module depend on: its own, and that of all that it imports."""
    digest = hashlib.blake2b(" ".join(map(version, _PACKAGES)).encode(), digest_size=6)
    for source in find_sources(module, root=root):
        digest.update(source.relative_to(root).as_posix().encode() + b"\0")
        digest.update(source.read_bytes())
    return digest.hexdigest()
