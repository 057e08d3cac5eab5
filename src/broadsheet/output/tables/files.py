"""Write an iterator of articles to a table file: the interface of all writers, CSV and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from broadsheet.article import Article
from broadsheet.atomic import write_atomically
from broadsheet.errors import UsageError
from broadsheet.fields.field import IMAGES, STRINGS
from broadsheet.output.formats import TABLES
from broadsheet.output.record import (
    BLOCKS,
    COMMENTS,
    CONFIDENCES,
    DOUBTS,
    INTEGER,
    NUMBER,
    SOURCES,
    TREE,
    Column,
    choose_columns_of,
    format_json_line,
    peek,
    to_dict,
)

_JSON_LINES_ENDINGS = (".jsonl", ".ndjson")
_SEPARATOR = "; "
_JSON_TYPES = (SOURCES, CONFIDENCES, COMMENTS, DOUBTS, BLOCKS, TREE)  # written as JSON
# A cell that begins with one of these is run as a formula by spreadsheet programs (OWASP, CSV injection).
# Some of them also read the full-width forms.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def write_articles(
    articles: Iterable[Article],
    path: str | PathLike[str],
    *,
    fields: Sequence[str] | None = None,
    include: Sequence[str] = (),
) -> int:
    """Write articles to a table, and return their number. The file is written completely or not at all.

    Args:
        articles: The articles; an iterator is read one by one.
        path: The file; its ending is .csv, .xlsx, .parquet or .jsonl.
        fields: Names of the columns; if None, those of the first article: its requested fields, or the record.
        include: More columns: "markdown", "html", "body", "blocks".

    """
    target = Path(path)
    first, articles = peek(articles)
    columns = choose_columns_of(first, fields, include)
    ending = _check_ending(target)
    count = 0
    with write_atomically(target, "wb") as file, closing(_open_writer(ending, file, columns)) as writer:
        for article in articles:
            writer.write(article)
            count += 1
    return count


def _check_ending(path: Path) -> str:
    ending = path.suffix.lower()
    endings = [*(row.ending for row in TABLES.values()), *_JSON_LINES_ENDINGS]
    if ending not in endings:
        raise UsageError(f"unknown ending of {path.name!r}; known: {', '.join(endings)}")
    return ending


def _open_writer(ending: str, file: BinaryIO, columns: Sequence[Column]) -> TableWriter:
    if ending in _JSON_LINES_ENDINGS:
        return JsonLinesWriter(file, columns)
    return TABLES[ending[1:]].open_writer(file, columns)


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
        self._file.write(format_json_line(article, self._columns).encode("utf-8", "replace") + b"\n")

    def close(self) -> None:
        """Do nothing: every line is complete."""


def make_cell(value: Any, column: Column) -> str | float | None:
    """Return a value as a cell: names joined with "; ", addresses of images with spaces, objects as JSON."""
    if value is None or isinstance(value, str | int | float):
        return value
    if not value:
        return None
    if column.type == STRINGS:
        separator = "\n" if column.name == "comments" else _SEPARATOR
        return separator.join(value)
    if column.type == IMAGES:
        return " ".join(image["url"] for image in value)
    return json.dumps(value, ensure_ascii=False)


def parse_cell(cell: str, column: Column) -> Any:
    """Return the value of a cell of a CSV file, the inverse of `make_cell`. Raises ValueError."""
    if not cell:
        return [] if column.type in (STRINGS, IMAGES) else None
    if cell[:1] == "'" and cell[1:].startswith(_FORMULA_STARTS):
        cell = cell[1:]
    if column.type == STRINGS:
        return cell.split("\n" if column.name == "comments" else _SEPARATOR)
    if column.type == IMAGES:
        return [{"url": address} for address in cell.split()]
    if column.type in (NUMBER, INTEGER):
        return float(cell) if column.type == NUMBER else int(cell)
    return json.loads(cell) if column.type in _JSON_TYPES else cell


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
        self._rows.writerow(protect_cell(make_cell(record[column.name], column)) for column in self._columns)

    def close(self) -> None:
        """Write what is buffered, and leave the file open."""
        self._text.flush()
        self._text.detach()


def protect_cell(cell: str | float | None) -> str | float | None:
    """Put an apostrophe before text that a spreadsheet program would run as a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell
