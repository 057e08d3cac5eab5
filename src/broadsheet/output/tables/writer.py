"""The interface of all table writers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO, Protocol

from broadsheet.article import Article
from broadsheet.output.as_json import write_json_line
from broadsheet.output.record import Column


class TableWriter(Protocol):
    """Writes articles as rows to an open binary file, with bounded memory. The caller closes the file."""

    def write(self, article: Article) -> None:
        """Add a row."""

    def close(self) -> None:
        """Write what is left. The file is not valid before. Also called after an error, before the file is closed."""


class JsonLinesWriter:
    """One JSON object per line."""

    def __init__(self, file: BinaryIO, columns: Sequence[Column]) -> None:
        self._file = file
        self._columns = columns

    def write(self, article: Article) -> None:
        """Add a line."""
        self._file.write(write_json_line(article, self._columns).encode("utf-8", "replace") + b"\n")

    def close(self) -> None:
        """Do nothing: every line is complete."""
