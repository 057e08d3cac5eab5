"""Tables as outputs: one file that is written completely or not at all, or stdout."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from broadsheet.article import Article
from broadsheet.atomic import write_atomically
from broadsheet.cli.output_error import name_output_in_errors
from broadsheet.output import TableFormat
from broadsheet.output.record import Column
from broadsheet.output.tables import TableWriter


class ToTable:
    """Writes rows. The file is created with the first row, under a temporary name, and renamed at the end."""

    def __init__(self, path: Path | None, table: TableFormat, columns: Sequence[Column]) -> None:
        self._path = path  # None: stdout
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
            return sys.stdout.buffer
        return self._stack.enter_context(write_atomically(self._path, "wb"))
