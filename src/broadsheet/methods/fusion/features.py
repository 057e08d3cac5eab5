"""Blocks to named numbers: the shape of a text, its links, what the containers around it hold, and where it stands.

One function for training and run time; a few large array operations, because a hundred small ones cost more.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.methods.fusion.characters import Counts, Kind, count_characters, read_characters
from broadsheet.methods.fusion.containers import LEVELS, Surroundings, find_surroundings
from broadsheet.methods.fusion.quotes import find_stated, is_described, stands_in_body
from broadsheet.methods.fusion.tokens import read_tokens, share_with
from broadsheet.page import Metadata, Page

Rows = NDArray[np.float32]  # (names, n)

_LONG = 80  # characters without links that make a block likely prose
_SHARES = (
    Kind.UPPER,
    Kind.DIGIT,
    Kind.UNSPACED,
    Kind.COMMA,
    Kind.END,
    Kind.COLON,
    Kind.QUOTE,
    Kind.BAR,
    Kind.MARK,
    Kind.OTHER,
)
_MEANINGS = "heading list quote table cell caption code nav header footer aside form article main hidden".split()
_LEVEL_NAMES = ("chars", "share", "links", "prose", "long", "long_share", "blocks", "at")

NAMES = (
    "chars",
    "words",
    "word_chars",
    "links",
    *(f"{kind.name.lower()}_share" for kind in _SHARES),
    "commas",
    "ends",
    "ends_sentence",
    "ends_colon",
    "ends_lower",
    "ends_cut",
    *(f"starts_{kind}" for kind in ("upper", "lower", "digit", "bar", "quote")),
    "lines",
    "depth",
    "repeats",
    *(f"around{level}_{name}" for name in _LEVEL_NAMES for level in range(LEVELS)),
    *(f"place_{name}" for name in ("blocks", "share", "links", "prose", "long_share", "chars")),
    "at",
    "before",
    "left",
    "page_blocks",
    "chars_at",
    "long_at",
    "page_chars",
    "has_headline",
    "from_headline",
    "is_headline",
    "after_headline",
    "levels_to_headline",
    "share_with_headline",
    "headlines_since",
    "has_body",
    "in_body",
    "in_description",
    "title_share",
    "description_share",
    *(f"in_{meaning}" for meaning in _MEANINGS),
)


_AT = {name: at for at, name in enumerate(NAMES)}
_TEXT, _LEVELS, _PLACES, _POSITION, _HEADLINE, _STATEMENTS, _MEANING = (
    slice(_AT[first], _AT[last] + 1)
    for first, last in (
        ("chars", "lines"),
        ("around0_chars", f"around{LEVELS - 1}_at"),
        ("place_blocks", "place_chars"),
        ("at", "page_chars"),
        ("has_headline", "headlines_since"),
        ("has_body", "in_description"),
        ("in_heading", "in_hidden"),
    )
)
_BITS = np.arange(len(_MEANINGS))[:, None]
assert 1 << len(_MEANINGS) - 1 == tags.HIDDEN
# Plain numbers: NumPy takes long to see that those of an enumeration are some.
_SHARED = np.array(_SHARES, np.intp)
_COMMA, _END, _COLON, _QUOTE, _LOWER, _SPACE, _UNSPACED = map(
    int, (Kind.COMMA, Kind.END, Kind.COLON, Kind.QUOTE, Kind.LOWER, Kind.SPACE, Kind.UNSPACED)
)
_STARTS = np.array((Kind.UPPER, Kind.LOWER, Kind.DIGIT, Kind.BAR, Kind.QUOTE), np.uint8)[:, None]


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """The named numbers of n blocks, and where they stand."""

    values: NDArray[np.float32]  # (len(NAMES), n)
    surroundings: Surroundings


def measure_blocks(page: Page, blocks: Blocks) -> Measures:
    """Measure all blocks of a page that has some."""
    number, metadata = len(blocks), page.metadata
    # Title and description are read in one go with the blocks, which costs less.
    characters = read_characters([*blocks.text, *(text or "." for text in find_stated(metadata))])
    counts = count_characters(characters, number)
    words = read_tokens(characters)
    title, description = (words.hashes[slice(*ends)] for ends in pairwise((*words.first[-2:].tolist(), None)))
    tokens = words.take(number)
    surroundings = find_surroundings(page, blocks)
    sums = _Sums(blocks, counts)
    values = np.empty((len(NAMES), number), np.float32)
    _measure_text(counts, sums, values[_TEXT])
    np.divide(surroundings.depth, 10, out=values[_AT["depth"]])
    values[_AT["repeats"]] = _count_repeats(blocks)
    _measure_levels(surroundings, sums, values[_LEVELS])
    _measure_places(surroundings, sums, values[_PLACES])
    _measure_position(sums, values[_POSITION])
    _measure_headline(page, blocks, surroundings, sums, values[_HEADLINE])
    _measure_statements(blocks, metadata, values[_STATEMENTS])
    values[_AT["title_share"]] = share_with(tokens, title)
    values[_AT["description_share"]] = share_with(tokens, description)
    np.bitwise_and(np.fromiter(blocks.context, np.intp, number) >> _BITS, 1, out=values[_MEANING], casting="unsafe")
    return Measures(values, surroundings)


class _Sums:
    """What is added up over containers and places: characters, those in links, signs of prose, long blocks."""

    def __init__(self, blocks: Blocks, counted: Counts) -> None:
        number = len(blocks)
        self.rows = rows = np.empty((5, number), np.float32)
        chars, links, prose, is_long, long_chars = rows
        chars[:] = counted.lengths
        links[:] = blocks.link_chars
        np.add(counted.counts[_COMMA], counted.counts[_END], out=prose)
        np.logical_and(chars >= _LONG, links < 0.3 * chars, out=is_long)
        np.multiply(chars, is_long, out=long_chars)
        self.running = np.zeros((5, number + 1))
        np.cumsum(rows, axis=1, out=self.running[:, 1:])
        self.total = max(float(self.running[0, -1]), 1.0)
        self.total_long = max(float(self.running[4, -1]), 1.0)


def _measure_text(counted: Counts, sums: _Sums, found: Rows) -> None:
    counts, chars = counted.counts, counted.lengths
    words = counts[_SPACE] + 1 + counts[_UNSPACED] / 2
    found[0] = chars
    found[1] = words
    np.divide(chars, words, out=found[2])
    np.minimum(found[2], 20, out=found[2])
    found[2] /= 10
    np.divide(sums.rows[1], chars, out=found[3])
    shares = found[4 : 4 + len(_SHARES)]
    np.divide(counts.take(_SHARED, axis=0), chars, out=shares)
    shares[3:] *= 10  # punctuation is rare
    at = 4 + len(_SHARES)
    found[at] = counts[_COMMA]
    found[at + 1] = counts[_END]
    last = counted.last
    found[at + 2] = (last == _END) | ((last == _QUOTE) & (counted.before_last == _END))
    found[at + 3] = last == _COLON
    found[at + 4] = last == _LOWER
    found[at + 5] = counted.is_cut
    np.equal(counted.first, _STARTS, out=found[at + 6 : -1], casting="unsafe")
    found[-1] = counted.lines
    for rows in (found[:2], found[at : at + 2], found[-1]):
        np.log1p(rows, out=rows)


def _count_repeats(blocks: Blocks) -> NDArray[np.float32] | int:
    count = Counter(blocks.text)
    if len(count) == len(blocks):
        return 0
    return np.log1p(np.fromiter(map(count.__getitem__, blocks.text), np.float32, len(blocks)) - 1)


def _measure_levels(around: Surroundings, sums: _Sums, found: Rows) -> None:
    """Measure the containers around each block: (names * LEVELS, n)."""
    first, after, number = around.first, around.after, around.around.shape[1]
    chars, links, prose, long, long_chars = _sum_up(sums, around)
    size = after - first
    some = np.maximum(chars, 1)
    table = np.empty((len(_LEVEL_NAMES) - 1, len(size)), np.float32)
    table[0] = chars
    np.divide(chars, sums.total, out=table[1], casting="unsafe")
    np.divide(links, some, out=table[2], casting="unsafe")
    np.multiply(prose, 20 / some, out=table[3], casting="unsafe")
    table[4] = long
    np.divide(long_chars, sums.total_long, out=table[5], casting="unsafe")
    table[6] = size
    for row in (0, 4, 6):
        np.log1p(table[row], out=table[row])
    levels = found.reshape(len(_LEVEL_NAMES), LEVELS, number)
    table.take(around.around, axis=1, out=levels[:-1], mode="clip")
    before = np.arange(number) - first.take(around.around)
    np.divide(before, size.take(around.around), out=levels[-1], casting="unsafe")


def _sum_up(sums: _Sums, around: Surroundings) -> NDArray[np.float64]:
    """Add up the rows of sums over each container: (5, containers)."""
    found = sums.running.take(around.after, axis=1)
    found -= sums.running.take(around.first, axis=1)
    return found


def _measure_places(around: Surroundings, sums: _Sums, found: Rows) -> None:
    """Measure all blocks of the same place together: (6, n)."""
    place, places = around.place, len(around.places)
    size = np.bincount(place, minlength=places)
    chars, links, prose, _, long_chars = (np.bincount(place, row, places) for row in sums.rows)
    some = np.maximum(chars, 1)
    table = np.empty((len(found), places))
    table[0] = size
    np.divide(chars, sums.total, out=table[1])
    np.divide(links, some, out=table[2])
    np.divide(prose, some / 20, out=table[3])
    np.divide(long_chars, sums.total_long, out=table[4])
    np.divide(chars, np.maximum(size, 1), out=table[5])
    for row in (0, 5):
        np.log1p(table[row], out=table[row])
    found[:] = table.take(place, axis=1)


def _measure_position(sums: _Sums, found: Rows) -> None:
    number = found.shape[1]
    at = np.arange(number)
    np.divide(at, number, out=found[0], casting="unsafe")
    found[1] = at
    found[2] = number - at
    found[3] = number
    np.divide(sums.running[0, :-1], sums.total, out=found[4], casting="unsafe")
    np.divide(sums.running[4, :-1], sums.total_long, out=found[5], casting="unsafe")
    found[6] = np.log1p(sums.total)
    np.log1p(found[1:4], out=found[1:4])


def _measure_headline(page: Page, blocks: Blocks, around: Surroundings, sums: _Sums, found: Rows) -> None:
    """Measure how blocks stand to the headline: after it, inside what holds both, after others of its kind."""
    number, headline = len(blocks), blocks.headline
    found[:] = 0
    if headline < 0:
        return
    first, after = around.first, around.after
    holds = (first <= headline) & (headline < after)  # (containers,)
    levels = np.ones((LEVELS + 1, number), bool)
    holds.take(around.around, out=levels[:-1], mode="clip")
    level = levels.argmax(0)
    shared = np.full(number, len(first) - 1)  # the smallest container that holds both, else the page
    near = np.flatnonzero(level < LEVELS)
    shared[near] = around.around[level.take(near), near]
    chars = sums.running[0].take(after.take(shared)) - sums.running[0].take(first.take(shared))
    away = np.arange(number) - headline
    found[0] = 1
    np.log1p(np.abs(away), out=found[1], casting="unsafe")
    found[1] /= 3
    found[1, :headline] *= -1
    found[2, headline] = 1
    found[3, headline + 1 :] = 1
    np.divide(level, LEVELS, out=found[4], casting="unsafe")
    np.divide(chars, sums.total, out=found[5], casting="unsafe")
    if blocks.context[headline] & tags.HEADING:
        tags_of = page.nodes.tag
        own = tags_of[blocks.container[headline]]
        is_alike = [tags_of[row] == own for row in blocks.container[headline + 1 :]]
        np.log1p(np.cumsum(is_alike), out=found[6, headline + 1 :], casting="unsafe")


def _measure_statements(blocks: Blocks, metadata: Metadata, found: Rows) -> None:
    """Tell which blocks the page's metadata quote: the article's text, its description."""
    in_body = stands_in_body(blocks, metadata)
    found[0] = in_body is not None
    found[1] = 0 if in_body is None else in_body
    found[2] = is_described(blocks, metadata)
