"""What the network knows of a node (section 3): one row of 215 numbers for each row of the node table.

    tag        8  vector of the tag's name, learned from parents and children
    sentence 200  SIF embedding of a text node's words; null for nodes without text
    numbers    7  text length x 0.01; red, green, blue behind it, 0..1; height and width as shares of the page's; shown?

With `reads_names` (ours) another 200: the words of the element's class and id, embedded likewise.
With `places` (ours) another 5 numbers: see PLACES.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadsheet.embeddings import WordVectors
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.page import TEXT, Nodes, Page
from broadsheet.style import Boxes, Styles
from broadsheet.text import split_identifiers, split_texts
from broadsheet.text.punctuation import (
    ARABIC_QUESTION_MARK,
    ASCII_ENDS,
    CLOSING_QUOTES,
    COLONS,
    COMMAS,
    DANDA,
    SEMICOLONS,
    WIDE_ENDS,
)

TAG_COLUMNS = 8
NUMBERS = ("text_length", "red", "green", "blue", "height", "width", "is_visible")
PLACES = ("top", "left", "in_link", "marks", "digits")  # distances are shares of the page; counts x 0.1
LENGTH_SCALE = 0.01
_COUNT_SCALE = 0.1
_MAX_COUNT = 10.0  # of marks and digits, after scaling: a page of nothing but dots must not drown the rest
# Marks of sentences: those that count before white space or a closing quotation mark, and those that count at the end.
_MARKS = ASCII_ENDS + COMMAS + SEMICOLONS + COLONS + WIDE_ENDS + DANDA + ARABIC_QUESTION_MARK
_LAST_MARKS = ASCII_ENDS + WIDE_ENDS
_MAX_NAME = 200  # characters of class and id together that are read

Floats = NDArray[np.float32]
Words = Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class NodeFeatures:
    """The features of a page's nodes, words not yet turned into vectors."""

    tags: Sequence[str]
    parent: NDArray[np.intp]
    text_rows: NDArray[np.intp]  # text nodes that are shown
    texts: Sequence[Words]  # the words of each
    name_rows: NDArray[np.intp] | None  # elements that have a class or an id; None: names are not read
    name_place: NDArray[np.intp] | None  # of each: its place in `names`
    names: Sequence[Words]  # the words of different names
    numbers: NDArray[np.float32]  # (nodes, 7), or 12 with places

    def __len__(self) -> int:
        return len(self.tags)


def read_features(page: Page, styles: Styles, boxes: Boxes, config: GcnConfig) -> NodeFeatures:
    """Read the features of all nodes of a page."""
    nodes = page.nodes
    rows = [row for _, own, _, _ in nodes.runs for row in own if nodes.tag[row] == TEXT]
    texts = [nodes.text[row] for row in rows]
    named = _read_names(nodes) if config.reads_names else None
    text_rows = np.array(rows, np.intp)
    numbers = np.zeros((len(nodes), len(NUMBERS) + (len(PLACES) if config.places else 0)), np.float32)
    _fill_numbers(numbers, styles, boxes)
    numbers[text_rows, 0] = np.array([len(text) for text in texts], np.float32) * np.float32(LENGTH_SCALE)
    if config.places:
        _fill_places(numbers[:, len(NUMBERS) :], nodes, boxes, text_rows, texts)
    return NodeFeatures(
        tags=nodes.tag,
        parent=np.array(nodes.parent, np.intp),
        text_rows=text_rows,
        texts=split_texts(texts),
        name_rows=None if named is None else named.rows,
        name_place=None if named is None else named.places,
        names=() if named is None else named.names,
        numbers=numbers,
    )


def assemble_features(features: NodeFeatures, words: WordVectors, tags: Mapping[str, Floats]) -> Floats:
    """X as the paper has it: (nodes, 215), or more with our columns. The network itself never needs it whole."""
    unknown = np.zeros(TAG_COLUMNS, np.float32)
    text = np.zeros((len(features), words.columns), np.float32)
    text[features.text_rows] = words.sif(features.texts)
    parts = [np.array([tags.get(tag, unknown) for tag in features.tags]), text]
    if features.name_rows is not None:
        names = np.zeros((len(features), words.columns), np.float32)
        names[features.name_rows] = words.sif(features.names)[features.name_place]
        parts.append(names)
    return np.hstack([*parts, features.numbers])


