"""Dates as programs write them: ISO 8601 and its common variants, RFC 2822, seconds since 1970."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.written_dates import find_written_date
from broadsheet.text import compile_later

_MAX_TEXTS = 200  # per source
_MIN_CHARS, _MAX_CHARS = 6, 60
_MIN_YEAR = 1990  # there were no web pages before
_MAX_AHEAD = timedelta(days=2)  # for wrong clocks and time zones
_EPOCH = compile_later(r"\d{10}(\d{3})?(\.\d{1,6})?")
_COMPACT_TIME = compile_later(r"((?:19|20)\d{6})(\d{6})")  # 20240316093000
_RFC_2822 = compile_later(r"(?:[A-Za-z]{3,9},? )?\d{1,2} [A-Za-z]{3} \d{4} \d\d:\d\d")
# 2021-3-4 9:05, 2021-03-14T10:00:00.000+0000, 2021-03-14T10:00:00 +01:00, 2021/03/14, ...
_ISO_VARIANT = compile_later(
    r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})"
    r"(?:(?:[T,_]|\s)\s?(\d{1,2}):(\d\d)(?::(\d\d))?(?:[.,:]\d{1,9})?\s?(Z|UTC|GMT|[+-]\d\d:?(?:\d\d)?|[AaPp]\.?[Mm])?)?"
)
_US_DOMAINS = (".com", ".org", ".net", ".gov", ".edu", ".us")


def read_timestamp(text: str, *, is_month_first: bool = False) -> datetime | None:
    """Read a date of the metadata, aware if it states a time zone; None if it is not a date or not plausible."""
    return _read_program_format(text) or _read_written_format(text, is_month_first)


def _read_program_format(text: str) -> datetime | None:
    text = text.strip()
    if _MIN_CHARS <= len(text) <= _MAX_CHARS:
        for read in (_read_iso, _read_iso_variant, _read_epoch, _read_rfc_2822):
            if (moment := read(text)) and is_plausible(moment):
                return moment
    return None


def _read_written_format(text: str, is_month_first: bool) -> datetime | None:
    text = text.strip()
    if not _MIN_CHARS <= len(text) <= _MAX_CHARS:
        return None
    moment = find_written_date(text, is_month_first=is_month_first)
    return moment if moment and is_plausible(moment) else None


def read_timestamps(texts: Iterable[str], evidence: Evidence) -> Iterator[datetime]:
    """Read the texts that are dates, in the order of day and month of the page."""
    month_first: bool | None = None
    for text in islice(texts, _MAX_TEXTS):
        moment = _read_program_format(text)
        if moment is None:
            if month_first is None:  # computed only if a text needs it
                month_first = is_month_first(evidence)
            moment = _read_written_format(text, month_first)
        if moment:
            yield moment


def is_month_first(evidence: Evidence) -> bool:
    """Return True if 03/04/2021 is in March: in US English, and in English without a country on a US domain."""
    metadata = evidence.metadata
    declared = metadata.language or next(metadata.meta_texts("og:locale"), "")
    language = declared.lower().replace("_", "-")
    if language in ("", "en"):
        return not evidence.host or evidence.host.endswith(_US_DOMAINS)
    return language == "en-us"


def is_plausible(moment: datetime) -> bool:
    """Return True if a web page can have been published then."""
    # Most dates. The local year is enough, because _MAX_AHEAD is longer than the difference of time zones.
    if _MIN_YEAR <= moment.year < date.today().year:
        return True
    latest = datetime.now(UTC).replace(tzinfo=None) + _MAX_AHEAD
    return moment.year >= _MIN_YEAR and moment.replace(tzinfo=None) <= latest


def _read_iso(text: str) -> datetime | None:
    if match := _COMPACT_TIME.fullmatch(text):
        text = f"{match[1]}T{match[2]}"
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _read_iso_variant(text: str) -> datetime | None:
    match = _ISO_VARIANT.match(text)
    if match is None:
        return None
    year, _, month, day, hour, minute, second, suffix = match.groups()
    hours = int(hour or 0)
    suffix = (suffix or "").upper()  # a time zone, AM or PM
    if suffix.startswith(("A", "P")):
        hours = hours % 12 + (12 if suffix.startswith("P") else 0)
    try:
        moment = datetime(int(year), int(month), int(day), hours % 24, int(minute or 0), int(second or 0))
        zone = {"Z": "+00:00", "UTC": "+00:00", "GMT": "+00:00"}.get(suffix, suffix)
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
