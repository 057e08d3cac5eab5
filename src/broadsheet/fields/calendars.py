"""Dates of other calendars: Persian, Islamic, Japanese eras, the Republic of China, and Chinese numerals.

Islamic months begin with the sight of the moon. The tabular calendar that is used here can differ by one day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import NamedTuple

from broadsheet.text import compile_later

_PERSIAN_MONTHS = "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split()
_ISLAMIC_MONTHS = {
    name: month
    for month, names in enumerate(
        (
            ("محرم", "المحرم"),
            ("صفر",),
            ("ربيع الأول", "ربيع الاول"),
            ("ربيع الآخر", "ربيع الثاني", "ربيع الاخر"),
            ("جمادى الأولى", "جمادى الاولى", "جمادى الأول"),
            ("جمادى الآخرة", "جمادى الثانية", "جمادى الاخرة", "جمادى الآخر"),
            ("رجب",),
            ("شعبان",),
            ("رمضان",),
            ("شوال",),
            ("ذو القعدة", "ذي القعدة", "ذو القعده"),
            ("ذو الحجة", "ذي الحجة", "ذو الحجه"),
        ),
        1,
    )
    for name in names
}
_ERAS = {
    "令和": 2018,
    "平成": 1988,
    "昭和": 1925,
    "大正": 1911,
    "民國": 1911,
    "民国": 1911,
}  # the year before
_NUMERALS = {"〇": 0, "零": 0, "○": 0, **{numeral: value for value, numeral in enumerate("一二三四五六七八九", 1)}}
_PERSIAN_EPOCH = date(622, 3, 21)  # 1 Farvardin 1
_ISLAMIC_EPOCH = date(622, 7, 18)  # 1 Muharram 1, civil; in the Gregorian calendar
_CALENDAR_HINT = compile_later("1[34]\\d\\d|[令平昭大]\\s?[和成正]|民[國国]|[〇零○一二三四五六七八九]{4}\\s?年")
_YEAR = r"[،,]?\s(1[34]\d\d)(?!\d)"
_PERSIAN = compile_later(rf"(?<!\d)(\d{{1,2}})\s({'|'.join(_PERSIAN_MONTHS)})(?:\sماه)?{_YEAR}")
_PERSIAN_NUMBERS = compile_later(r"(?<!\d)(1[34]\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?!\d)")
_ISLAMIC = compile_later(
    rf"(?<!\d)(\d{{1,2}})\s(?:من\s)?({'|'.join(sorted(_ISLAMIC_MONTHS, key=len, reverse=True))}){_YEAR}"
)
_ERA = compile_later(r"(令和|平成|昭和|大正|民國|民国)\s?(\d{1,3}|元)\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日")
_CHINESE = compile_later(
    r"([〇零○一二三四五六七八九]{4})\s?年\s?([一二三四五六七八九十]{1,2})\s?月\s?([一二三四五六七八九十]{1,3})\s?日"
)


class CalendarDay(NamedTuple):
    """A day, and where it is in a text."""

    start: int
    stop: int
    day: datetime


def find_calendar_day(text: str) -> CalendarDay | None:
    """Find the first date of another calendar. The digits of the text are ASCII."""
    if not _CALENDAR_HINT.search(text):
        return None
    days = (_find(pattern, convert, text) for pattern, convert in _FORMS)
    return min(filter(None, days), key=lambda day: day.start, default=None)


def _find(pattern: re.Pattern[str], convert: Callable[[re.Match[str]], date], text: str) -> CalendarDay | None:
    match = pattern.search(text)
    if match is None:
        return None
    try:
        day = convert(match)
    except (ValueError, OverflowError):
        return None
    return CalendarDay(match.start(), match.end(), datetime(day.year, day.month, day.day))


def _convert_persian(match: re.Match[str]) -> date:
    return count_persian(int(match[3]), _PERSIAN_MONTHS.index(match[2]) + 1, int(match[1]))


def _convert_persian_numbers(match: re.Match[str]) -> date:
    return count_persian(int(match[1]), int(match[2]), int(match[3]))


def count_persian(year: int, month: int, day: int) -> date:
    """Convert a day of the Persian solar calendar, by the cycle of 33 years: exact from 1210 to 1498 (1831 to 2119)."""
    if not (1 <= day <= (31 if month <= 6 else 30)):
        raise ValueError("no such day")
    leaps = (8 * year + 21) // 33  # leap years before this one
    days = 365 * (year - 1) + leaps + 31 * min(month - 1, 6) + 30 * max(month - 7, 0) + day - 1
    return _PERSIAN_EPOCH + timedelta(days)


def _convert_islamic(match: re.Match[str]) -> date:
    year, month, day = int(match[3]), _ISLAMIC_MONTHS[match[2]], int(match[1])
    if not 1 <= day <= 30:
        raise ValueError("no such day")
    days = 354 * (year - 1) + (11 * year + 3) // 30 + (59 * (month - 1) + 1) // 2 + day
    return _ISLAMIC_EPOCH + timedelta(days)


def _convert_era(match: re.Match[str]) -> date:
    year = 1 if match[2] == "元" else int(match[2])
    return date(_ERAS[match[1]] + year, int(match[3]), int(match[4]))


def _convert_chinese(match: re.Match[str]) -> date:
    year = int("".join(str(_NUMERALS[numeral]) for numeral in match[1]))
    return date(year, _read_number(match[2]), _read_number(match[3]))


def _read_number(numerals: str) -> int:
    """Read a number up to 99: 十六 is 16, 二十 is 20."""
    tens, ten, ones = numerals.rpartition("十")
    return (10 * (_NUMERALS[tens] if tens else 1) if ten else 0) + (_NUMERALS[ones] if ones else 0)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], date]], ...] = (
    (_PERSIAN, _convert_persian),
    (_PERSIAN_NUMBERS, _convert_persian_numbers),
    (_ISLAMIC, _convert_islamic),
    (_ERA, _convert_era),
    (_CHINESE, _convert_chinese),
)
