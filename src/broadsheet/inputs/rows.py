"""Rows of tables as captures. A row has the page itself, the name of its file (a manifest), or only its address."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from broadsheet.capture import Capture, read_address
from broadsheet.errors import InputError
from broadsheet.inputs.addresses import fetch_safely
from broadsheet.inputs.explain import explain_error
from broadsheet.inputs.options import DEFAULT_READ_OPTIONS, ReadOptions
from broadsheet.inputs.page_file import load_page

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
