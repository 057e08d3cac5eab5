"""Date: the same day, as in the evaluation of htmldate (Barbaresi 2020).

Days are compared as written. If both dates state a time zone, the same UTC day is a match too.
"""

from __future__ import annotations

from datetime import UTC, datetime


def score_date(output: str | None, gold: str) -> float:
    """Return 1 if both dates (ISO 8601) are the same day, else 0. A missing date is not a match."""
    if not output:
        return 0.0
    if output[:10] == gold[:10]:
        return 1.0
    output_time, gold_time = _read_zoned_time(output), _read_zoned_time(gold)
    if output_time is None or gold_time is None:
        return 0.0
    return float(output_time.astimezone(UTC).date() == gold_time.astimezone(UTC).date())


def _read_zoned_time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else None
