"""Tables of pages: JSON Lines, CSV, Parquet. A row has the page, the name of its file (a manifest), or its address."""

from __future__ import annotations

import codecs
import csv
import io
import json
import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from broadsheet.capture import Capture, read_address
from broadsheet.errors import InputError
from broadsheet.extras import import_extra
from broadsheet.inputs.files import explain_error, open_packed
from broadsheet.inputs.options import DEFAULT_READ_OPTIONS, ReadOptions
from broadsheet.inputs.pages import fetch_safely, load_page

FILE_COLUMN = "file"
TIME_COLUMN = "fetched_at"
_ARTICLE_HTML_COLUMN = "html"
_VERSION_COLUMN = "broadsheet_version"
_RECORD_COLUMNS = frozenset(("url", "status", "text", "method", "confidence"))  # of the records that Broadsheet writes


@dataclass(frozen=True, slots=True)
class RowReader:
    """Makes captures of the rows of a table."""

    table: str  # name of the file
    options: ReadOptions
    is_table: bool = True  # all rows have the same columns, and offsets count rows, not bytes

    def check_columns(self, columns: Collection[str]) -> None:
        """Raise InputError if no column names the pages."""
        wanted = (self.options.html_column, FILE_COLUMN, self.options.url_column)
        has_pages = self.options.html_column in columns or FILE_COLUMN in columns
        if has_pages and self.is_table and self.options.url_column not in (*columns, DEFAULT_READ_OPTIONS.url_column):
            raise InputError(f"{self.table} has no column {self.options.url_column!r}; its columns: {_show(columns)}")
        # The addresses would be fetched again; and the column html of a record is that of the article, not the page.
        has_article_html = self.options.html_column == _ARTICLE_HTML_COLUMN and _VERSION_COLUMN in columns
        if _RECORD_COLUMNS.issubset(columns) and (not has_pages or has_article_html):
            raise InputError(
                f"{self.table} has extracted articles, not pages; to fetch the pages again, list their addresses"
            )
        if not any(column in columns for column in wanted):
            raise InputError(
                f"{self.table} has no column {wanted[0]!r}, {wanted[1]!r} or {wanted[2]!r}; "
                f"its columns: {_show(columns)}; "
                "name the column of the pages with --html-column"
            )

    def read_row(self, row: Mapping[str, Any], offset: int) -> Capture:
        """Return the capture of a row."""
        url = read_address(row.get(self.options.url_column))
        html, file = row.get(self.options.html_column), row.get(FILE_COLUMN)
        fetched_at = _read_time(row.get(TIME_COLUMN))
        if isinstance(html, str | bytes):
            return Capture(html[: self.options.max_read_bytes], url, self.table, offset, fetched_at)
        if isinstance(file, str) and file:
            return self._read_file(file, url, fetched_at, offset)
        if url and self.options.html_column not in row and FILE_COLUMN not in row:
            return fetch_safely(url, self.table, offset, self.options)
        place = "row" if self.is_table else "the line at byte"
        fault = f"{self.table}: {place} {offset} has no page"
        return Capture(url=url, source_file=self.table, source_offset=offset, fault=fault)

    def _read_file(self, file: str, url: str | None, fetched_at: datetime | None, offset: int) -> Capture:
        """Read a page that a manifest names; relative names are beside the manifest."""
        path = Path(self.table).parent / file
        try:
            return Capture(load_page(path, self.options), url, str(path), fetched_at=fetched_at)
        except InputError as error:
            fault = str(error)
        except (OSError, EOFError, ValueError, zlib.error) as error:
            fault = f"cannot read {path}: {explain_error(error, str(path))}"
        return Capture(url=url, source_file=self.table, source_offset=offset, fault=fault)


def _show(columns: Collection[str]) -> str:
    return ", ".join(sorted(map(str, columns))[:20]) or "none"


def _read_time(value: object) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


_MAX_LINE_BYTES = 64_000_000  # several times the largest page


