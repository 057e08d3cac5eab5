"""Words of class names and ids: "articleBody related-links" is article, body, related, links.

Models know a word by a number. Sites name things by the same few thousand words, so the numbers of words are kept; of
whole attributes fewer come twice.
"""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from broadsheet.text import split_identifiers

_MAX_CHARS = 400  # of one attribute
_MAX_WORDS = 12
_MAX_LENGTH = 20  # longer is no word


def hash_names(class_name: str | None, name: str | None) -> tuple[int, ...]:
    """Numbers of the different words of a class and of an id attribute."""
    of_class = _hash_name(class_name[:_MAX_CHARS]) if class_name else ()
    if not name:
        return of_class
    return tuple(dict.fromkeys(of_class + _hash_name(name[:_MAX_CHARS])))


@lru_cache(20_000)
def _hash_name(name: str) -> tuple[int, ...]:
    numbers = dict.fromkeys(map(_hash_word, split_identifiers(name)))
    numbers.pop(0, None)
    return tuple(numbers)[:_MAX_WORDS]


@lru_cache(20_000)
def _hash_word(word: str) -> int:
    """Number by which models know a word, in lower case; 0 for none."""
    return crc32(word.lower().encode()) if 2 <= len(word) <= _MAX_LENGTH else 0
