"""Capture: a page as it was read from a file, an archive or the web."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Capture:
    """A page with its origin, or the reason why there is none."""

    html: str | bytes | None = None
    url: str | None = None
    source_file: str | None = None  # file or address that was named; inside a ZIP or tar file: with the member's name
    source_offset: int | None = None  # bytes in WARC and JSON Lines files, rows in tables; None: the whole file
    fetched_at: datetime | None = None
    content_type: str | None = None  # the HTTP header, with its charset
    http_status: int | None = None
    fault: str = ""  # what was wrong; `html` is what could be read, None for nothing
    skipped: str = ""  # why this record of an archive is not a page, such as "revisit"; `html` is None


def read_address(value: object) -> str | None:
    """Return the address in a cell of a table, which may be bytes; None for an empty cell."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
    return text.strip() or None
