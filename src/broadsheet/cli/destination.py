"""Where articles go: stdout, one file that is written whole or not at all, or a folder with a file for each page."""

from __future__ import annotations

import io
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TextIO

from broadsheet.cli.draft import Draft, blame_output
from broadsheet.cli.sources import STDIN, Source
from broadsheet.errors import UsageError
from broadsheet.fetch import is_address
from broadsheet.output import Frame

_ODD = re.compile(r"[^\w.-]+")
_LONGEST_NAME = 120
_LONGEST_BYTES = 230  # most file systems take 255, with the ending and a number
_CONTROLS = dict.fromkeys(range(127, 160))  # the others are not in any output


class Destination(Protocol):
    """Takes one text for each page. Left by an error, it leaves nothing half-written behind."""

    def write(self, source: Source, text: str) -> None:
        """Take the text of a page."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None: ...


def open_destination(output: str | None, *, sources: Iterable[Source], ending: str, frame: Frame) -> Destination:
    """Choose by the name: none or "-" is stdout; a folder, which is one already or ends with "/", gets many files."""
    if output in (None, STDIN):
        return ToStdout(frame)
    path = Path(str(output))
    if is_folder(output):
        return ToFolder(path, ending, taken=(source.name for source in sources))
    if not os.path.isdir(path.parent):  # noqa: PTH112 - Path.is_dir raises where it may not look
        raise UsageError(f"there is no folder {path.parent}; make it first, or write to another")
    if any(_is_same(path, source.name) for source in sources):
        raise UsageError(f"the output {path} is one of the pages; write to another file")
    return ToFile(path, frame)


def is_folder(output: str | None) -> bool:
    """Tell whether an output is meant as a folder."""
    if output is None or output == STDIN:
        return False
    return output.endswith(("/", os.sep)) or os.path.isdir(output)  # noqa: PTH112 - the same


def _is_same(path: Path, name: str) -> bool:
    try:
        return path.samefile(name)
    except OSError:  # one of them is not there, or may not be looked at
        return False


class _Framed:
    """Texts one after the other, with what the format wants around them."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._count = 0

    def _put(self, text: str, file: TextIO) -> None:
        lead = self._frame.between if self._count else self._frame.before
        file.write(lead + text + (self._frame.after_each if text else ""))
        self._count += 1

    def _end(self, file: TextIO) -> None:
        if self._count:
            file.write(self._frame.after)


class ToStdout(_Framed):
    """Standard output."""

    def __enter__(self) -> Self:
        # Pipes and files get UTF-8 whatever the locale says; a terminal gets what it can show, and no control codes.
        self._is_terminal = sys.stdout.isatty()
        if isinstance(sys.stdout, io.TextIOWrapper):
            encoding = sys.stdout.encoding if self._is_terminal else "utf-8"
            sys.stdout.reconfigure(encoding=encoding, errors="replace")
        return self

    def write(self, source: Source, text: str) -> None:  # noqa: ARG002 - one interface
        """Print the text of a page."""
        with blame_output("to stdout"):
            self._put(text.translate(_CONTROLS) if self._is_terminal else text, sys.stdout)

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if kind is None:
            with blame_output("to stdout"):
                self._end(sys.stdout)
                sys.stdout.flush()


class ToFile(_Framed):
    """One file: what was there stays until all is written."""

    def __init__(self, path: Path, frame: Frame) -> None:
        super().__init__(frame)
        self._path = path
        self._draft = Draft(path)

    def __enter__(self) -> Self:
        with blame_output(self._path), self._draft.unless_broken():
            self._draft.open()
        return self

    def write(self, source: Source, text: str) -> None:  # noqa: ARG002 - one interface
        """Add the text of a page."""
        with blame_output(self._path):
            self._put(text, self._draft.file)

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if kind is not None or not self._count:
            self._draft.drop()
            return
        with blame_output(self._path), self._draft.unless_broken():
            self._end(self._draft.file)
            self._draft.keep()


class ToFolder:
    """A folder: a file for each page, each written whole or not at all."""

    def __init__(self, path: Path, ending: str, taken: Iterable[str]) -> None:
        self._path = path
        self._ending = ending
        # Pages are never written over, also when the folder that they lie in is the one that is written to.
        self._taken = {str(Path(name).resolve()).casefold() for name in taken if not is_address(name)}
        self._uses: Counter[str] = Counter()

    def __enter__(self) -> Self:
        with blame_output(f"to the folder {self._path}"):
            self._path.mkdir(parents=True, exist_ok=True)
        return self

    def write(self, source: Source, text: str) -> None:
        """Write the file of a page."""
        path = self._choose_path(source)
        draft = Draft(path)
        with blame_output(path), draft.unless_broken():
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.open()
            draft.file.write(text + "\n" if text else "")
            draft.keep()

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        """Nothing is left to do: every file is whole."""

    def _choose_path(self, source: Source) -> Path:
        stem = self._path.joinpath(*name_output(source))
        uses = str(stem).casefold()  # some file systems do not tell "A" from "a"
        while True:
            self._uses[uses] += 1
            number = f"-{self._uses[uses]}" if self._uses[uses] > 1 else ""
            path = stem.with_name(f"{stem.name}{number}{self._ending}")
            if (key := str(path.resolve()).casefold()) not in self._taken:
                self._taken.add(key)
                return path


def name_output(source: Source) -> tuple[str, ...]:
    """Name the file of a page after it, without an ending: folders and a name."""
    if source.name == STDIN:
        return ("stdin",)
    if is_address(source.name):
        return (_tidy(source.name.partition("://")[2]),)
    path = Path(source.inside)
    name = path.name.removesuffix(".gz").removesuffix(".GZ")
    return (*(part for part in path.parent.parts if part not in ("..", "/")), _tidy(Path(name).stem))


def _tidy(name: str) -> str:
    name = _ODD.sub("-", name).strip("-.")[:_LONGEST_NAME]
    return name.encode()[:_LONGEST_BYTES].decode(errors="ignore") or "page"
