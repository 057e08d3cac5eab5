"""Words of class names and ids: "articleBody related-links" is article, body, related, links."""

from __future__ import annotations

import re
from zlib import crc32

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
MAX_CHARS = 400  # of one attribute
_MAX_WORDS = 12
_MAX_LENGTH = 20  # longer is no word


def split_name(name: str) -> tuple[str, ...]:
    """Split a class or id attribute into its different words, in lower case; numbers are dropped."""
    words = (word.lower() for word in _WORD.findall(name[:MAX_CHARS]) if 2 <= len(word) <= _MAX_LENGTH)
    return tuple(dict.fromkeys(words))[:_MAX_WORDS]


def hash_name(word: str) -> int:
    """Number by which models know a word of a name."""
    return crc32(word.encode())
