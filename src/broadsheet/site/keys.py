"""The keys of a page: what the table of static noise is made of (StaDyNoT, section 3.1).

The document's key is tag name, attributes and data of an element; its data are all text in it. 32 of the key's 64 bits
come from tag name and attributes, the other 32 from the data: a page is compared with a table by its data first, and
attributes are read for the few elements whose data are in it.

The other kind of key, which is how we ship it, is that of a text node: data alone. What an element says on all pages
its text nodes say, too, so that it finds all that the document's finds, and texts whose link or class changes from page
to page besides; it is a quarter of the work, as attributes are never read.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate

from broadsheet.page import Nodes

DATA_BITS = 0xFFFF_FFFF  # of an element's key
_LOOK_SHIFT = 32

# Data are hashed as a polynomial over the hashes of their text nodes, so that all elements of a page take one pass
# however deep they nest. 2^61 - 1 is prime; the base is any large number.
_MODULUS = (1 << 61) - 1
_BASE = 0x1B87_3593_CC9E_2D51 % _MODULUS


def read_keys(nodes: Nodes, *, of_elements: bool) -> array[int]:
    """All different keys of a page, sorted: those of its elements, or of its text nodes."""
    texts = _ShownText(nodes)
    if of_elements:
        found = {_hash_look(nodes, row) << _LOOK_SHIFT | data for row, data in texts.read_elements()}
    else:
        found = set(texts.hashes)
    return array("Q", sorted(found))


def find_texts(nodes: Nodes, keys: frozenset[int]) -> frozenset[int]:
    """Rows of the text nodes that have one of these keys."""
    text = nodes.text
    return frozenset([row for _, rows, _, _ in nodes.runs for row in rows if _hash_shown(text[row]) in keys])


def find_texts_in_elements(nodes: Nodes, keys: frozenset[int], known_data: frozenset[int]) -> frozenset[int]:
    """Rows of the text nodes that stand in an element that has one of these keys. `known_data` are their data bits."""
    texts = _ShownText(nodes)
    found: set[int] = set()
    for row, data in texts.read_elements():
        if data in known_data and _hash_look(nodes, row) << _LOOK_SHIFT | data in keys:
            found.update(texts.rows_in(row))
    return frozenset(found)


def read_words(nodes: Nodes, most: int) -> dict[int, str]:
    """Texts of up to so many characters, by the key of their text node."""
    texts = _ShownText(nodes)
    short = [(row, data) for row, data in zip(texts.rows, texts.hashes, strict=True) if len(nodes.text[row]) <= most]
    return {data: " ".join(nodes.text[row].split()) for row, data in short}


def read_looks(nodes: Nodes) -> array[int]:
    """The structure of a page: all different pairs of tag and class name of its containers, hashed and sorted.

    Digits are left out of class names: many sites number their pages there.
    """
    pairs = {(nodes.tag[row], name) for row, name in zip(nodes.outer, nodes.classes, strict=True)}
    return array("I", sorted({_hash_name(tag, name or "") for tag, name in pairs}))


class _ShownText:
    """The text nodes that a page shows, hashed, and where each element's begin and end among them."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        text = nodes.text
        self.rows = [row for _, rows, _, _ in nodes.runs for row in rows if _hash_shown(text[row])]
        self.hashes = [_hash_shown(text[row]) for row in self.rows]

    def read_elements(self) -> Iterator[tuple[int, int]]:
        """Rows of the elements that show text, each with the hash of its data."""
        hashes, end = self.hashes, self.nodes.end
        totals = list(accumulate(hashes, lambda total, data: (total * _BASE + data) % _MODULUS, initial=0))
        powers = list(accumulate(hashes, lambda power, _: power * _BASE % _MODULUS, initial=1))
        shown = set(self.rows)
        before = list(accumulate((row in shown for row in range(len(self.nodes))), initial=0))
        for row in range(len(self.nodes)):
            first, last = before[row], before[end[row]]
            if first < last and row not in shown:
                yield row, (totals[last] - totals[first] * powers[last - first]) % _MODULUS & DATA_BITS

    def rows_in(self, row: int) -> list[int]:
        """Rows of the text nodes in an element."""
        return self.rows[bisect_left(self.rows, row) : bisect_left(self.rows, self.nodes.end[row])]


def _hash_look(nodes: Nodes, row: int) -> int:
    return _hash_text(nodes.tag[row] + nodes.attrs.write(row)) & DATA_BITS


@lru_cache(maxsize=1 << 15)
def _hash_name(tag: str, class_name: str) -> int:
    letters = "".join(char for char in class_name if not char.isdigit())
    return _hash_text(f"{tag}.{' '.join(letters.split())}") & DATA_BITS


@lru_cache(maxsize=1 << 15)  # templates say the same on every page
def _hash_shown(text: str) -> int:
    """Hash a text with its white space folded; 0 when there is nothing else."""
    folded = " ".join(text.split())
    return _hash_text(folded) if folded else 0


@lru_cache(maxsize=1 << 15)
def _hash_text(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % _MODULUS
