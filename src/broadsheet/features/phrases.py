"""How short blocks begin and end, as numbers: "Read more:", "By ...", "Share". Learned, not listed: any language.

A phrase is known by its hash; a model keeps those that many sites use.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

PHRASES = ("first word", "first two words", "last word", "all words")
_LONGEST = 160  # characters; longer blocks are told by other things
_MAX_WORDS = 4  # of a block that counts as a phrase in whole
_EDGES = ".,:;!?()[]{}|•·»«›‹→▶►\"'“”„‘’-–—/*#+© "


def hash_phrases(text: str) -> tuple[int, int, int, int]:
    """Hashes of the PHRASES of a text, 0 where it has none."""
    if len(text) > _LONGEST:
        return (0, 0, 0, 0)
    words = text.lower().split()
    first, last = words[0].strip(_EDGES), words[-1].strip(_EDGES)
    if len(words) == 1:
        return (_hash("1", first), 0, _hash("3", last), _hash("4", first))
    two = f"{first} {words[1].strip(_EDGES)}"
    whole = _hash("4", " ".join(words).strip(_EDGES)) if len(words) <= _MAX_WORDS else 0
    return (_hash("1", first), _hash("2", two), _hash("3", last), whole)


def _hash(slot: str, phrase: str) -> int:
    return crc32(f"{slot}{phrase}".encode("utf-8", "surrogatepass")) if phrase else 0


def hash_all(texts: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Hashes of the phrases of texts, none of which is empty."""
    return [hash_phrases(text) for text in texts]
