"""Find the publication date of a record in the text of its page."""

from __future__ import annotations

from broadsheet.fields.written_dates import find_written_date


def states_day(text: str, day: str) -> bool:
    """Return whether a text states a day, given as YYYY-MM-DD. 3/4/2021 states both possible days."""
    readings = (find_written_date(text, is_month_first=is_month_first) for is_month_first in (False, True))
    return any(moment is not None and moment.date().isoformat() == day for moment in readings)
