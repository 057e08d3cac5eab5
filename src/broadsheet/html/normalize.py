"""Unicode normal forms, in time that is linear in the text."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal

MAX_MARKS = 30  # in sequence: Unicode's stream-safe text format (UAX 15, section 13)
_MARKS_END = 0x20000  # all marks are before it
_GRAPHEME_JOINER = "\u034f"  # shows nothing; marks are not sorted across it


def normalize_text(text: str, form: Literal["NFC", "NFKD"] = "NFC") -> str:
    """Return a text in a normal form of Unicode.

    Normalising sorts the combining marks of a letter by insertion, so thousands of marks in sequence would take
    quadratic time. After `MAX_MARKS` of them, a combining grapheme joiner is inserted.
    """
    if text.isascii() or unicodedata.is_normalized(form, text):  # quick: it does not sort
        return text
    # Pattern.sub takes three times as long for a text of marks.
    pieces = _long_marks().split(text)
    pieces[1::2] = [marks + _GRAPHEME_JOINER for marks in pieces[1::2]]
    return unicodedata.normalize(form, "".join(pieces))


@cache
def _long_marks() -> re.Pattern[str]:
    """Return the pattern of `MAX_MARKS` combining marks before another one."""
    characters = map(chr, range(_MARKS_END))
    marks = "".join([char for char in characters if unicodedata.combining(unicodedata.normalize("NFD", char)[0])])
    return re.compile(f"([{marks}]{{{MAX_MARKS}}})(?=[{marks}])")
