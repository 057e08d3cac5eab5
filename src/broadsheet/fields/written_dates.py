"""Dates as people write them: 14 March 2021, March 14, 2021, 14.03.2021, 2021年3月14日."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple

from broadsheet.fields.months import MONTHS
from broadsheet.text.patterns import compile_later

_MAX_CHARS = 500

_YEAR = r"(?<!\d)((?:19|20|25)\d\d)"
# Not 10.1101/2021.07.10.451798, which is a DOI.
_YEAR_FIRST = compile_later(_YEAR + r"\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d|\.\d{3})")
# The time may follow the year without a space: 14.03.202121:05.
_YEAR_LAST = compile_later(
    r"(?<!\d)(?<!\d[.,/:-])(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?"
    r"((?:19|20|25)\d\d(?=[0-2]\d:[0-5]\d)|(?:(?:19|20|25)\d\d|\d\d)(?![\d.,/:-]\d|\d))"
)
_NON_NAME_CHARS = r"\s\d,/|()\-:;\[\]•·・–—*“”\"\ue000-\uf8ff"  # the last range: icons of private fonts
_MONTH_NAME = rf"([^{_NON_NAME_CHARS}]{{2,16}})"
_YEAR_END = r"(?=\d{1,2}:\d\d|(?!\d))"  # the time may follow without a space: 14 March 202121:05
_DAY_FIRST = compile_later(
    r"(?<!\d)(\d{1,2})(?:\s?(?:st|nd|rd|th|er)\b|[.ºª°])?[\s\-/]{0,3}(?:(?:de|of|d[’'])\s?)?"
    + _MONTH_NAME
    + r",?[\s\-/]{0,3}"
    r"(?:(?:de|del)\s)?((?:19|20|25)\d\d|[‘’']\d\d(?!\d))" + _YEAR_END
)
_MONTH_FIRST = compile_later(
    rf"(?<![^{_NON_NAME_CHARS}])"
    + _MONTH_NAME
    + r"[\s\-]{0,3}(\d{1,2})(?:\s?(?:st|nd|rd|th)\b)?(?:[.,]\s{0,3}|[\s\-]{1,3})((?:19|20)\d\d)"
    + _YEAR_END
)
_NAMED_YEAR_FIRST = compile_later(
    _YEAR + r"(?:[.,\s-]|\sm\.|\.\sgada){1,3}\s?" + _MONTH_NAME + r"[\s-](\d{1,2})(?!\d)"
)  # 2021. március 14.
_VIETNAMESE = compile_later(
    r"(?<!\d)(\d{1,2})\stháng\s(\d{1,2}),?\s(?:năm\s)?((?:19|20)\d\d)(?!\d)", re.IGNORECASE
)  # 14 tháng 3 năm 2021
_THAI = compile_later(r"(?<!\d)(\d{1,2})\s?([\u0e00-\u0e7f.]{3,12})\s?(\d\d)(?![\d:])")  # 14 มี.ค. 64
# Mar 14 21:05:00 UTC 2021
_PROGRAM_OUTPUT = compile_later(r"([A-Z][a-z]{2}) (\d{1,2}) \d\d:\d\d:\d\d (?:[A-Z]{2,5} )?((?:19|20)\d\d)$")
_TIME = compile_later(
    r"[^\d]{1,16}?(?<!\d)([01]?\d|2[0-3])[:.h]([0-5]\d)(?![\d.]\d)(?::([0-5]\d))?\s?([ap]\.?m)?"
    r"\s?(?:(Z|UTC|GMT)?([+-]\d\d:?\d\d)?)",
    re.IGNORECASE,
)
# Removes marks of writing direction; replaces digits of other scripts by ASCII digits.
_TRANSLATION: dict[int, str | None] = {
    **dict.fromkeys(map(ord, "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e"), None),
    **{zero + digit: str(digit) for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10) for digit in range(10)},
}
_THAI_YEAR_OFFSET = 543  # years that the Thai calendar is ahead
_MIN_THAI_YEAR = 2400
# A year of four digits; a date in numbers; a short year after an apostrophe; a day before a Thai month. All begin with
# a digit, which makes the search fast.
_DATE_HINT = compile_later(
    r"\d(?:\d\d\d|\d?\s?[-/.]\s?\d\d?\s?[-/.]\s?\d\d|\D{1,20}[‘’']\d\d|\d?\s?[\u0e00-\u0e7f])", re.ASCII
)
# The characters that `_TRANSLATION` replaces.
_TRANSLATED_CHAR = compile_later(
    "[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff10-\uff19\u200e\u200f\u061c\u202a-\u202e]"
)


def may_contain_date(text: str) -> bool:
    """Check quickly whether a text can contain a date; most cannot."""
    return _DATE_HINT.search(text) is not None or (not text.isascii() and _TRANSLATED_CHAR.search(text) is not None)


@lru_cache(1024)  # the dates of comments are read several times
def find_written_date(text: str, *, is_month_first: bool = False) -> datetime | None:
    """Find the first date in a short text, with its time if that follows.

    `is_month_first` reads 03/04/2021 as the fourth of March.
    """
    text = text[:_MAX_CHARS]
    if not text.isascii():
        text = text.translate(_TRANSLATION)
    if not _DATE_HINT.search(text):
        return None
    matches = (
        _match_named(text),
        _match_year_first(text),
        _match_year_last(text, is_month_first),
        None if text.isascii() else _match_vietnamese(text),
    )
    first = min(filter(None, matches), key=lambda match: match.start, default=None)
    return _add_time(first.day, text, first.stop) if first else None


class _Match(NamedTuple):
    """A day, and where it is in the text."""

    start: int
    stop: int
    day: datetime


class _NamedForm(NamedTuple):
    """A form of date with the name of a month, and the groups of its pattern."""

    pattern: re.Pattern[str]
    day: int
    month: int
    year: int


_NAMED_FORMS = (
    _NamedForm(_DAY_FIRST, day=1, month=2, year=3),
    _NamedForm(_MONTH_FIRST, day=2, month=1, year=3),
    _NamedForm(_NAMED_YEAR_FIRST, day=3, month=2, year=1),
    _NamedForm(_THAI, day=1, month=2, year=3),
    _NamedForm(_PROGRAM_OUTPUT, day=2, month=1, year=3),
)

_ASCII_FORMS = tuple(form for form in _NAMED_FORMS if form.pattern is not _THAI)


def _match_named(text: str) -> _Match | None:
    for form in _ASCII_FORMS if text.isascii() else _NAMED_FORMS:
        for match in form.pattern.finditer(text):
            name = match[form.month].casefold()
            month = MONTHS.get(name) or MONTHS.get(name.rstrip(".’'"))
            if month is None:
                continue
            year = _read_year(match[form.year], is_thai=form.pattern is _THAI)
            if day := _make_day(year, month, int(match[form.day])):
                return _Match(match.start(), match.end(), day)
    return None


def _match_vietnamese(text: str) -> _Match | None:
    match = _VIETNAMESE.search(text)
    day = _make_day(int(match[3]), int(match[2]), int(match[1])) if match else None
    return _Match(match.start(), match.end(), day) if match and day else None


def _match_year_first(text: str) -> _Match | None:
    for match in _YEAR_FIRST.finditer(text):
        if day := _make_day(int(match[1]), int(match[2]), int(match[3])):
            return _Match(match.start(), match.end(), day)
    return None


def _match_year_last(text: str, is_month_first: bool) -> _Match | None:
    for match in _YEAR_LAST.finditer(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        if len(match[4]) == 2:
            year += 2000
        is_swapped = is_month_first and match[2] == "/"  # countries that write dots put the day first
        day, month = (second, first) if is_swapped else (first, second)
        if month > 12 >= day:
            day, month = month, day
        if moment := _make_day(year, month, day):
            return _Match(match.start(), match.end(), moment)
    return None


def _read_year(text: str, *, is_thai: bool) -> int:
    if len(text) == 4:
        return int(text)
    return int(text[-2:]) + (2500 if is_thai else 2000)


def _make_day(year: int, month: int, day: int) -> datetime | None:
    if year >= _MIN_THAI_YEAR:
        year -= _THAI_YEAR_OFFSET
    try:
        return datetime(year, month, day)
    except ValueError:
        return None


def _add_time(day: datetime, text: str, stop: int) -> datetime:
    """Add the time that follows a date, if there is one."""
    match = _TIME.match(text, stop)
    if match is None:
        return day
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if half := (match[4] or "").lower():
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    zone: timezone | None = UTC if match[5] else None
    if offset := match[6]:
        minutes = int(offset[1:3]) * 60 + int(offset[-2:])
        if minutes < 24 * 60:
            zone = timezone((-1 if offset[0] == "-" else 1) * timedelta(minutes=minutes))
    return day.replace(hour=hour, minute=minute, second=second, tzinfo=zone)
