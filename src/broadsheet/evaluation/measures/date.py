"""Date: the same day, as in the evaluation of htmldate (Barbaresi 2020).

The day is that of the time zone in which each side states it; when both state a zone, the same UTC day counts too.
"""

from __future__ import annotations

from datetime import UTC, datetime


def score_date(output: str | None, gold: str) -> float:
    """1 when both dates (ISO 8601) are the same day, else 0; no date is no match."""
    if not output:
        return 0.0
    if output[:10] == gold[:10]:
        return 1.0
    left, right = _read_instant(output), _read_instant(gold)
    if left is None or right is None:
        return 0.0
    return float(left.astimezone(UTC).date() == right.astimezone(UTC).date())


def _read_instant(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None
