"""Dates as programs write them: ISO 8601 in all its sloppy variants, RFC 2822, seconds since 1970."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.written_dates import find_written_date

_MAX_TEXTS = 200  # of one source

_EARLIEST = 1990  # there was no web before
_MAX_AHEAD = timedelta(days=2)  # clocks differ, and zones do
_EPOCH = re.compile(r"\d{10}(\d{3})?(\.\d{1,6})?")
_RFC_2822 = re.compile(r"(?:[A-Za-z]{3,9},? )?\d{1,2} [A-Za-z]{3} \d{4} \d\d:\d\d")
# 2021-3-4 9:05, 2021-03-14T10:00:00.000+0000, 2021-03-14T10:00:00 +01:00, 2021/03/14, ...
_ISO = re.compile(
    r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})"
    r"(?:(?:[T,_]|\s)\s?(\d{1,2}):(\d\d)(?::(\d\d))?(?:[.,:]\d{1,9})?\s?(Z|UTC|GMT|[+-]\d\d:?(?:\d\d)?|[AaPp]\.?[Mm])?)?"
)


def read_timestamp(text: str, *, is_month_first: bool = False) -> datetime | None:
    """Read a date from metadata: aware when it states a zone, else naive; None when it is none, or not plausible."""
    text = text.strip()
    if not 6 <= len(text) <= 60:
        return None
    for read in (_read_iso, _read_sloppy_iso, _read_epoch, _read_rfc_2822):
        if (moment := read(text)) and is_plausible(moment):
            return moment
    moment = find_written_date(text, is_month_first=is_month_first)
    return moment if moment and is_plausible(moment) else None


def read_timestamps(texts: Iterable[str], evidence: Evidence) -> Iterator[datetime]:
    """Read those of many texts that are dates, in the order of day and month that the page has."""
    month_first: bool | None = None
    for text in islice(texts, _MAX_TEXTS):
        if month_first is None:  # asked only where there is something to read
            month_first = is_month_first(evidence)
        if moment := read_timestamp(text, is_month_first=month_first):
            yield moment


def is_month_first(evidence: Evidence) -> bool:
    """Tell whether 03/04/2021 is a day of March: in the United States, and on English pages that do not say."""
    language = (
        (evidence.metadata.language or next(evidence.metadata.meta_texts("og:locale"), "")).lower().replace("_", "-")
    )
    if language in ("", "en"):
        return not evidence.host or evidence.host.endswith((".com", ".org", ".net", ".gov", ".edu", ".us"))
    return language == "en-us"


def is_plausible(moment: datetime) -> bool:
    """Tell whether a page can have been published then: after the first ones, and not in the future."""
    return (
        moment.year >= _EARLIEST and moment.replace(tzinfo=None) <= datetime.now(UTC).replace(tzinfo=None) + _MAX_AHEAD
    )


def _read_iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _read_sloppy_iso(text: str) -> datetime | None:
    match = _ISO.match(text)
    if match is None:
        return None
    year, _, month, day, hour, minute, second, mark = match.groups()
    hours = int(hour or 0)
    mark = (mark or "").upper()
    if mark.startswith(("A", "P")):
        hours = hours % 12 + (12 if mark.startswith("P") else 0)
    try:
        moment = datetime(int(year), int(month), int(day), hours % 24, int(minute or 0), int(second or 0))
        zone = {"Z": "+00:00", "UTC": "+00:00", "GMT": "+00:00"}.get(mark, mark)
        if zone.startswith(("+", "-")):
            return datetime.fromisoformat(moment.isoformat() + zone)
    except ValueError:
        return None
    return moment


def _read_epoch(text: str) -> datetime | None:
    match = _EPOCH.fullmatch(text)
    if match is None:
        return None
    seconds = float(text) / (1000 if match[1] else 1)
    return datetime.fromtimestamp(seconds, UTC)


def _read_rfc_2822(text: str) -> datetime | None:
    if not _RFC_2822.match(text):
        return None
    from email.utils import parsedate_to_datetime  # slow to import, and rarely needed

    try:
        return parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):  # OverflowError: a zone of twenty digits
        return None
