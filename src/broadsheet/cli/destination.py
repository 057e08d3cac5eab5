"""Outputs: stdout, one file that is written completely or not at all, a folder with one file per page, a table."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, Self, TextIO, cast

from broadsheet.atomic import write_atomically
from broadsheet.cli.messages import OutputError, name_output_in_errors
from broadsheet.cli.sources import STDIN, NamedSource
from broadsheet.errors import UsageError
from broadsheet.output import FileFrame, TableFormat
from broadsheet.web import is_address

if TYPE_CHECKING:
    from broadsheet.article import Article
    from broadsheet.output.record import Column
    from broadsheet.output.tables import TableWriter

ChoosePath = Callable[[Path], Path]  # of a complete output: its path, or another one beside it
_UNSAFE_CHARS = re.compile(r"[^\w.-]+")
_MAX_NAME_CHARS = 120
_MAX_NAME_BYTES = 230  # most file systems allow 255; the ending and a number are added
# Control characters move the cursor and change the terminal; line breaks and tabs stay.
_CONTROL_CHARS = dict.fromkeys(code for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t")
_C1_CHARS = dict.fromkeys(range(127, 160))  # the others occur only in the colours of explanations


class Destination(Protocol):
    """Writes one text per page. After an error no partly written file is left."""

    def write(self, source: NamedSource, text: str) -> None:
        """Write the text of a page."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None: ...


def open_destination(
    output: str | None,
    *,
    sources: Iterable[NamedSource],
    ending: str,
    frame: FileFrame,
    choose_path: ChoosePath | None = None,
) -> Destination:
    """Choose by the name: None or "-" is stdout; an existing folder, or a name that ends with "/", is a folder."""
    if output in (None, STDIN):
        return ToStdout(frame)
    if is_folder(output):
        return ToFolder(Path(str(output)), ending, taken=(source.name for source in sources))
    return ToFile(check_output(str(output), sources), frame, choose_path)


def check_output(output: str, sources: Iterable[NamedSource]) -> Path:
    """Return the path of an output file. Raises UsageError if its folder is missing, or if it is one of the pages."""
    path = Path(output)
    if not os.path.isdir(path.parent):  # noqa: PTH112 - Path.is_dir raises without permission
        raise UsageError(f"there is no folder {path.parent}; create it first, or write to another")
    if any(_is_same(path, source.name) for source in sources):
        raise UsageError(f"the output {path} is one of the pages; write to another file")
    return path


def is_folder(output: str | None) -> bool:
    """Return whether an output is meant as a folder."""
    if output is None or output == STDIN:
        return False
    return output.endswith(("/", os.sep)) or os.path.isdir(output)  # noqa: PTH112 - the same


def check_table(table: TableFormat, output: str | None) -> None:
    """Raise UsageError or MissingExtra if a table cannot be written to an output."""
    table.check_package()
    if is_folder(output):
        raise UsageError(f"a {table.name} file holds all pages; write it to a file: -o FILE{table.ending}")
    if output in (None, STDIN) and not table.is_text and sys.stdout.isatty():
        raise UsageError(f"{table.name} is not for a terminal; write it to a file: -o FILE{table.ending}")


def _is_same(path: Path, name: str) -> bool:
    try:
        return path.samefile(name)
    except OSError:  # one of them does not exist or cannot be read
        return False


class _Framed:
    """Texts one after the other, with the separators of their format."""

    def __init__(self, frame: FileFrame) -> None:
        self._frame = frame
        self._count = 0

    def _put(self, text: str, file: TextIO) -> None:
        lead = self._frame.between if self._count else self._frame.before
        file.write(lead + text + (self._frame.after_each if text else ""))
        self._count += 1

    def _end(self, file: TextIO) -> None:
        if self._count:
            file.write(self._frame.after)


def write_stdout(text: str) -> None:
    """Print a text that contains words of pages. Raises OutputError."""
    with name_output_in_errors("to stdout"):
        sys.stdout.write(text.translate(_CONTROL_CHARS) if _prepare_stdout() else text)
        sys.stdout.flush()


def _prepare_stdout() -> bool:
    """Return whether stdout is a terminal: it gets its encoding. Pipes and files get UTF-8 in any locale."""
    is_terminal = sys.stdout.isatty()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding=sys.stdout.encoding if is_terminal else "utf-8", errors="replace")
    return is_terminal


