"""Words of class names and ids, as hashes: "articleBody related-links" gives article, body, related, links.

The network has a vector for each hash. Sites use the same few thousand words, so hashes of words are cached, and those
of whole attributes.
"""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from broadsheet.text import split_identifiers

MAX_NAME_CHARS = 400  # of one attribute; the rest is ignored
MAX_WORDS = 12  # of one attribute
MAX_WORD_CHARS = 20  # longer strings are keys, not words


def hash_names(class_name: str | None, element_id: str | None) -> tuple[int, ...]:
    """Return the hashes of the distinct words of a class and of an id attribute."""
    hashes = _hash_name(class_name[:MAX_NAME_CHARS]) if class_name else ()
    if not element_id:
        return hashes
    return tuple(dict.fromkeys(hashes + _hash_name(element_id[:MAX_NAME_CHARS])))


@lru_cache(20_000)
def _hash_name(name: str) -> tuple[int, ...]:
    hashes = dict.fromkeys(map(_hash_word, split_identifiers(name)))
    hashes.pop(0, None)
    return tuple(hashes)[:MAX_WORDS]


@lru_cache(20_000)
def _hash_word(word: str) -> int:
    """Return the hash of the word in lower case; 0 if it is too short or too long."""
    return crc32(word.lower().encode()) if 2 <= len(word) <= MAX_WORD_CHARS else 0
