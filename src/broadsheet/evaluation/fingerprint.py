"""Fingerprints of code: an answer or a score is out of date when the code that made it has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import broadsheet

_ROOT = Path(broadsheet.__file__).parent
# Folders that never touch what `broadsheet.extract` gives back.
_APART = frozenset(("batch", "cli", "corpora", "evaluation", "server", "training"))
_SCORING = ("blocks", "corpora", "page", "evaluation/measures", "evaluation/gold.py", "evaluation/headline.py")
_SCORING_TOO = ("evaluation/mistakes.py", "evaluation/scores.py")


@cache
def fingerprint_extraction() -> str:
    """Fingerprint of everything that an extracted article may depend on, weights among it."""
    return _fingerprint(
        path for path in _ROOT.rglob("*") if path.is_file() and path.relative_to(_ROOT).parts[0] not in _APART
    )


@cache
def fingerprint_scoring() -> str:
    """Fingerprint of everything that a page's scores may depend on."""
    files: list[Path] = []
    for name in (*_SCORING, *_SCORING_TOO):
        path = _ROOT / name
        files += path.rglob("*.py") if path.is_dir() else [path]
    return _fingerprint(files)


def _fingerprint(paths: Iterable[Path]) -> str:
    seen = hashlib.sha256()
    for path in sorted(path for path in paths if "__pycache__" not in path.parts):
        seen.update(str(path.relative_to(_ROOT)).encode())
        seen.update(hashlib.sha256(path.read_bytes()).digest())
    return seen.hexdigest()[:16]
