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
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from broadsheet.embeddings import WordVectors
from broadsheet.features import split_words
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.page import TEXT, Nodes, Page
from broadsheet.style import Boxes, Styles

TAG_COLUMNS = 8
NUMBERS = ("text_length", "red", "green", "blue", "height", "width", "is_visible")
PLACES = ("top", "left", "in_link", "marks", "digits")  # distances are shares of the page; counts x 0.1
LENGTH_SCALE = 0.01
_COUNT_SCALE = 0.1
_MAX_COUNT = 10.0  # of marks and digits, after scaling: a page of nothing but dots must not drown the rest
_MARKS = re.compile(r"[.,;:!?。，；：！？、।؟،][\s\"'”’»]|[.!?。！？]$")
_DIGITS = re.compile(r"\d")
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LOWER_PART = re.compile(r"[a-z]{2,}")
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
    texts = nodes.text
    named = _read_names(nodes) if config.reads_names else None
    numbers = [_read_numbers(nodes, styles, boxes, rows)]
    if config.places:
        numbers.append(_read_places(nodes, boxes, rows))
    return NodeFeatures(
        tags=nodes.tag,
        parent=np.array(nodes.parent, np.intp),
        text_rows=np.array(rows, np.intp),
        texts=[split_words(texts[row]) for row in rows],
        name_rows=None if named is None else np.array(named.rows, np.intp),
        name_place=None if named is None else np.array(named.places, np.intp),
        names=() if named is None else named.names,
        numbers=np.hstack(numbers) if len(numbers) > 1 else numbers[0],
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


def _read_numbers(nodes: Nodes, styles: Styles, boxes: Boxes, rows: list[int]) -> NDArray[np.float32]:
    numbers = np.zeros((len(nodes), len(NUMBERS)), np.float32)
    texts = nodes.text
    if rows:
        numbers[rows, 0] = [len(texts[row]) for row in rows]
        numbers[:, 0] *= LENGTH_SCALE
    looks_of = [
        parent if tag == TEXT else row for row, (tag, parent) in enumerate(zip(nodes.tag, nodes.parent, strict=True))
    ]
    elements = [row for row, tag in enumerate(nodes.tag) if tag != TEXT]
    behind = np.zeros(len(nodes), np.uint32)
    behind[elements] = [styles.background(row) for row in elements]
    behind = behind[looks_of]  # text looks as the element that it stands in
    for column, shift in ((1, 16), (2, 8), (3, 0)):
        numbers[:, column] = (behind >> shift) & 0xFF
    numbers[:, 1:4] /= 255
    numbers[:, 4] = _share(boxes.height, boxes.page_height)
    numbers[:, 5] = _share(boxes.width, boxes.page_width)
    is_shown = np.zeros(len(nodes), bool)
    is_shown[elements] = [styles.is_shown(row) for row in elements]
    numbers[:, 6] = is_shown[looks_of] & (boxes.height > 0) & (boxes.width > 0)
    return numbers


def _read_places(nodes: Nodes, boxes: Boxes, rows: list[int]) -> NDArray[np.float32]:
    numbers = np.zeros((len(nodes), len(PLACES)), np.float32)
    numbers[:, 0] = _share(boxes.y, boxes.page_height)
    numbers[:, 1] = _share(boxes.x, boxes.page_width)
    linked = [row for _, _, own, _ in nodes.runs for row in own]
    numbers[linked, 2] = 1
    if rows:
        texts = nodes.text
        numbers[rows, 3] = [len(_MARKS.findall(texts[row])) for row in rows]
        numbers[rows, 4] = [len(_DIGITS.findall(texts[row])) for row in rows]
        np.minimum(numbers[:, 3:] * _COUNT_SCALE, _MAX_COUNT, out=numbers[:, 3:])
    return numbers


def _share(lengths: NDArray[np.float32], whole: float) -> NDArray[np.float32]:
    shares: NDArray[np.float32] = np.clip(lengths / max(whole, 1.0), 0.0, 1.0)
    return shares


class _Named(NamedTuple):
    rows: list[int]
    places: list[int]
    names: list[Words]


def _read_names(nodes: Nodes) -> _Named:
    """Words of classes and ids; a page has few different ones, many times over."""
    found = _Named([], [], [])
    elements = [row for row, tag in enumerate(nodes.tag) if tag != TEXT]
    classes, ids = nodes.attrs.get_all(elements, "class"), nodes.attrs.get_all(elements, "id")
    place_of: dict[tuple[str | None, str | None], int] = {(None, None): -1}  # -1: no words
    for row, own in zip(elements, zip(classes, ids, strict=True), strict=True):
        place = place_of.get(own)
        if place is None:
            words = split_names(f"{own[0] or ''} {own[1] or ''}"[:_MAX_NAME])
            place = place_of[own] = len(found.names) if words else -1
            if words:
                found.names.append(words)
        if place >= 0:
            found.rows.append(row)
            found.places.append(place)
    return found


@lru_cache(maxsize=4096)  # pages of a site have the same
def split_names(names: str) -> Words:
    """Split names of classes at delimiters and where capitals begin; numbers and single letters are left out."""
    if names.islower():  # most are, and nothing is to be parted inside them
        return _LOWER_PART.findall(names)
    return [part.lower() for part in _NAME_PART.findall(names) if len(part) > 1]
