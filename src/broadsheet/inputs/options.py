"""Options of all readers."""

from __future__ import annotations

from dataclasses import dataclass

from broadsheet.option_field import option, split_names
from broadsheet.page import DEFAULT_LIMITS, Limits
from broadsheet.web import DEFAULT_GUARD, AddressGuard

_STATUS_DIGITS = 3


def read_statuses(text: str) -> tuple[int, ...]:
    """Read HTTP statuses separated by commas. Raises ValueError."""
    names = split_names(text)
    if not names or not all(name.isascii() and name.isdigit() and len(name) == _STATUS_DIGITS for name in names):
        raise ValueError("takes numbers such as 200,404")
    return tuple(map(int, names))


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How files are read."""

    html_column: str = option("html", "Column of the pages in JSON Lines, CSV and Parquet files.", metavar="NAME")
    url_column: str = option("url", "Column of the pages' addresses.", metavar="NAME")
    http_statuses: tuple[int, ...] = option(  # others are counted
        (200,),
        "HTTP statuses of the archived responses to read.",
        "--http-status",
        metavar="NUMBER,...",
        panel="Filters",
        read=read_statuses,
    )
    limits: Limits = DEFAULT_LIMITS  # one byte more than `max_bytes` is read, so that the status can be "too_large"
    guard: AddressGuard = DEFAULT_GUARD  # of addresses that are fetched

    @property
    def max_read_bytes(self) -> int:
        """Bytes of a page that are read."""
        return self.limits.max_bytes + 1


DEFAULT_READ_OPTIONS = ReadOptions()
