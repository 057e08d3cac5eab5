"""Dates on the command line."""

from __future__ import annotations

from datetime import date

from broadsheet.errors import UsageError


def read_date(option: str, text: str | None) -> date | None:
    """Return the date of an option. Raises UsageError if it is not YYYY-MM-DD."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{option} must be a date such as 2024-03-16, not {text!r}") from error
