"""Atomic writes: a file or folder has its old content or its new content, never a part of the new one.

The content is written under a hidden temporary name beside the target, flushed to disk and renamed. The temporary
name is removed when the writing fails or is interrupted. A special file (/dev/null, a named pipe) is written directly.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, overload

_MAX_NAME_CHARS = 50  # of the target's name in the temporary name: file systems allow 255 bytes


@overload
def write_atomically(
    path: Path, mode: Literal["w"] = "w", *, errors: str = "strict", durable: bool = True
) -> AbstractContextManager[TextIO]: ...
@overload
def write_atomically(path: Path, mode: Literal["wb"], *, durable: bool = True) -> AbstractContextManager[BinaryIO]: ...
@contextmanager
def write_atomically(path: Path, mode: str = "w", *, errors: str = "strict", durable: bool = True) -> Iterator[Any]:
    """Open a file for writing: text in UTF-8, or bytes with mode "wb". It replaces `path` when the block ends.

    `durable=False` skips the flush to disk, which is slow for thousands of small files: after a power failure some of
    them may be empty.
    """
    with replace_file(path, durable=durable) as draft:
        if mode == "wb":
            with draft.open("wb") as file:
                yield file
        else:
            with draft.open("w", encoding="utf-8", errors=errors, newline="\n") as text:
                yield text


@contextmanager
def replace_file(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Yield a temporary path to write to, for libraries that take a path. It replaces `path` when the block ends."""
    mode = _find_mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        yield path
        return
    target = Path(os.path.realpath(path))  # a symbolic link keeps pointing to the file
    # Replacing a file needs no permission to write to it, so a write-protected file is checked here.
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    draft = _name_draft(target)
    try:
        yield draft
        if durable:
            _flush(draft)
        if mode is not None:
            draft.chmod(mode & 0o777)
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
        _delete_folder(draft)


def _find_mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


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
    _delete_folder(old)


def _name_draft(target: Path) -> Path:
    return target.with_name(f".{target.name[:_MAX_NAME_CHARS]}-{os.urandom(4).hex()}.part")


def _flush(path: Path) -> None:
    """Write cached data to disk: after a power failure the name must not point to an empty file."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _delete_folder(folder: Path) -> None:
    import shutil  # imported here: it loads all compressors, and extraction deletes nothing

    shutil.rmtree(folder, ignore_errors=True)
