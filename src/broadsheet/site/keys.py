"""Keys: hashes by which the static content of a site is recognised (StaDyNoT, section 3.1).

The paper's key is tag name, attributes and data of an element, where data is all text in it. The upper 32 of the key's
64 bits come from tag name and attributes, the lower 32 from the data. A page is compared by data first; attributes are
read only for the few elements whose data match.

The other kind of key, which `Site` uses by default, is that of a text node: its data alone. It finds all text that the
paper's key finds, because the text nodes of a static element are static; and it finds text whose link or class changes
from page to page. It takes a quarter of the time, because attributes are not read.
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
_START_TAG_SHIFT = 32

# Data are hashed as a polynomial over the hashes of their text nodes, so that one pass covers all elements of a page,
# however deep they nest. 2^61 - 1 is prime; the base is any large number.
_MODULUS = (1 << 61) - 1
_BASE = 0x1B87_3593_CC9E_2D51 % _MODULUS
# Attributes whose values are lists of words; `for` and others are not among them.
_LIST_ATTRIBUTES = frozenset("class rel rev headers accept-charset accesskey dropzone sandbox sizes archive".split())


def read_keys(nodes: Nodes, *, of_elements: bool) -> array[int]:
    """Return the different keys of a page's elements, or of its text nodes, sorted."""
    texts = _VisibleText(nodes)
    if of_elements:
        keys = {_hash_start_tag(nodes, row) << _START_TAG_SHIFT | data for row, data in texts.read_elements()}
    else:
        keys = set(texts.hashes)
    return array("Q", sorted(keys))


def find_texts(nodes: Nodes, keys: frozenset[int]) -> frozenset[int]:
    """Return the rows of the text nodes whose key is in `keys`."""
    text = nodes.text
    return frozenset([row for row in nodes.run_rows() if _hash_folded(text[row]) in keys])


def find_texts_in_elements(nodes: Nodes, keys: frozenset[int], data_bits: frozenset[int]) -> frozenset[int]:
    """Return the rows of the text nodes inside elements whose key is in `keys`. `data_bits` are the keys' data."""
    texts = _VisibleText(nodes)
    rows: set[int] = set()
    for row, data in texts.read_elements():
        if data in data_bits and _hash_start_tag(nodes, row) << _START_TAG_SHIFT | data in keys:
            rows.update(texts.rows_in(row))
    return frozenset(rows)


def read_short_texts(nodes: Nodes, max_chars: int, *, of_elements: bool) -> dict[int, str]:
    """Return the texts of up to `max_chars` characters, by the key of their element or text node."""
    visible = _VisibleText(nodes)
    if of_elements:
        return dict(_read_element_texts(visible, max_chars))
    short = [
        (row, key) for row, key in zip(visible.rows, visible.hashes, strict=True) if len(nodes.text[row]) <= max_chars
    ]
    return {key: " ".join(nodes.text[row].split()) for row, key in short}


def _read_element_texts(visible: _VisibleText, max_chars: int) -> Iterator[tuple[int, str]]:
    nodes = visible.nodes
    for row, data in visible.read_elements():
        pieces = [nodes.text[text_row] for text_row in visible.rows_in(row)[: max_chars + 1]]
        text = " ".join(" ".join(pieces).split())
        if len(text) <= max_chars:
            yield _hash_start_tag(nodes, row) << _START_TAG_SHIFT | data, text


def read_structure(nodes: Nodes) -> array[int]:
    """Return the structure of a page: the different pairs of tag and class name of its containers, hashed and sorted.

    Digits in class names are ignored, because many sites number their pages there.
    """
    pairs = {(nodes.tag[row], name) for row, name in zip(nodes.outer, nodes.classes, strict=True)}
    return array("I", sorted({_hash_container(tag, name or "") for tag, name in pairs}))


class _VisibleText:
    """The visible text nodes of a page with their hashes, and the range of them that each element contains."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        text = nodes.text
        self.rows = [row for row in nodes.run_rows() if _hash_folded(text[row])]
        self.hashes = [_hash_folded(text[row]) for row in self.rows]

    def read_elements(self) -> Iterator[tuple[int, int]]:
        """Yield the row of each element with visible text, and the hash of its data."""
        hashes, end = self.hashes, self.nodes.end
        totals = list(accumulate(hashes, lambda total, data: (total * _BASE + data) % _MODULUS, initial=0))
        powers = list(accumulate(hashes, lambda power, _: power * _BASE % _MODULUS, initial=1))
        visible = set(self.rows)
        before = list(accumulate((row in visible for row in range(len(self.nodes))), initial=0))
        for row in range(len(self.nodes)):
            first, last = before[row], before[end[row]]
            if first < last and row not in visible:
                yield row, (totals[last] - totals[first] * powers[last - first]) % _MODULUS & DATA_BITS

    def rows_in(self, row: int) -> list[int]:
        """Return the rows of the text nodes in an element."""
        return self.rows[bisect_left(self.rows, row) : bisect_left(self.rows, self.nodes.end[row])]


def _hash_start_tag(nodes: Nodes, row: int) -> int:
    return _hash_text(nodes.tag[row] + _write_attributes(nodes, row)) & DATA_BITS


def _write_attributes(nodes: Nodes, row: int) -> str:
    """Write the attributes of a row as one string: equal attributes, equal strings. Stored sites depend on it."""
    values = {name: nodes.attr(row, name.lower()) for name in nodes.attrs.names(row)}
    return str({name: value.split() if name in _LIST_ATTRIBUTES else value for name, value in values.items()})


@lru_cache(maxsize=1 << 15)
def _hash_container(tag: str, class_name: str) -> int:
    letters = "".join(char for char in class_name if not char.isdigit())
    return _hash_text(f"{tag}.{' '.join(letters.split())}") & DATA_BITS


@lru_cache(maxsize=1 << 15)  # templates repeat their texts on every page
def _hash_folded(text: str) -> int:
    """Hash a text with its white space collapsed; 0 for white space only."""
    folded = " ".join(text.split())
    return _hash_text(folded) if folded else 0


@lru_cache(maxsize=1 << 15)
def _hash_text(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") % _MODULUS
