"""MinHash signatures of texts (extra `dedup`): near duplicates have similar ones."""

from __future__ import annotations

from array import array

from broadsheet.article import Article
from broadsheet.extras import import_extra
from broadsheet.output.record import BINARY, Column
from broadsheet.text import split_words

PERMUTATIONS = 128
_SEED = 1
_SHINGLE_WORDS = 5


def make_signature(article: Article) -> bytes | None:
    """Return the signature of a text: 128 numbers of 32 bits, little-endian; None for an empty text."""
    shingles = list_shingles(article.text)
    if not shingles:
        return None
    hasher = import_extra("rensa", "dedup").RMinHash(PERMUTATIONS, _SEED)
    hasher.update(shingles)
    numbers = array("I", hasher.digest())
    return numbers.tobytes()


def list_shingles(text: str) -> list[str]:
    """Return the shingles of a text: runs of five words, in lower case, without punctuation."""
    words = split_words(text)
    if not words:
        return []
    return [" ".join(words[at : at + _SHINGLE_WORDS]) for at in range(max(len(words) - _SHINGLE_WORDS + 1, 1))]


MINHASH = Column("minhash", BINARY, "MinHash signature of the text: 128 numbers of 32 bits.", make_signature)
