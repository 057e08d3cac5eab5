"""Fingerprints of code: an answer or a score is out of date when the code that made it has changed."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points, version
from importlib.util import find_spec
from pathlib import Path

import broadsheet
from broadsheet.evaluation.peers import adapters
from broadsheet.methods.registry import ENTRY_POINT_GROUP, METHODS

ROOT = Path(broadsheet.__file__).parent
# Folders that never touch what `broadsheet.extract` gives back.
_APART = frozenset(("batch", "cli", "corpora", "evaluation", "server", "training"))
_SCORING = ("blocks", "corpora", "errors.py", "page", "text", "evaluation/measures")
_SCORING_TOO = tuple(f"evaluation/{name}.py" for name in ("answer", "gold", "headline", "mistakes", "scores"))
# Code of others that runs on every page, in extraction and in scoring; the rest of the dependencies only print.
_FOUNDATIONS = ("rapidfuzz", "turbohtml")


@cache
def fingerprint_extraction(root: Path = ROOT) -> str:
    """Fingerprint of everything that an extracted article may depend on, weights and foundations among it."""
    files = (path for path in root.rglob("*") if path.relative_to(root).parts[0] not in _APART)
    return _fingerprint(root, files, read_foundations())


@cache
def fingerprint_scoring(root: Path = ROOT) -> str:
    """Fingerprint of everything that a page's scores may depend on."""
    return _fingerprint(root, find_scoring_files(root), read_foundations())


@cache
def fingerprint_adapters() -> str:
    """Fingerprint of the code through which peers are called."""
    path = Path(adapters.__file__)
    return _fingerprint(path.parent, [path])


def fingerprint_method(name: str) -> str:
    """Fingerprint of a method: Broadsheet's own code and, for a method of another package, that package too."""
    if name in METHODS:
        return fingerprint_extraction()
    *_, point = entry_points(group=ENTRY_POINT_GROUP, name=name)
    return f"{fingerprint_extraction()}+{fingerprint_plugin(point)}"


def fingerprint_plugin(point: EntryPoint) -> str:
    """Fingerprint of the package that an entry point belongs to: its version, and its files for those who edit them."""
    release = f"{point.dist.name} {point.dist.version}" if point.dist else ""
    # The whole package: its module may be a door to others. A namespace package has no files of its own.
    spec = find_spec(point.module.partition(".")[0])
    if spec is None or spec.origin is None:
        spec = find_spec(point.module)
    if spec is None or spec.origin is None:
        return _fingerprint(Path(), [], release)
    folder = Path(spec.origin).parent
    is_package = spec.submodule_search_locations is not None
    return _fingerprint(folder, folder.rglob("*") if is_package else [Path(spec.origin)], release)


def find_scoring_files(root: Path = ROOT) -> list[Path]:
    """Files that a page's scores may depend on."""
    files: list[Path] = []
    for name in (*_SCORING, *_SCORING_TOO):
        path = root / name
        files += path.rglob("*.py") if path.is_dir() else [path]
    return files


def read_foundations() -> str:
    """Versions of Python and of the packages under every method."""
    return " ".join(
        (f"python {platform.python_version()}", *(f"{package} {version(package)}" for package in _FOUNDATIONS))
    )


def _fingerprint(root: Path, paths: Iterable[Path], release: str = "") -> str:
    seen = hashlib.sha256(release.encode())
    for path in sorted(path for path in paths if path.is_file() and "__pycache__" not in path.parts):
        seen.update(path.relative_to(root).as_posix().encode())
        seen.update(hashlib.sha256(path.read_bytes()).digest())
    return seen.hexdigest()[:16]
