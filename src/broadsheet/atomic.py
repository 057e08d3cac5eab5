"""Atomic writes: a file or folder has its old content or its new content, never a part of the new one.

The content is written under a hidden temporary name beside the target, flushed to disk and renamed. The temporary
name is removed when the writing fails or is interrupted.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, overload

_MAX_NAME_CHARS = 50  # of the target's name in the temporary name: file systems allow 255 bytes


@overload
def write_atomically(
    path: Path, mode: Literal["w"] = "w", *, errors: str = "strict"
) -> AbstractContextManager[TextIO]: ...
@overload
def write_atomically(path: Path, mode: Literal["wb"]) -> AbstractContextManager[BinaryIO]: ...
@contextmanager
def write_atomically(path: Path, mode: str = "w", *, errors: str = "strict") -> Iterator[Any]:
    """Open a file for writing: text in UTF-8, or bytes with mode "wb". It replaces `path` when the block ends."""
    with replace_file(path) as draft:
        if mode == "wb":
            with draft.open("wb") as file:
                yield file
        else:
            with draft.open("w", encoding="utf-8", errors=errors, newline="\n") as text:
                yield text


@contextmanager
def replace_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to, for libraries that take a path. It replaces `path` when the block ends."""
    target = Path(os.path.realpath(path))  # a symbolic link keeps pointing to the file
    draft = _name_draft(target)
    try:
        yield draft
        _flush(draft)
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o777)
        draft.replace(target)
    except BaseException:  # KeyboardInterrupt included
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def replace_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder to fill. It replaces `path` when the block ends."""
    target = Path(os.path.realpath(path))
    draft = _name_draft(target)
    draft.mkdir(parents=True)
    try:
        yield draft
        for file in draft.rglob("*"):
            if file.is_file():
                _flush(file)
        _swap(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _swap(draft: Path, target: Path) -> None:
    """Rename the draft to the target. A folder cannot be renamed over another one, so the old one is moved away."""
    if not target.exists():
        draft.rename(target)
        return
    old = _name_draft(target)
    target.rename(old)
    try:
        draft.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _name_draft(target: Path) -> Path:
    return target.with_name(f".{target.name[:_MAX_NAME_CHARS]}-{os.urandom(4).hex()}.part")


def _flush(path: Path) -> None:
    """Write cached data to disk: after a power failure the name must not point to an empty file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
