"""Kinds of characters (letters, digits, commas, sentence ends, ...), and the lower case of letters, as tables.

The kinds apply to every script, so that prose and menus differ in any language. `kernel.texts` counts them.
"""

from __future__ import annotations

import sys
import unicodedata
from array import array
from functools import cache

from broadsheet.kernel.texts import LAST_CODE, CharacterTables, Kind
from broadsheet.text.punctuation import ARABIC_SEMICOLON, COLONS, COMMAS, RARE_ENDS, SEMICOLONS, SENTENCE_ENDS

_KIND_CHARACTERS = {
    Kind.COMMA: COMMAS + SEMICOLONS + ARABIC_SEMICOLON,
    Kind.END: SENTENCE_ENDS + RARE_ENDS,
    Kind.COLON: COLONS,
    Kind.QUOTE: "\"“”„‟'‘’「」『』",
    Kind.BAR: "|•·»«›‹→▶►/\\>_*+#=~^©®™",
}
_UNSPACED_RANGES = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x9FFF), (0xF900, 0xFAFF))
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
    categories = list(map(unicodedata.category, map(chr, range(LAST_CODE))))
    kind_of = {
        category: _CATEGORY_KINDS.get(category, _MAJOR_CATEGORY_KINDS.get(category[0], Kind.OTHER))
        for category in set(categories)
    }
    kinds = bytearray(map(kind_of.__getitem__, categories))
    kinds.append(Kind.OTHER)  # all characters beyond the basic plane
    for first, last in _UNSPACED_RANGES:
        kinds[first : last + 1] = kinds[first : last + 1].replace(bytes([Kind.LOWER]), bytes([Kind.UNSPACED]))
    for kind, characters in _KIND_CHARACTERS.items():
        for character in characters:
            kinds[ord(character)] = kind
    return bytes(kinds)


def _make_lower() -> array[int]:
    """Return the lower-case codes. A character whose lower case is longer stays as it is."""
    lower = array("H")
    for start in range(0, LAST_CODE, _PART_CODES):
        characters = "".join(map(chr, range(start, min(start + _PART_CODES, LAST_CODE))))
        part = characters.lower()  # of the whole part: much faster than of each character
        if len(part) != len(characters) or _SIGMA in characters:  # the lower case of sigma depends on its neighbours
            part = "".join([char.lower() if len(char.lower()) == 1 else char for char in characters])
        lower.frombytes(part.encode(_UTF16, "surrogatepass"))
    lower.append(0)  # all characters beyond the basic plane
    return lower
