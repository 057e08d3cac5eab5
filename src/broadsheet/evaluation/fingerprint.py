"""Fingerprints of code: an answer or a score is out of date when the code that made it has changed."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points, version
from importlib.util import find_spec
from pathlib import Path

from broadsheet.evaluation import peer_adapters
from broadsheet.import_graph import ROOT, find_sources
from broadsheet.methods.registry import ENTRY_POINT_GROUP, METHODS, PUBLISHED

_EXTRACTION = "broadsheet.api"
_SCORING = "broadsheet.evaluation.scores"
# Packages that run on every page, in extraction and in scoring.
_PAGE_PACKAGES = ("rapidfuzz", "turbohtml")


@cache
def fingerprint_extraction(root: Path = ROOT) -> str:
    """Return the fingerprint of everything that an article depends on: code, weights, packages."""
    weights = (root / "models" / "weights").rglob("*")
    return _fingerprint(root, (*find_sources(_EXTRACTION, root=root), *weights), read_package_versions())


@cache
def fingerprint_scoring(root: Path = ROOT) -> str:
    """Return the fingerprint of everything that a page's scores depend on, besides the answer and the labels."""
    return _fingerprint(root, find_sources(_SCORING, root=root), read_package_versions())


@cache
def fingerprint_adapters() -> str:
    """Return the fingerprint of the code that calls peers."""
    path = Path(peer_adapters.__file__)
    return _fingerprint(path.parent, [path])


def fingerprint_method(name: str) -> str:
    """Return the fingerprint of a method: Broadsheet's code and, for a method of another package, that package too."""
    if name in METHODS or name in PUBLISHED:
        return fingerprint_extraction()
    *_, point = entry_points(group=ENTRY_POINT_GROUP, name=name)
    return f"{fingerprint_extraction()}+{fingerprint_plugin(point)}"


def fingerprint_weights(folders: Iterable[Path]) -> str:
    """Return the fingerprint of folders of weights."""
    return "+".join(_fingerprint(folder, folder.iterdir()) for folder in sorted(folders))


def fingerprint_plugin(point: EntryPoint) -> str:
    """Return the fingerprint of the package of an entry point: its version, and its files, which may be edited."""
    release = f"{point.dist.name} {point.dist.version}" if point.dist else ""
    # The whole package, since the module may import others of it. A namespace package has no files.
    spec = find_spec(point.module.partition(".")[0])
    if spec is None or spec.origin is None:
        spec = find_spec(point.module)
    if spec is None or spec.origin is None:
        return _fingerprint(Path(), [], release)
    folder = Path(spec.origin).parent
    is_package = spec.submodule_search_locations is not None
    return _fingerprint(folder, folder.rglob("*") if is_package else [Path(spec.origin)], release)


def read_package_versions() -> str:
    """Return the versions of Python and of the packages that run on every page."""
    packages = (f"{package} {version(package)}" for package in _PAGE_PACKAGES)
    return " ".join((f"python {platform.python_version()}", *packages))


def _fingerprint(root: Path, paths: Iterable[Path], release: str = "") -> str:
    content = hashlib.sha256(release.encode())
    for path in sorted(path for path in paths if path.is_file() and "__pycache__" not in path.parts):
        content.update(path.relative_to(root).as_posix().encode())
        content.update(hashlib.sha256(path.read_bytes()).digest())
    return content.hexdigest()[:16]
