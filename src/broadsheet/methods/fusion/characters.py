"""Kinds of characters (letters, digits, commas, sentence ends, ...), and the lower case of letters, as tables.

The kinds apply to every script, so that prose and menus differ in any language. `kernel.texts` counts them.
"""

from __future__ import annotations

import sys
import unicodedata
from array import array
from functools import cache

import numpy as np

from broadsheet.kernel.texts import LAST_CODE, CharacterTables, Kind
from broadsheet.text import ARABIC_SEMICOLON, COLONS, COMMAS, RARE_ENDS, SEMICOLONS, SENTENCE_ENDS

_KIND_CHARACTERS = {
    Kind.COMMA: COMMAS + SEMICOLONS + ARABIC_SEMICOLON,
    Kind.END: SENTENCE_ENDS + RARE_ENDS,
    Kind.COLON: COLONS,
    Kind.QUOTE: "\"“”„‟'‘’「」『』",
    Kind.BAR: "|•·»«›‹→▶►/\\>_*+#=~^©®™",
}
_UNSPACED_RANGES = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x9FFF), (0xF900, 0xFAFF))
# CJK ideographs, Hangul syllables, surrogates, private use: each range has one category in all versions of Unicode, and
# no case. Three quarters of all characters are in them.
_UNIFORM_RANGES = ((0x3400, 0x4DB5), (0x4E00, 0x9FA5), (0xAC00, 0xD7A3), (0xD800, 0xDFFF), (0xE000, 0xF8FF))
_CATEGORY_KINDS = {"Lu": Kind.UPPER, "Lt": Kind.UPPER, "Nd": Kind.DIGIT, "Cc": Kind.SPACE}
_SIGMA = "Σ"
_UTF16 = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"
_PART_CODES = 256
_MAJOR_CATEGORY_KINDS = {"L": Kind.LOWER, "M": Kind.LOWER, "Z": Kind.SPACE, "P": Kind.MARK}


@cache
def make_tables() -> CharacterTables:
    """Make the tables of all characters of the basic plane, by their codes."""
    return CharacterTables(_make_kinds(), _make_lower())


def _make_kinds() -> bytes:
    kinds = bytearray()
    for first, last in _UNIFORM_RANGES:
        kinds += _find_kinds(len(kinds), first)
        kinds += _find_kinds(first, first + 1) * (last + 1 - first)
    kinds += _find_kinds(len(kinds), LAST_CODE)
    kinds.append(Kind.OTHER)  # all characters beyond the basic plane
    for first, last in _UNSPACED_RANGES:
        kinds[first : last + 1] = kinds[first : last + 1].replace(bytes([Kind.LOWER]), bytes([Kind.UNSPACED]))
    for kind, characters in _KIND_CHARACTERS.items():
        for character in characters:
            kinds[ord(character)] = kind
    return bytes(kinds)


def _find_kinds(start: int, stop: int) -> bytes:
    """Return the kinds by category of the characters from `start` to before `stop`."""
    return bytes(map(_find_category_kind, map(unicodedata.category, map(chr, range(start, stop)))))


@cache
def _find_category_kind(category: str) -> int:
    return int(_CATEGORY_KINDS.get(category, _MAJOR_CATEGORY_KINDS.get(category[0], Kind.OTHER)))


def _make_lower() -> array[int]:
    """Return the lower-case codes. A character whose lower case is longer stays as it is."""
    lower = array("H", np.arange(LAST_CODE, dtype=np.uint16).tobytes())
    for start in range(0, LAST_CODE, _PART_CODES):
        stop = start + _PART_CODES
        if not any(first <= start and stop - 1 <= last for first, last in _UNIFORM_RANGES):
            lower[start:stop] = array("H", _lower_part(lower[start:stop].tobytes().decode(_UTF16)).encode(_UTF16))
    lower.append(0)  # all characters beyond the basic plane
    return lower


def _lower_part(characters: str) -> str:
    lower = characters.lower()  # of the whole part: much faster than of each character
    if len(lower) == len(characters) and _SIGMA not in characters:
        return lower
    # The lower case of sigma depends on its neighbours.
    return "".join([char.lower() if len(char.lower()) == 1 else char for char in characters])
