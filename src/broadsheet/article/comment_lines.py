"""Lines around a reader's comment: its author, its date, and the buttons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from broadsheet.fields.written_dates import MONTHS, find_written_date, may_contain_date
from broadsheet.text import compile_later

MAX_LINE_CHARS = 80  # of an author, a date or a button
_MAX_NAME_CHARS = 60
_MAX_NAME_WORDS = 5
_MAX_DATE_LINE_CHARS = 50

_LETTERS = re.compile(r"[^\W\d_]+")
# "Jane said:", "Jane wrote on 5 May 2021"; not "My mother said so."
_SAYS = compile_later(
    r"^(?:by\s+)?(\S.{1,40}?)\s*,?\s(?:says|said|writes|wrote|schrieb|schreibt|meint|sagt|dice|dijo|a écrit|a dit|"
    r"ha detto|scrive|disse|napisał|pisze|пишет|написал)\b\s*(?:[:：…]|\.\.|$|[^.!?]{0,40}\d[^!?]*$)",
    re.IGNORECASE,
)
_POSTED_BY = compile_later(
    r"^(?:posted|comment|written|submitted)\s+by:?\s+(.{2,40}?)(?:\s+(?:on|at|\||-|–|—)\s.*)?$", re.IGNORECASE
)
_BUTTON = compile_later(
    r"^\W*(?:reply|reply to this|log in to reply|répondre|antworten|responder|rispondi|odpowiedz|ответить|返信|report|"
    r"report abuse|flag|melden|signaler|like|gefällt mir|me gusta|vote up|vote down|share|permalink|link|edit|delete|"
    r"quote|#?\d+)?\W*$",
    re.IGNORECASE,
)
_RELATIVE_DATE = compile_later(
    r"^\W*(?:(?:vor|hace|il y a|há)\s.{1,20}|(?:about |over )?\w+ \w+(?: \w+ \w+)? (?:ago|fa|geleden|temu)|"
    r"\d+\s?\w{1,2}|.{1,8}前)\W*$",
    re.IGNORECASE,
)
_TIME_OF_DAY = compile_later(r"^\W*(?:at |um )?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[ap]\.?m\.?| uhr)?\W*$", re.IGNORECASE)
_REPLY_TO = compile_later(
    r"^(?:in )?(?:reply|replying|antwort|réponse|respuesta) (?:to|auf|à|a) .{2,60}$", re.IGNORECASE
)
_PART_BORDER = compile_later(r"\s*(?:[|•·]|//|\s[-–—/]\s)\s*|\s+(?:posted\s+)?on\s+(?=\w)")
_PART_START = compile_later(
    r"^(?:(?:posted|written|comment|submitted|left)?\s*by\b|von\b|por\b|par\b|no\.|#?\d+[.)]?)\s*:?\s*", re.IGNORECASE
)
_OTHER_PARTS = frozenset(
    "on at by um am le el the posted says said wrote comment permalink reply edit uhr via pm link".split()
) | {"posted on", "posted at", "commented on", "wrote on"}


def read_author_line(line: str) -> str:
    """Return the author that a line names, as in "Jane said:" or "Posted by Jane on 5 May"; "" if it names none."""
    match = _POSTED_BY.match(line) or _SAYS.match(line)
    return clean_author(match[1]) if match else ""


def clean_author(text: str) -> str:
    """Return the name of an author without "says" and punctuation; "" if the text is not a name."""
    match = _POSTED_BY.match(text) or _SAYS.match(text)
    name = " ".join((match[1] if match else text).split()).strip(" :,.|-–—·•")
    is_name = 0 < len(name) <= _MAX_NAME_CHARS and any(map(str.isalpha, name)) and not _BUTTON.match(name)
    return name if is_name and not _is_date(name) else ""


def find_name(texts: Iterable[str]) -> str:
    """Find the name in the texts of a line that also has a date: "Jane Doe, on 5 May 2021"; "" if there is none."""
    parts = (part for text in texts for part in _PART_BORDER.split(text))
    return next(filter(None, map(_read_part, parts)), "")


def _read_part(part: str) -> str:
    name = _PART_START.sub("", part.strip(" ,:()[]")).strip(" ,:()[]")
    if name.casefold() in _OTHER_PARTS or len(name) < 2 or len(name.split()) > _MAX_NAME_WORDS:
        return ""
    return "" if _TIME_OF_DAY.match(name) or "://" in name else clean_author(name)


def is_label(text: str) -> bool:
    """Tell whether a block is a button, a date, or a line that names the comment replied to."""
    if len(text) > MAX_LINE_CHARS:
        return False
    if _BUTTON.match(text) or _TIME_OF_DAY.match(text) or _RELATIVE_DATE.match(text) or _REPLY_TO.match(text):
        return True
    return len(text) <= _MAX_DATE_LINE_CHARS and may_contain_date(text) and find_written_date(text) is not None


def read_dates(lines: Sequence[str]) -> list[datetime | None]:
    """Read the date in each line. Of day first and month first, the order that gives the closer dates is right."""
    day_first = [find_written_date(line) for line in lines]
    if not any("/" in line for line in lines):  # the order of other dates is known
        return day_first
    month_first = [
        find_written_date(line, is_month_first=True) if "/" in line else date
        for line, date in zip(lines, day_first, strict=True)
    ]
    return min(day_first, month_first, key=_measure_spread)


def _measure_spread(dates: Iterable[datetime | None]) -> float:
    """Return the seconds between the first and the last date, without time zones."""
    stamps = [date.replace(tzinfo=UTC).timestamp() for date in dates if date]
    return max(stamps) - min(stamps) if stamps else 0.0


def _is_date(text: str) -> bool:
    has_month = any(map(str.isdigit, text)) and any(word.casefold() in MONTHS for word in _LETTERS.findall(text))
    return has_month or may_contain_date(text) or _RELATIVE_DATE.match(text) is not None