class _Terminal(io.RawIOBase):
    """Standard output for a writer of bytes, without control characters."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._out = sys.stdout

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._out.write(self._decoder.decode(bytes(data)).translate(_CONTROL_CHARS))
        return len(data)


class ToStdout(_Framed):
    """Standard output."""

    def __enter__(self) -> Self:
        self._is_terminal = _prepare_stdout()
        return self

    def write(self, source: NamedSource, text: str) -> None:  # noqa: ARG002 - part of the interface
        """Print the text of a page."""
        with name_output_in_errors("to stdout"):
            self._put(text.translate(_C1_CHARS) if self._is_terminal else text, sys.stdout)

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if kind is None:
            with name_output_in_errors("to stdout"):
                self._end(sys.stdout)
                sys.stdout.flush()


class ToFile(_Framed):
    """One file. An existing file stays until the new one is complete."""

    def __init__(self, path: Path, frame: FileFrame, choose_path: ChoosePath | None = None) -> None:
        super().__init__(frame)
        self._path = path
        self._writing = write_atomically(path, errors="replace", choose_path=choose_path)

    def __enter__(self) -> Self:
        with name_output_in_errors(self._path):
            self._file = self._writing.__enter__()
        return self

    def write(self, source: NamedSource, text: str) -> None:  # noqa: ARG002 - part of the interface
        """Add the text of a page."""
        with name_output_in_errors(self._path):
            self._put(text, self._file)

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        with name_output_in_errors(self._path):
            if kind is None and self._count:
                self._end_and_keep()
            else:  # an error, or nothing was written: any exception drops the file
                self._writing.__exit__(OutputError, OutputError(), None)

    def _end_and_keep(self) -> None:
        try:
            self._end(self._file)
        except BaseException as error:
            self._writing.__exit__(type(error), error, error.__traceback__)
            raise
        self._writing.__exit__(None, None, None)


class ToFolder:
    """A folder with one file per page, each written completely or not at all."""

    def __init__(self, path: Path, ending: str, taken: Iterable[str]) -> None:
        self._path = path
        self._ending = ending
        # Input pages are never overwritten, even when the output folder is the input folder.
        self._taken = {str(Path(name).resolve()).casefold() for name in taken if not is_address(name)}
        self._uses: Counter[str] = Counter()

    def __enter__(self) -> Self:
        with name_output_in_errors(f"to the folder {self._path}"):
            self._path.mkdir(parents=True, exist_ok=True)
        return self

    def write(self, source: NamedSource, text: str) -> None:
        """Write the file of a page."""
        path = self._choose_path(source)
        with name_output_in_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._check_inside(path)
            # Pages choose the names. A link of this name, which somebody else may have made, is replaced.
            with write_atomically(path, errors="replace", durable=False, follows_links=False) as file:
                file.write(text + "\n" if text else "")

    def _check_inside(self, path: Path) -> None:
        """Raise OutputError if a link below the folder leads out of it."""
        if not path.parent.resolve().is_relative_to(self._path.resolve()):
            raise OutputError(f"cannot write {path}: {path.parent} is a link to another folder; write elsewhere")

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        """Do nothing: every file is complete."""

    def _choose_path(self, source: NamedSource) -> Path:
        stem = self._path.joinpath(*name_output(source))
        uses = str(stem).casefold()  # some file systems ignore case
        while True:
            self._uses[uses] += 1
            number = f"-{self._uses[uses]}" if self._uses[uses] > 1 else ""
            path = stem.with_name(f"{stem.name}{number}{self._ending}")
            if (key := str(path.parent.resolve() / path.name).casefold()) not in self._taken:
                self._taken.add(key)
                return path


class ToTable:
    """A table of articles. The file is created with the first row, under a temporary name, and renamed at the end."""

    def __init__(
        self,
        path: Path | None,
        table: TableFormat,
        columns: Sequence[Column],
        choose_path: ChoosePath | None = None,
    ) -> None:
        self._path = path  # None: stdout
        self._choose_path = choose_path
        self._table = table
        self._columns = columns
        self._stack = ExitStack()
        self._writer: TableWriter | None = None

    def __enter__(self) -> Self:
        self._stack.__enter__()
        return self

    def write(self, article: Article) -> None:
        """Add the row of an article."""
        with name_output_in_errors(self._shown_name):
            if self._writer is None:
                writer = self._table.open_writer(self._open_file(), self._columns)
                self._writer = self._stack.enter_context(closing(writer))
            self._writer.write(article)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with name_output_in_errors(self._shown_name):
            self._stack.__exit__(kind, error, trace)
            if self._path is None and kind is None:
                sys.stdout.flush()

    @property
    def _shown_name(self) -> Path | str:
        return "to stdout" if self._path is None else self._path

    def _open_file(self) -> BinaryIO:
        if self._path is None:
            return cast("BinaryIO", _Terminal()) if _prepare_stdout() else sys.stdout.buffer
        return self._stack.enter_context(write_atomically(self._path, "wb", choose_path=self._choose_path))


def name_output(source: NamedSource) -> tuple[str, ...]:
    """Return the folders and the name, without an ending, of a page's output file."""
    if source.name == STDIN:
        return ("stdin",)
    if is_address(source.name):
        return (_clean_name(source.name.partition("://")[2]),)
    path = Path(source.relative_name)
    name = path.name.removesuffix(".gz").removesuffix(".GZ")
    return (*(part for part in path.parent.parts if part not in ("..", "/")), _clean_name(Path(name).stem))


def _clean_name(name: str) -> str:
    name = _UNSAFE_CHARS.sub("-", name).strip("-.")[:_MAX_NAME_CHARS]
    return name.encode()[:_MAX_NAME_BYTES].decode(errors="ignore") or "page"
