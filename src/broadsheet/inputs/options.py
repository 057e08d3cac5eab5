"""Options of all readers."""

from __future__ import annotations

from dataclasses import dataclass

from broadsheet.page import DEFAULT_LIMITS, Limits
from broadsheet.web import DEFAULT_GUARD, AddressGuard


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files are read."""

    html_column: str = "html"  # of JSON Lines, CSV and Parquet files
    url_column: str = "url"
    http_statuses: tuple[int, ...] = (200,)  # of responses in WARC files that are pages; others are counted
    limits: Limits = DEFAULT_LIMITS  # one byte more than `max_bytes` is read, so that the status can be "too_large"
    guard: AddressGuard = DEFAULT_GUARD  # of addresses that are fetched

    @property
    def max_read_bytes(self) -> int:
        """Bytes of a page that are read."""
        return self.limits.max_bytes + 1


DEFAULT_READ_OPTIONS = ReadOptions()
