"""Dates as people write them: 14 March 2021, March 14, 2021, 14.03.2021, 2021年3月14日."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from broadsheet.fields.months import MONTHS

_MAX_CHARS = 500

_YEAR = r"(?<!\d)((?:19|20|25)\d\d)"
# Not 10.1101/2021.07.10.451798, which is a document's number.
_YEAR_FIRST = re.compile(_YEAR + r"\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d|\.\d{3})")
# A time of day may follow the year without a space: 14.03.202121:05.
_YEAR_LAST = re.compile(
    r"(?<!\d)(?<!\d[.,/:-])(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?"
    r"((?:19|20|25)\d\d(?=[0-2]\d:[0-5]\d)|(?:(?:19|20|25)\d\d|\d\d)(?![\d.,/:-]\d|\d))"
)
_NO_NAME = r"\s\d,/|()\-:;\[\]•·・–—*“”\"\ue000-\uf8ff"  # the last: icons of private fonts
_NAME = rf"([^{_NO_NAME}]{{2,16}})"
_YEAR_ENDS = r"(?=\d{1,2}:\d\d|(?!\d))"  # a time of day may follow without a space: 14 March 202121:05
_DAY_FIRST = re.compile(
    r"(?<!\d)(\d{1,2})(?:\s?(?:st|nd|rd|th|er)\b|[.ºª°])?[\s\-/]{0,3}(?:(?:de|of|d[’'])\s?)?"
    + _NAME
    + r",?[\s\-/]{0,3}"
    r"(?:(?:de|del)\s)?((?:19|20|25)\d\d|[‘’']\d\d(?!\d))" + _YEAR_ENDS
)
_MONTH_FIRST = re.compile(
    rf"(?<![^{_NO_NAME}])"
    + _NAME
    + r"[\s\-]{0,3}(\d{1,2})(?:\s?(?:st|nd|rd|th)\b)?(?:[.,]\s{0,3}|[\s\-]{1,3})((?:19|20)\d\d)"
    + _YEAR_ENDS
)
_NAMED_LAST = re.compile(
    _YEAR + r"(?:[.,\s-]|\sm\.|\.\sgada){1,3}\s?" + _NAME + r"[\s-](\d{1,2})(?!\d)"
)  # 2021. március 14.
_NUMBERED = re.compile(
    r"(?<!\d)(\d{1,2})\stháng\s(\d{1,2}),?\s(?:năm\s)?((?:19|20)\d\d)(?!\d)", re.IGNORECASE
)  # Vietnamese
_THAI = re.compile(r"(?<!\d)(\d{1,2})\s?([\u0e00-\u0e7f.]{3,12})\s?(\d\d)(?![\d:])")  # 14 มี.ค. 64
_STAMP = re.compile(r"([A-Z][a-z]{2}) (\d{1,2}) \d\d:\d\d:\d\d (?:[A-Z]{2,5} )?((?:19|20)\d\d)$")  # what programs print
_TIME = re.compile(
    r"[^\d]{1,16}?(?<!\d)([01]?\d|2[0-3])[:.h]([0-5]\d)(?![\d.]\d)(?::([0-5]\d))?\s?([ap]\.?m)?"
    r"\s?(?:(Z|UTC|GMT)?([+-]\d\d:?\d\d)?)",
    re.IGNORECASE,
)
# Marks of the direction of writing go; digits of other scripts become ours.
_MARKS: dict[int, str | None] = {
    **dict.fromkeys(map(ord, "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e"), None),
    **{zero + digit: str(digit) for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10) for digit in range(10)},
}
_BUDDHIST = 543  # years that the Thai calendar is ahead


# A year of four digits; a date in numbers; a short year behind an apostrophe; a day before a Thai month. All begin
# with a digit, so that the search goes from digit to digit.
_MAY_HOLD = re.compile(
    r"\d(?:\d\d\d|\d?\s?[-/.]\s?\d\d?\s?[-/.]\s?\d\d|\D{1,20}[‘’']\d\d|\d?\s?[\u0e00-\u0e7f])", re.ASCII
)
# Digits of other scripts, and marks that may stand between digits: those that `_MARKS` knows.
_FOREIGN = re.compile(
    "[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff10-\uff19\u200e\u200f\u061c\u202a-\u202e]"
)


def may_hold_date(text: str) -> bool:
    """Tell quickly whether there can be a date in a text; most have none."""
    return _MAY_HOLD.search(text) is not None or (not text.isascii() and _FOREIGN.search(text) is not None)


def find_written_date(text: str, *, is_month_first: bool = False) -> datetime | None:
    """Find the first date in a short text, with its time when that follows.

    `is_month_first` reads 03/04/2021 as the fourth of March.
    """
    text = text[:_MAX_CHARS]
    if not text.isascii():
        text = text.translate(_MARKS)
    if not _MAY_HOLD.search(text):
        return None
    best: tuple[int, int, datetime] | None = None
    for found in (
        _read_named(text),
        _read_year_first(text),
        _read_year_last(text, is_month_first),
        _read_numbered(text),
    ):
        if found and (best is None or found[0] < best[0]):
            best = found
    if best is None:
        return None
    return _add_time(best[2], text, best[1])


_Match = tuple[int, int, datetime]  # start, end, day
_NAMED = (
    (_DAY_FIRST, 1, 2, 3),
    (_MONTH_FIRST, 2, 1, 3),
    (_NAMED_LAST, 3, 2, 1),
    (_THAI, 1, 2, 3),
    (_STAMP, 2, 1, 3),
)  # day, month, year


def _read_named(text: str) -> _Match | None:
    for pattern, day, month, year in _NAMED:
        for match in pattern.finditer(text):
            name = match[month].casefold()
            number = MONTHS.get(name) or MONTHS.get(name.rstrip(".’'"))
            if number and (moment := _make_day(_read_year(match[year], pattern is _THAI), number, int(match[day]))):
                return match.start(), match.end(), moment
    return None


def _read_numbered(text: str) -> _Match | None:
    match = _NUMBERED.search(text)
    moment = _make_day(int(match[3]), int(match[2]), int(match[1])) if match else None
    return (match.start(), match.end(), moment) if match and moment else None


def _read_year_first(text: str) -> _Match | None:
    for match in _YEAR_FIRST.finditer(text):
        if moment := _make_day(int(match[1]), int(match[2]), int(match[3])):
            return match.start(), match.end(), moment
    return None


def _read_year_last(text: str, is_month_first: bool) -> _Match | None:
    for match in _YEAR_LAST.finditer(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        if len(match[4]) == 2:
            year += 2000
        is_swapped = is_month_first and match[2] == "/"  # points are the mark of day-first countries
        day, month = (second, first) if is_swapped else (first, second)
        if month > 12 >= day:
            day, month = month, day
        if moment := _make_day(year, month, day):
            return match.start(), match.end(), moment
    return None


def _read_year(text: str, is_thai: bool) -> int:
    if len(text) == 4:
        return int(text)
    return int(text[-2:]) + (2500 if is_thai else 2000)


def _make_day(year: int, month: int, day: int) -> datetime | None:
    if year >= 2400:
        year -= _BUDDHIST
    try:
        return datetime(year, month, day)
    except ValueError:
        return None


def _add_time(day: datetime, text: str, end: int) -> datetime:
    match = _TIME.match(text, end)
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