def _fill_numbers(numbers: Floats, styles: Styles, boxes: Boxes) -> None:
    looks = styles.columns
    behind = np.array(looks.background, np.uint32)
    for column, shift in ((1, 16), (2, 8), (3, 0)):
        numbers[:, column] = (behind >> shift) & 0xFF
    numbers[:, 1:4] /= 255
    numbers[:, 4] = _share(boxes.height, boxes.page_height)
    numbers[:, 5] = _share(boxes.width, boxes.page_width)
    numbers[:, 6] = np.array(looks.is_shown, bool) & (boxes.height > 0) & (boxes.width > 0)


def _fill_places(numbers: Floats, nodes: Nodes, boxes: Boxes, rows: NDArray[np.intp], texts: list[str]) -> None:
    numbers[:, 0] = _share(boxes.y, boxes.page_height)
    numbers[:, 1] = _share(boxes.x, boxes.page_width)
    numbers[[row for _, _, own, _ in nodes.runs for row in own], 2] = 1
    counts = _count_signs(texts) * np.float32(_COUNT_SCALE)
    numbers[rows, 3:] = np.minimum(counts, np.float32(_MAX_COUNT))


def _share(lengths: NDArray[np.float32], whole: float) -> NDArray[np.float32]:
    shares: NDArray[np.float32] = np.clip(lengths / max(whole, 1.0), 0.0, 1.0)
    return shares


def _count_signs(texts: list[str]) -> Floats:
    """Count the marks of sentences and the digits of texts: (texts, 2).

    All texts as one array of characters: a search in each of some hundred texts takes five times as long.
    """
    if not texts:
        return np.zeros((0, 2), np.float32)
    whole = "\0".join([*texts, ""])  # each ends with a sign that is none of these
    codes = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _sort_signs()[np.minimum(codes, _SIGNS - 1)]
    starts = np.cumsum([0, *(len(text) + 1 for text in texts[:-1])])
    is_mark = np.zeros(len(kinds), bool)
    is_mark[:-1] = ((kinds[:-1] & _MARK) != 0) & ((kinds[1:] & _FOLLOWS) != 0)
    last = np.append(starts[1:], len(codes)) - 2  # of each text; of an empty one the sign before it
    is_mark[last] |= (kinds[last] & _ENDS) != 0
    signs = np.stack((is_mark, (kinds & _DIGIT) != 0), axis=1)
    return np.add.reduceat(signs, starts, axis=0, dtype=np.float32)


_MARK, _ENDS, _FOLLOWS, _DIGIT = 1, 2, 4, 8
_SIGNS = 0x20000  # characters that are looked up: there are no digits of any language's texts beyond


@cache
def _sort_signs() -> NDArray[np.uint8]:
    """Kinds of characters, by their numbers."""
    kinds = np.zeros(_SIGNS, np.uint8)
    for kind, signs in ((_MARK, _MARKS), (_ENDS, _LAST_MARKS), (_FOLLOWS, CLOSING_QUOTES)):
        kinds[[ord(sign) for sign in signs]] |= kind
    every = "".join(map(chr, range(_SIGNS)))
    for kind, pattern in ((_FOLLOWS, r"\s"), (_DIGIT, r"\d")):
        kinds[[found.start() for found in re.finditer(pattern, every)]] |= kind
    return kinds


class _Named(NamedTuple):
    rows: NDArray[np.intp]
    places: NDArray[np.intp]
    names: list[Words]


def _read_names(nodes: Nodes) -> _Named:
    """Words of classes and ids; a page has few different ones, many times over."""
    attrs = nodes.attrs
    with_class, with_id = attrs.select("[class]"), attrs.select("[id]")
    named: dict[int, tuple[str | None, str | None]] = {
        row: (classes, None) for row, classes in zip(with_class, attrs.get_all(with_class, "class"), strict=True)
    }
    for row, own in zip(with_id, attrs.get_all(with_id, "id"), strict=True):
        named[row] = (named[row][0] if row in named else None, own)
    names: list[Words] = []
    place_of: dict[tuple[str | None, str | None], int] = {}
    for pair in dict.fromkeys(named.values()):
        words = split_names(f"{pair[0] or ''} {pair[1] or ''}"[:_MAX_NAME])
        place_of[pair] = len(names) if words else -1
        if words:
            names.append(words)
    rows = np.array(list(named), np.intp)
    places = np.array(list(map(place_of.__getitem__, named.values())), np.intp)
    has_words = places >= 0
    return _Named(rows[has_words], places[has_words], names)


@lru_cache(maxsize=4096)  # pages of a site have the same
def split_names(names: str) -> Words:
    """Split names of classes at delimiters and where capitals begin; numbers and single letters are left out."""
    return [word.lower() for word in split_identifiers(names) if len(word) > 1]
