"""Words of class names and ids, as hashes: "articleBody related-links" gives article, body, related, links.

The network has a vector for each hash. Sites use the same few thousand words, so hashes of words are cached, and those
of whole attributes.
"""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from broadsheet.kernel import is_compiled
from broadsheet.kernel.names import hash_identifiers, list_names
from broadsheet.text import split_identifiers

MAX_NAME_CHARS = 400  # of one attribute; the rest is ignored
MAX_WORDS = 12  # of one attribute
MAX_WORD_CHARS = 20  # longer strings are keys, not words


_MAX_CACHED = 20_000  # attributes
_CACHE: dict[str, tuple[int, ...]] = {}


def hash_names(class_names: list[str | None], ids: list[str | None]) -> list[tuple[int, ...]]:
    """Return the hashes of the distinct words of class and id attributes, for each pair of them."""
    return list_names(class_names, ids, _CACHE, _hash_name)


def _hash_name(name: str) -> tuple[int, ...]:
    """Return the hashes of the words of one attribute, and put them into the cache."""
    start = name[:MAX_NAME_CHARS]
    if is_compiled():
        hashes = hash_identifiers(start, MAX_WORDS, MAX_WORD_CHARS)
    else:  # a regular expression is faster than the loop
        distinct = dict.fromkeys(map(_hash_word, split_identifiers(start)))
        distinct.pop(0, None)
        hashes = tuple(distinct)[:MAX_WORDS]
    if len(name) <= MAX_NAME_CHARS:
        if len(_CACHE) >= _MAX_CACHED:
            _CACHE.clear()
        _CACHE[name] = hashes
    return hashes


@lru_cache(20_000)
def _hash_word(word: str) -> int:
    """Return the hash of the word in lower case; 0 if it is too short or too long."""
    return crc32(word.lower().encode()) if 2 <= len(word) <= MAX_WORD_CHARS else 0
