"""The keys of a page: what the table of static noise is made of (StaDyNoT, section 3.1).

A key stands for (tag name, attributes, data) of an element that shows text, where its data are all text in it, or for a
text node, whose tag name is "#text" and which has no attributes. 32 of its 64 bits come from tag name and attributes,
the other 32 from the data: a page is compared with a table by its data first, and attributes are read for the few
elements whose data are in it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate

from broadsheet.page import TEXT, Nodes, tags

DATA_BITS = 0xFFFF_FFFF  # of a key
_LOOK_SHIFT = 32

# Data are hashed as a polynomial over the hashes of their text nodes, so that all elements of a page take one pass
# however deep they nest. 2^61 - 1 is prime; the base is any large number.
_MODULUS = (1 << 61) - 1
_BASE = 0x1B87_3593_CC9E_2D51 % _MODULUS


def read_keys(nodes: Nodes) -> array[int]:
    """All different keys of a page, sorted."""
    texts = _ShownText(nodes)
    found = set(map(_key_of_text, texts.hashes))
    found.update(_hash_look(nodes, row) << _LOOK_SHIFT | data for row, data in texts.read_data())
    return array("Q", sorted(found))


def find_static_rows(nodes: Nodes, keys: frozenset[int], data_of_keys: frozenset[int]) -> frozenset[int]:
    """Rows of the text nodes that stand in elements with one of these keys, or have one themselves."""
    texts = _ShownText(nodes)
    found = {row for row, data in zip(texts.rows, texts.hashes, strict=True) if _key_of_text(data) in keys}
    for row, data in texts.read_data():
        if data in data_of_keys and _hash_look(nodes, row) << _LOOK_SHIFT | data in keys:
            found.update(texts.rows_in(row))
    return frozenset(found)


def read_words(nodes: Nodes, most: int) -> dict[int, str]:
    """Texts of up to so many characters, by the key of their text node."""
    texts = _ShownText(nodes)
    short = ((row, data) for row, data in zip(texts.rows, texts.hashes, strict=True) if len(nodes.text[row]) <= most)
    return {_key_of_text(data): " ".join(nodes.text[row].split()) for row, data in short}


def read_looks(nodes: Nodes) -> array[int]:
    """The structure of a page: all different pairs of tag and class name of its containers, hashed and sorted.

    Digits are left out of class names: many sites number their pages there.
    """
    rows = [row for row in nodes.outer if nodes.tag[row] in tags.CONTAINERS]
    names = nodes.attrs.get_all(rows, "class")
    return array("I", sorted({_hash_name(nodes.tag[row], name or "") for row, name in zip(rows, names, strict=True)}))


class _ShownText:
    """The text nodes that a page shows, hashed, and where each element's begin and end among them."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        text = nodes.text
        self.rows = [row for _, rows, _, _ in nodes.runs for row in rows if text[row] and not text[row].isspace()]
        self.hashes = [_hash_text(" ".join(text[row].split())) for row in self.rows]
        steps = accumulate(self.hashes, lambda total, data: (total * _BASE + data) % _MODULUS, initial=0)
        self.totals = list(steps)  # of the first n text nodes
        self.powers = list(accumulate(self.hashes, lambda power, _: power * _BASE % _MODULUS, initial=1))
        shown = set(self.rows)
        is_shown = (row in shown for row in range(len(nodes)))
        self.before = list(accumulate(is_shown, initial=0))  # text nodes above each row

    def read_data(self) -> Iterator[tuple[int, int]]:
        """Rows of the elements that show text, each with the hash of all its text."""
        before, totals, powers, end = self.before, self.totals, self.powers, self.nodes.end
        for row, tag in enumerate(self.nodes.tag):
            first, last = before[row], before[end[row]]
            if first < last and tag != TEXT:
                yield row, (totals[last] - totals[first] * powers[last - first]) % _MODULUS & DATA_BITS

    def rows_in(self, row: int) -> list[int]:
        """Rows of the text nodes in an element."""
        return self.rows[self.before[row] : self.before[self.nodes.end[row]]]


def _key_of_text(data: int) -> int:
    return (_hash_text(TEXT) & DATA_BITS) << _LOOK_SHIFT | data & DATA_BITS


def _hash_look(nodes: Nodes, row: int) -> int:
    return _hash_text(nodes.tag[row] + nodes.attrs.write(row)) & DATA_BITS


@lru_cache(maxsize=1 << 15)
def _hash_name(tag: str, class_name: str) -> int:
    letters = "".join(char for char in class_name if not char.isdigit())
    return _hash_text(f"{tag}.{' '.join(letters.split())}") & DATA_BITS


@lru_cache(maxsize=1 << 15)  # templates say the same on every page
def _hash_text(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % _MODULUS