def read_json_lines(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield a capture for every line. A line that is not an object is a fault; offsets are in bytes, unpacked."""
    rows = RowReader(name, options, is_table=False)
    is_first = True
    with open_packed(name) as file:
        offset = 0
        while line := file.readline(_MAX_LINE_BYTES):
            start, offset = offset, offset + len(line)
            if len(line) == _MAX_LINE_BYTES and not line.endswith(b"\n"):
                offset += _skip_line(file)
                yield _make_fault(name, start, f"is longer than {_MAX_LINE_BYTES:,} bytes")
                continue
            if not line.strip():
                continue
            row = _parse_line(line)
            if isinstance(row, str):
                if is_first:
                    raise InputError(f"{name}: the first line {row}; write one JSON object per line")
                yield _make_fault(name, start, row)
                continue
            if is_first:
                rows.check_columns(row.keys())
                is_first = False
            yield rows.read_row(row, start)
    if is_first:
        raise InputError(f"{name} has no records")


def _parse_line(line: bytes) -> Mapping[str, Any] | str:
    """Return the object of a line, or what is wrong with it."""
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "is not UTF-8"
    except (ValueError, RecursionError):
        return "is not valid JSON"
    return row if isinstance(row, dict) else "is not a JSON object"


def _make_fault(name: str, offset: int, reason: str) -> Capture:
    return Capture(source_file=name, source_offset=offset, fault=f"{name}: the line at byte {offset} {reason}")


def _skip_line(file: BinaryIO) -> int:
    """Read to the end of a line, and return the number of bytes."""
    count = 0
    while piece := file.readline(_MAX_LINE_BYTES):
        count += len(piece)
        if piece.endswith(b"\n"):
            break
    return count


_SNIFFED_CHARS = 10_000
_LAST_LINE = "\ue000end of the table\ue000"  # not in any page: characters for private use


def read_csv(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield a capture for every row after the head. The delimiter is a comma, a semicolon or a tab.

    A table is UTF-8, or UTF-16 with a byte-order mark. A page in another character set is decoded like a file.
    """
    csv.field_size_limit(_MAX_LINE_BYTES)  # a cell may hold a page
    rows = RowReader(name, options)
    with open_packed(name) as file, _open_text(file, name) as text:
        head = text.readline(_MAX_LINE_BYTES)
        delimiter = max(",;\t", key=head[:_SNIFFED_CHARS].count)
        columns = next(csv.reader([head], delimiter=delimiter), [])
        rows.check_columns(columns)
        number = -1
        try:
            cell_rows = csv.reader(_read_lines(text, name), delimiter=delimiter)
            for number, cells in enumerate(_check_end(cell_rows, name)):
                row = {**dict.fromkeys(columns), **dict(zip(columns, cells, strict=False))}
                yield rows.read_row(_restore_bytes(row, options.html_column), number)
        except csv.Error as error:
            raise InputError(f"{name}: row {number + 1} is not valid CSV: {error}") from error
    if number < 0:
        raise InputError(f"{name} has no rows")


def _read_lines(text: io.TextIOWrapper, name: str) -> Iterator[str]:
    """Yield the lines of a table, and a last one that shows whether the table ends inside a quote."""
    while line := text.readline(_MAX_LINE_BYTES):
        if len(line) == _MAX_LINE_BYTES:
            raise InputError(f"{name} has a line that is longer than {_MAX_LINE_BYTES:,} characters")
        yield line
    yield _LAST_LINE


def _check_end(rows: Any, name: str) -> Iterator[list[str]]:
    """Yield the rows of a `csv.reader` that are not empty. Raises InputError if the last one is not complete."""
    start = number = 0  # the line before the row, and the number of the row
    for row in rows:
        if row == [_LAST_LINE]:
            return
        if any(_LAST_LINE in cell for cell in row):
            lines = rows.line_num - start - 2  # without its first one and the added one
            raise InputError(
                f"{name}: row {number} begins a quote that does not end; {lines} lines after it were not read"
            )
        start = rows.line_num
        if row:
            number += 1
            yield row


def _open_text(file: BinaryIO, name: str) -> io.TextIOWrapper:
    """Open a table as text. Bytes that are not UTF-8 are kept, as surrogates."""
    with open_packed(name) as start:
        is_utf16 = start.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    if is_utf16:
        return io.TextIOWrapper(file, "utf-16", "replace", newline="")
    return io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")


def _restore_bytes(row: dict[str, Any], html_column: str) -> dict[str, Any]:
    """Return a row whose page is bytes if it is not UTF-8; in other cells, such bytes are replaced."""
    restored = dict(row)
    for name, value in row.items():
        if isinstance(value, str) and not value.isascii():
            data = value.encode("utf-8", "surrogateescape")
            text = data.decode("utf-8", "replace")
            restored[name] = data if name == html_column and text != value else text
    return restored


_BATCH_ROWS = 64  # pages in memory at a time


def read_parquet(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield a capture for every row; offsets are numbers of rows. Only the columns that are needed are read."""
    parquet = import_extra("pyarrow.parquet", "tables")
    rows = RowReader(name, options)
    with parquet.ParquetFile(name) as file:
        names = file.schema_arrow.names
        rows.check_columns(names)
        wanted = (options.html_column, options.url_column, FILE_COLUMN, TIME_COLUMN)
        number = 0
        for batch in file.iter_batches(_BATCH_ROWS, columns=[column for column in names if column in wanted]):
            for row in _convert_times(batch).to_pylist():
                yield rows.read_row(row, number)
                number += 1


def _convert_times(batch: Any) -> Any:
    """Return a record batch whose times can become Python's: UTC, without nanoseconds."""
    pyarrow = import_extra("pyarrow", "tables")
    index = batch.schema.get_field_index(TIME_COLUMN)
    if index < 0 or not pyarrow.types.is_timestamp(batch.schema.types[index]):
        return batch
    times = batch.column(index).cast(pyarrow.timestamp("us", "UTC"), safe=False)
    return batch.set_column(index, TIME_COLUMN, times)


def refuse_index(name: str, options: ReadOptions) -> Iterator[Capture]:  # noqa: ARG001 - the signature of readers
    """Refuse an index of archives (CDX, CDXJ): it lists pages, and has none."""
    raise InputError(f"{name} is an index of web archives, not a page; read its pages with broadsheet batch")
