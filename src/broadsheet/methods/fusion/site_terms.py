"""Terms of own pages: numbers that are added to the score of article text where a block has a known key.

The keys of a block are its place, its place with its first words, and its text. The weights that ship have no terms.
`broadsheet train fusion --start` learns them from own labels (methods/fusion/train_terms.py). A page of another
template has none of the keys: its scores stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from broadsheet.html.names import TAG_NAMES

if TYPE_CHECKING:  # network.py imports this module
    from broadsheet.methods.fusion.network import BlockInput

Keys = NDArray[np.uint64]
KEYS, TERMS = "site_keys", "site_terms"  # names of the arrays in the weights
PLACE_STEPS = (1, 2, 4)  # containers of the places, counted from the block
LEAD_WORDS = 2
KEY_KINDS = len(PLACE_STEPS) + 2  # places, lead, text
NO_KEY = np.uint64(0)
_LEAD, _TEXT = 101, 102  # numbers that make keys of different kinds differ
_PRIME = np.uint64(1_099_511_628_211)  # of the hash function FNV-1a
_START = np.uint64(14_695_981_039_346_656_037)
_TAG_HASHES = np.array([0, *(crc32(tag.encode()) for tag in TAG_NAMES[1:])], np.uint64)  # none: hash of ""


class SiteTerms(NamedTuple):
    """Keys and their terms."""

    keys: Keys  # (terms,), sorted
    terms: NDArray[np.float32]  # (terms,)

    def sum_terms(self, page: BlockInput) -> NDArray[np.float32]:
        """Return the sum of the terms of each block."""
        return np.asarray(self.look_up(list_keys(page)).sum(axis=1), np.float32)

    def look_up(self, keys: Keys) -> NDArray[np.float32]:
        """Return the term of each key; 0 for unknown keys."""
        if not len(self.keys):
            return np.zeros(keys.shape, np.float32)
        rows = np.minimum(self.keys.searchsorted(keys), len(self.keys) - 1)
        return np.where(self.keys.take(rows) == keys, self.terms.take(rows), np.float32(0))


def list_keys(page: BlockInput) -> Keys:
    """Return the keys of each block: (n, KEY_KINDS). NO_KEY where a block has no words."""
    steps, outer = hash_steps(page), np.array([*page.outer, -1])
    words = page.words.astype(np.uint64)
    has_words = words[:, 0] != 0
    places = [_hash_place(steps, outer, count).take(page.position) for count in PLACE_STEPS]
    lead = _hash_columns(_LEAD, places[-1], *words[:, :LEAD_WORDS].T)
    text = _hash_columns(_TEXT, *words.T)
    return np.stack((*places, np.where(has_words, lead, NO_KEY), np.where(has_words, text, NO_KEY)), axis=1)


def hash_steps(page: BlockInput) -> Keys:
    """Return a hash of the tag and the names of each position, and last a 0 for the position -1."""
    # Sums of the hashes: the order of the names does not matter.
    running = np.concatenate((np.zeros(1, np.uint64), np.cumsum(_hash_columns(1, page.name_hashes.astype(np.uint64)))))
    sums = np.diff(running[page.name_ends], prepend=np.uint64(0))
    tags = _TAG_HASHES.take(page.tags)
    return np.append(_hash_columns(2, tags, sums), NO_KEY)


def _hash_place(steps: Keys, outer: NDArray[np.intp], count: int) -> Keys:
    """Return a hash of the innermost `count` containers of each position."""
    rows = np.arange(len(steps))
    columns = []
    for _ in range(count):
        columns.append(steps.take(rows))
        rows = outer.take(rows)
    return _hash_columns(count, *columns)


def _hash_columns(first: int, *columns: Keys) -> Keys:
    hashes = np.full(len(columns[0]), _START ^ np.uint64(first))
    for column in columns:
        hashes = (hashes ^ column) * _PRIME
        hashes ^= hashes >> np.uint64(29)
    return hashes
