"""Rows of tables as captures. A row has the page itself, the name of its file (a manifest), or only its address."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.inputs.addresses import fetch_safely
from broadsheet.inputs.explain import explain_error
from broadsheet.inputs.options import ReadOptions
from broadsheet.inputs.page_file import load_page

FILE_COLUMN = "file"
TIME_COLUMN = "fetched_at"


@dataclass(frozen=True, slots=True)
class RowReader:
    """Makes captures of the rows of a table."""

    table: str  # name of the file
    options: ReadOptions

    def check_columns(self, columns: Collection[str]) -> None:
        """Raise InputError if no column names the pages."""
        wanted = (self.options.html_column, FILE_COLUMN, self.options.url_column)
        if not any(column in columns for column in wanted):
            shown = ", ".join(sorted(map(str, columns))[:20]) or "none"
            raise InputError(
                f"{self.table} has no column {wanted[0]!r}, {wanted[1]!r} or {wanted[2]!r}; its columns: {shown}; "
                "name the column of the pages with --html-column"
            )

    def read_row(self, row: Mapping[str, Any], offset: int) -> Capture:
        """Return the capture of a row."""
        url = row.get(self.options.url_column)
        url = str(url).strip() or None if url is not None else None
        html, file = row.get(self.options.html_column), row.get(FILE_COLUMN)
        fetched_at = _read_time(row.get(TIME_COLUMN))
        if isinstance(html, str | bytes):
            return Capture(html[: self.options.max_read_bytes], url, self.table, offset, fetched_at)
        if isinstance(file, str) and file:
            return self._read_file(file, url, fetched_at, offset)
        if url and self.options.html_column not in row and FILE_COLUMN not in row:
            return fetch_safely(url, self.table, offset, self.options)
        fault = f"row {offset} of {self.table} has no page"
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


def _read_time(value: object) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)
