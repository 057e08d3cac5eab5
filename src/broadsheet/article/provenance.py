"""Provenance: which page an article was made from, and by what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Provenance:
    """Origin of the page, and the program that extracted it. None where unknown."""

    source_file: str | None = None  # file or address that the page was read from
    source_offset: int | None = None  # bytes in WARC and JSON Lines files, rows in tables
    fetched_at: datetime | None = None  # when the page was captured
    http_status: int | None = None
    html_hash: str | None = None  # SHA-256 of the page
    weights: str | None = None  # hash of the method's weights
    broadsheet_version: str | None = None
