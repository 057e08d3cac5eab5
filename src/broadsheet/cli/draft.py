"""Files that are written whole or not at all, and errors that name them as the user does."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from broadsheet.errors import BroadsheetError


class Draft:
    """A file under another name beside its place, until it is kept or dropped.

    Its name is chosen before there is a file: an interrupt at any moment leaves nothing that `drop` does not find.
    """

    file: TextIO

    def __init__(self, path: Path) -> None:
        self._path = path
        self._goal = Path(os.path.realpath(path))  # through a link: the link stays
        self._name = self._goal.with_name(f".broadsheet-{os.urandom(6).hex()}.part")
        self._is_special = False

    def open(self) -> None:
        """Make the file. A special one (/dev/null, a named pipe) is written to directly."""
        mode = _find_mode(self._path)
        self._is_special = mode is not None and not stat.S_ISREG(mode)
        if self._is_special:
            self.file = self._path.open("w", encoding="utf-8", errors="replace")
            return
        # To be put in the place of a file, one needs no right to write to it: to ask for it is good manners.
        if mode is not None and not os.access(self._goal, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        self.file = self._name.open("x", encoding="utf-8", errors="replace", newline="\n")
        if mode is not None:
            self._name.chmod(mode & 0o777)

    def keep(self) -> None:
        """Put the file in its place."""
        self.file.close()
        if not self._is_special:
            self._name.replace(self._goal)

    def drop(self) -> None:
        """Throw the file away."""
        if hasattr(self, "file"):
            with contextlib.suppress(OSError):  # a full disk, say, is why it is thrown away
                self.file.close()
        with contextlib.suppress(OSError):  # there may be none yet, or none any more
            self._name.unlink()

    @contextlib.contextmanager
    def unless_broken(self) -> Iterator[None]:
        """Drop the file if anything at all goes wrong."""
        try:
            yield
        except BaseException:
            self.drop()
            raise


def _find_mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


class OutputError(BroadsheetError):
    """An output could not be written."""


@contextlib.contextmanager
def blame_output(output: object) -> Iterator[None]:
    """Name the output as the user knows it when something goes wrong with it."""
    try:
        yield
    except BrokenPipeError:  # the reader has enough: no error
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(f"cannot write {output}: {reason}; {_advise(error)}") from error


def _advise(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "change the permissions of the file or its folder, or write to another"
    return "make room, or write elsewhere" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "write elsewhere"
