"""Node features (section 3): one row of 215 numbers per row of the node table.

    tag        8  vector of the tag name, learned from pairs of parent and child
    sentence 200  SIF embedding of the words of a text node; zeros for nodes without text
    numbers    7  NUMBERS: text length, background colour, size, visibility

With `reads_names` (ours) 200 more: SIF embedding of the words of the element's class and id.
With `has_extra_numbers` (ours) 5 more: EXTRA_NUMBERS.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.page import TEXT, Nodes, Page
from broadsheet.style import Boxes, Styles
from broadsheet.text import (
    ARABIC_QUESTION_MARK,
    ASCII_ENDS,
    CLOSING_QUOTES,
    COLONS,
    COMMAS,
    DANDA,
    SEMICOLONS,
    WIDE_ENDS,
    split_identifiers,
    split_texts,
)

TAG_COLUMNS = 8
# Length in characters x 0.01; red, green and blue of the background, 0 to 1; height and width as shares of the page.
NUMBERS = ("text_length", "red", "green", "blue", "height", "width", "is_visible")
# Distances from the top and the left as shares of the page; sentence marks and digits of the text, counts x 0.1.
EXTRA_NUMBERS = ("top", "left", "in_link", "marks", "digits")
LENGTH_SCALE = 0.01
_COLUMN = {name: column for column, name in enumerate((*NUMBERS, *EXTRA_NUMBERS))}
_COUNT_SCALE = 0.1
_MAX_SCALED_COUNT = 10.0  # of marks and digits, so that a text of nothing but dots does not outweigh other features
# Counted before white space or a closing quotation mark:
_SENTENCE_MARKS = ASCII_ENDS + COMMAS + SEMICOLONS + COLONS + WIDE_ENDS + DANDA + ARABIC_QUESTION_MARK
_FINAL_MARKS = ASCII_ENDS + WIDE_ENDS  # counted also at the end of a text
_MAX_NAME_CHARS = 200  # of class and id together

Floats = NDArray[np.float32]
Words = Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class NodeFeatures:
    """Features of the nodes of a page, before words are embedded."""

    tags: Sequence[str]
    parent: NDArray[np.intp]
    text_rows: NDArray[np.intp]  # visible text nodes
    texts: Sequence[Words]  # their words
    name_rows: NDArray[np.intp] | None  # elements with a class or an id; None if names are not read
    name_index: NDArray[np.intp] | None  # the index of each in `names`
    names: Sequence[Words]  # the words of distinct names
    numbers: Floats  # (nodes, 7), or 12 with EXTRA_NUMBERS

    def __len__(self) -> int:
        return len(self.tags)


def read_features(page: Page, styles: Styles, boxes: Boxes, config: GcnConfig) -> NodeFeatures:
    """Read the features of all nodes of a page."""
    nodes = page.nodes
    rows = [row for _, run_rows, _, _ in nodes.runs for row in run_rows if nodes.tag[row] == TEXT]
    texts = [nodes.text[row] for row in rows]
    names = _read_names(nodes) if config.reads_names else None
    text_rows = np.array(rows, np.intp)
    columns = len(NUMBERS) + (len(EXTRA_NUMBERS) if config.has_extra_numbers else 0)
    numbers = np.zeros((len(nodes), columns), np.float32)
    _fill_numbers(numbers, styles, boxes)
    lengths = np.array([len(text) for text in texts], np.float32)
    numbers[text_rows, _COLUMN["text_length"]] = lengths * np.float32(LENGTH_SCALE)
    if config.has_extra_numbers:
        _fill_extra_numbers(numbers, nodes, boxes)
        counts = count_characters(texts)
        for name, values in (("marks", counts.marks), ("digits", counts.digits)):
            scaled = values * np.float32(_COUNT_SCALE)
            numbers[text_rows, _COLUMN[name]] = np.minimum(scaled, np.float32(_MAX_SCALED_COUNT))
    return NodeFeatures(
        tags=nodes.tag,
        parent=np.array(nodes.parent, np.intp),
        text_rows=text_rows,
        texts=split_texts(texts),
        name_rows=None if names is None else names.rows,
        name_index=None if names is None else names.index,
        names=() if names is None else names.words,
        numbers=numbers,
    )


def _fill_numbers(numbers: Floats, styles: Styles, boxes: Boxes) -> None:
    background = np.array(styles.columns.background, np.uint32)  # 0xRRGGBB
    for name, shift in (("red", 16), ("green", 8), ("blue", 0)):
        numbers[:, _COLUMN[name]] = ((background >> shift) & 0xFF).astype(np.float32) / 255
    numbers[:, _COLUMN["height"]] = _share(boxes.height, boxes.page_height)
    numbers[:, _COLUMN["width"]] = _share(boxes.width, boxes.page_width)
    is_shown = np.array(styles.columns.is_shown, bool)
    numbers[:, _COLUMN["is_visible"]] = is_shown & (boxes.height > 0) & (boxes.width > 0)


def _fill_extra_numbers(numbers: Floats, nodes: Nodes, boxes: Boxes) -> None:
    numbers[:, _COLUMN["top"]] = _share(boxes.y, boxes.page_height)
    numbers[:, _COLUMN["left"]] = _share(boxes.x, boxes.page_width)
    numbers[[row for _, _, link_rows, _ in nodes.runs for row in link_rows], _COLUMN["in_link"]] = 1


def _share(lengths: Floats, whole: float) -> Floats:
    shares: Floats = np.clip(lengths / max(whole, 1.0), 0.0, 1.0)
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class CharacterCounts:
    """Counts of characters, one of each kind per text."""

    marks: Floats  # sentence marks
    digits: Floats


def count_characters(texts: list[str]) -> CharacterCounts:
    """Count the sentence marks and the digits of texts.

    All texts are joined into one array of code points: a regular expression on each text takes five times as long.
    """
    if not texts:
        return CharacterCounts(np.zeros(0, np.float32), np.zeros(0, np.float32))
    joined = "\0".join([*texts, ""])  # NUL is of no kind that is counted
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _classify_characters()[np.minimum(codes, _CODE_POINTS - 1)]
    starts = np.cumsum([0, *(len(text) + 1 for text in texts[:-1])])
    is_mark = np.zeros(len(kinds), bool)
    is_mark[:-1] = ((kinds[:-1] & _MARK) != 0) & ((kinds[1:] & _AFTER_MARK) != 0)
    last = np.append(starts[1:], len(codes)) - 2  # the last character of a text; of an empty one, the NUL before it
    is_mark[last] |= (kinds[last] & _FINAL_MARK) != 0
    counts = np.stack((is_mark, (kinds & _DIGIT) != 0), axis=1)
    return CharacterCounts(*np.add.reduceat(counts, starts, axis=0, dtype=np.float32).T)


_MARK, _FINAL_MARK, _AFTER_MARK, _DIGIT = 1, 2, 4, 8  # kinds of characters, as bits
_CODE_POINTS = 0x20000  # size of the lookup table; no digits of a living script have higher code points


@cache
def _classify_characters() -> NDArray[np.uint8]:
    """Return the kinds of all characters, by code point."""
    kinds = np.zeros(_CODE_POINTS, np.uint8)
    for kind, characters in ((_MARK, _SENTENCE_MARKS), (_FINAL_MARK, _FINAL_MARKS), (_AFTER_MARK, CLOSING_QUOTES)):
        kinds[[ord(character) for character in characters]] |= kind
    all_characters = "".join(map(chr, range(_CODE_POINTS)))
    for kind, pattern in ((_AFTER_MARK, r"\s"), (_DIGIT, r"\d")):
        kinds[[match.start() for match in re.finditer(pattern, all_characters)]] |= kind
    return kinds


@dataclass(frozen=True, slots=True, eq=False)
class _Names:
    rows: NDArray[np.intp]  # elements with a class or an id that contains words
    index: NDArray[np.intp]  # of each: its index in `words`
    words: list[Words]  # of distinct names


def _read_names(nodes: Nodes) -> _Names:
    """Read the words of classes and ids. A page repeats a few distinct names many times."""
    attrs = nodes.attrs
    class_rows, id_rows = attrs.rows_with("class"), attrs.rows_with("id")
    names: dict[int, tuple[str | None, str | None]] = {
        row: (class_name, None) for row, class_name in zip(class_rows, attrs.get_all(class_rows, "class"), strict=True)
    }
    for row, element_id in zip(id_rows, attrs.get_all(id_rows, "id"), strict=True):
        names[row] = (names[row][0] if row in names else None, element_id)
    distinct: list[Words] = []
    index_of: dict[tuple[str | None, str | None], int] = {}
    for pair in dict.fromkeys(names.values()):
        words = split_names(f"{pair[0] or ''} {pair[1] or ''}"[:_MAX_NAME_CHARS])
        index_of[pair] = len(distinct) if words else -1
        if words:
            distinct.append(words)
    rows = np.array(list(names), np.intp)
    index = np.array(list(map(index_of.__getitem__, names.values())), np.intp)
    has_words = index >= 0
    return _Names(rows[has_words], index[has_words], distinct)


@lru_cache(maxsize=4096)  # pages of a site share most names
def split_names(names: str) -> Words:
    """Split class names at delimiters and before capitals; numbers and single letters are dropped."""
    return [word.lower() for word in split_identifiers(names) if len(word) > 1]
