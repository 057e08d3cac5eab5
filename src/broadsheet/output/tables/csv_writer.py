"""Write articles as CSV that spreadsheet programs and pandas read with their default settings."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import BinaryIO

from broadsheet.article import Article
from broadsheet.output.record import Column, to_dict
from broadsheet.output.tables.cells import make_cell

# A cell that begins with one of these is run as a formula by spreadsheet programs (OWASP, CSV injection).
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class CsvWriter:
    """UTF-8. Files, but not pipes, begin with a byte-order mark: without it, Excel assumes the legacy encoding."""

    def __init__(self, file: BinaryIO, columns: Sequence[Column]) -> None:
        self._columns = columns
        encoding = "utf-8-sig" if file.seekable() else "utf-8"
        self._text = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="")
        self._rows = csv.writer(self._text, lineterminator="\n")
        self._rows.writerow(column.name for column in columns)

    def write(self, article: Article) -> None:
        """Add a row."""
        record = to_dict(article, self._columns)
        self._rows.writerow(_protect_cell(make_cell(record[column.name], column)) for column in self._columns)

    def close(self) -> None:
        """Write what is buffered, and leave the file open."""
        self._text.flush()
        self._text.detach()


def _protect_cell(cell: str | float | None) -> str | float | None:
    """Put an apostrophe before text that a spreadsheet program would run as a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell
