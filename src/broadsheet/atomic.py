"""Atomic writes: a file or folder has its old content or its new content, never a part of the new one.

The content is written under a hidden temporary name beside the target, flushed to disk and renamed. The temporary
name is removed when the writing fails or is interrupted; what a killed process left is removed by the next one that
writes to the folder. A special file (/dev/null, a named pipe) is written directly.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, overload

_fcntl: Any = import_module("fcntl") if os.name == "posix" else None  # else drafts are not locked, and not swept

_MAX_NAME_CHARS = 50  # of the target's name in the temporary name: file systems allow 255 bytes
_DRAFT_NAME = re.compile(r"\..*-[0-9a-f]{8}\.part", re.DOTALL)
_PRIVATE_MODE = 0o600
_NEW_MODE = 0o666  # the system takes the umask off
_swept_folders: set[Path] = set()  # once per process: a folder may get thousands of files


@overload
def write_atomically(
    path: Path,
    mode: Literal["w"] = "w",
    *,
    errors: str = "strict",
    durable: bool = True,
    follows_links: bool = True,
    is_private: bool = False,
    choose_path: Callable[[Path], Path] | None = None,
) -> AbstractContextManager[TextIO]: ...
@overload
def write_atomically(
    path: Path,
    mode: Literal["wb"],
    *,
    durable: bool = True,
    follows_links: bool = True,
    is_private: bool = False,
    choose_path: Callable[[Path], Path] | None = None,
) -> AbstractContextManager[BinaryIO]: ...
@contextmanager
def write_atomically(path: Path, mode: str = "w", *, errors: str = "strict", **options: Any) -> Iterator[Any]:
    """Open a file for writing: text in UTF-8, or bytes with mode "wb". It replaces `path` when the block ends.

    The options are those of `replace_file`.
    """
    with replace_file(path, **options) as draft:
        if mode == "wb":
            with draft.open("wb") as file:
                yield file
        else:
            with draft.open("w", encoding="utf-8", errors=errors, newline="\n") as text:
                yield text


@contextmanager
def replace_file(
    path: Path,
    *,
    durable: bool = True,
    follows_links: bool = True,
    is_private: bool = False,
    choose_path: Callable[[Path], Path] | None = None,
) -> Iterator[Path]:
    """Yield the path of an empty draft, for libraries that take a path. It replaces `path` when the block ends.

    Args:
        path: The target. If it exists, its mode is kept.
        durable: Flush to disk, which is slow for thousands of small files. Without it, some of them may be empty after
            a power failure.
        follows_links: A symbolic link keeps pointing to its file, which is replaced. Else the link itself is replaced:
            for names that pages and addresses choose.
        is_private: Only the owner may read the file.
        choose_path: Called with the target when the content is complete; returns the path to replace instead.

    """
    mode = _find_mode(path, follows_links=follows_links)
    if follows_links and mode is not None and not stat.S_ISREG(mode):
        yield path
        return
    target = Path(os.path.realpath(path)) if follows_links else Path(os.path.realpath(path.parent)) / path.name
    is_regular = mode is not None and stat.S_ISREG(mode)
    # Replacing a file needs no permission to write to it, so a write-protected file is checked here.
    if is_regular and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    kept_mode = _PRIVATE_MODE if is_private else mode & 0o777 if mode is not None and is_regular else None
    sweep_drafts(target.parent)
    draft, lock = _create_draft(target, _NEW_MODE if kept_mode is None else kept_mode)
    try:
        yield draft
        if durable:
            _flush(draft)
        if kept_mode is not None:
            draft.chmod(kept_mode)
        draft.replace(choose_path(target) if choose_path else target)
    except BaseException:  # KeyboardInterrupt included
        draft.unlink(missing_ok=True)
        raise
    finally:
        os.close(lock)


@contextmanager
def replace_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder to fill. It replaces `path` when the block ends."""
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    sweep_drafts(target.parent)
    draft = _name_draft(target)
    draft.mkdir()
    lock = _lock_folder(draft)
    try:
        yield draft
        for file in draft.rglob("*"):
            if file.is_file():
                _flush(file)
        _swap(draft, target)
    finally:
        _delete_folder(draft)
        if lock is not None:
            os.close(lock)


def _find_mode(path: Path, *, follows_links: bool) -> int | None:
    try:
        return path.stat(follow_symlinks=follows_links).st_mode
    except FileNotFoundError:
        return None


def _create_draft(target: Path, mode: int) -> tuple[Path, int]:
    """Create an empty file that did not exist; return its path and the descriptor that keeps its lock."""
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    while True:
        draft = _name_draft(target)
        descriptor = os.open(draft, flags, mode)
        _lock(descriptor, waits=True)
        if os.fstat(descriptor).st_nlink:  # else a sweep was faster than the lock
            return draft, descriptor
        os.close(descriptor)


def _lock_folder(folder: Path) -> int | None:
    if _fcntl is None:
        return None
    descriptor = os.open(folder, os.O_RDONLY)
    _lock(descriptor, waits=True)
    return descriptor


def _lock(descriptor: int, *, waits: bool) -> bool:
    """Lock a draft. Return False if another process has it, or if the file system has no locks."""
    if _fcntl is None:
        return False
    try:
        _fcntl.flock(descriptor, _fcntl.LOCK_EX if waits else _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def create_private(path: Path) -> None:
    """Create an empty file that only the owner may read, for a library that writes in place. Keep an existing one."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE_MODE))


def sweep_drafts(folder: Path) -> None:
    """Delete the drafts in a folder that killed processes left. Those of running processes are locked."""
    if folder in _swept_folders or _fcntl is None:
        return
    _swept_folders.add(folder)
    with suppress(OSError):
        for entry in os.scandir(folder):
            if _DRAFT_NAME.fullmatch(entry.name):
                with suppress(OSError):
                    _sweep(Path(entry.path))


def _sweep(draft: Path) -> None:
    descriptor = os.open(draft, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        facts = os.fstat(descriptor)
        if facts.st_uid != os.geteuid() or not _lock(descriptor, waits=False):
            return
        if stat.S_ISDIR(facts.st_mode):
            _delete_folder(draft)
        elif stat.S_ISREG(facts.st_mode):
            draft.unlink()
    finally:
        os.close(descriptor)


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
