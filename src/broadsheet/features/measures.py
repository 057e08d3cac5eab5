"""Blocks to named numbers: the shape of a text, its links, what the containers around it hold, and where it stands.

One function for training and run time; a few large array operations, because a hundred small ones cost more.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.features.characters import Counts, Kind, count_characters, read_characters
from broadsheet.features.headline import find_headline, find_stated, is_described, stands_in_body
from broadsheet.features.surroundings import LEVELS, Surroundings, find_surroundings
from broadsheet.features.tokens import read_tokens, share_with
from broadsheet.page import Metadata, Page

Row = NDArray[np.float32]  # (n,)
Numbers = NDArray[np.number[Any]]

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


@dataclass(frozen=True, slots=True, eq=False)
class Measures:
    """The named numbers of n blocks, and where they stand."""

    values: NDArray[np.float32]  # (len(NAMES), n)
    surroundings: Surroundings


def measure_blocks(page: Page, blocks: Blocks, metadata: Metadata) -> Measures:
    """Measure all blocks of a page that has some."""
    number = len(blocks)
    # Title and description are read in one go with the blocks, which costs less.
    characters = read_characters([*blocks.text, *(text or "." for text in find_stated(metadata))])
    counts = count_characters(characters, number)
    words = read_tokens(characters)
    title, description = (words.hashes[slice(*ends)] for ends in pairwise((*words.first[-2:], None)))
    tokens = words.take(number)
    surroundings = find_surroundings(page, blocks)
    sums = _Sums(blocks, counts)
    parts = (
        _measure_text(counts, sums),
        surroundings.depth / 10,
        _count_repeats(blocks),
        _measure_levels(surroundings, sums),
        _measure_places(surroundings, sums),
        _measure_position(sums),
        _measure_headline(page, blocks, metadata, surroundings, sums),
        _measure_statements(blocks, metadata),
        share_with(tokens, title),
        share_with(tokens, description),
        _measure_meaning(blocks),
    )
    values = np.empty((len(NAMES), number), np.float32)
    at = 0
    for part in parts:
        rows = part.reshape(-1, number)
        values[at : at + len(rows)] = rows
        at += len(rows)
    return Measures(values, surroundings)


class _Sums:
    """What is added up over containers and places: characters, those in links, signs of prose, long blocks."""

    def __init__(self, blocks: Blocks, counted: Counts) -> None:
        number = len(blocks)
        chars = counted.lengths
        links = np.fromiter(blocks.link_chars, np.float32, number)
        prose = counted.counts[Kind.COMMA] + counted.counts[Kind.END]
        is_long = ((chars >= _LONG) & (links < 0.3 * chars)).astype(np.float32)
        self.rows = np.stack((chars, links, prose, is_long, chars * is_long))  # (5, n)
        self.running = np.zeros((5, number + 1))
        np.cumsum(self.rows, axis=1, out=self.running[:, 1:])
        self.total = max(float(self.running[0, -1]), 1.0)
        self.total_long = max(float(self.running[4, -1]), 1.0)


def _measure_text(counted: Counts, sums: _Sums) -> NDArray[np.float32]:
    counts, chars = counted.counts, counted.lengths
    unspaced = counts[Kind.UNSPACED]
    words = counts[Kind.SPACE] + 1 + unspaced / 2
    shares = counts[list(_SHARES)] / chars
    shares[3:] *= 10  # punctuation is rare
    first, last, before = counted.first, counted.last, counted.before_last
    ends_sentence = (last == Kind.END) | ((last == Kind.QUOTE) & (before == Kind.END))
    return np.stack(
        (
            np.log1p(chars),
            np.log1p(words),
            np.minimum(chars / words, 20) / 10,
            sums.rows[1] / chars,
            *shares,
            *np.log1p(counts[[Kind.COMMA, Kind.END]]),
            ends_sentence,
            last == Kind.COLON,
            last == Kind.LOWER,
            counted.is_cut,
            first == Kind.UPPER,
            first == Kind.LOWER,
            first == Kind.DIGIT,
            first == Kind.BAR,
            first == Kind.QUOTE,
            np.log1p(counted.lines),
        )
    ).astype(np.float32)


def _count_repeats(blocks: Blocks) -> Row:
    count: dict[str, int] = {}
    for text in blocks.text:
        count[text] = count.get(text, -1) + 1
    return np.log1p(np.fromiter((count[text] for text in blocks.text), np.float32, len(blocks)))


def _measure_levels(around: Surroundings, sums: _Sums) -> Numbers:
    """Measure the containers around each block: (names * LEVELS, n)."""
    first, after = around.first, around.after
    chars, links, prose, long, long_chars = sums.running[:, after] - sums.running[:, first]  # each (containers,)
    size = after - first
    some = np.maximum(chars, 1)
    table = np.stack(
        (
            np.log1p(chars),
            chars / sums.total,
            links / some,
            prose * (20 / some),
            np.log1p(long),
            long_chars / sums.total_long,
            np.log1p(size),
            np.zeros(len(size)),
        )
    ).astype(np.float32)
    found = table[:, around.around]  # (names, LEVELS, n)
    found[-1] = (np.arange(around.around.shape[1]) - first[around.around]) / size[around.around]
    return found


def _measure_places(around: Surroundings, sums: _Sums) -> NDArray[np.float64]:
    """Measure all blocks of the same place together: (6, n)."""
    place, places = around.place, len(around.places)
    size = np.bincount(place, minlength=places)
    chars, links, prose, _, long_chars = (np.bincount(place, row, places) for row in sums.rows)
    some = np.maximum(chars, 1)
    table = np.stack(
        (
            np.log1p(size),
            chars / sums.total,
            links / some,
            prose / some * 20,
            long_chars / sums.total_long,
            np.log1p(chars / np.maximum(size, 1)),
        )
    )
    return table[:, place]


def _measure_position(sums: _Sums) -> NDArray[np.float64]:
    number = sums.rows.shape[1]
    at = np.arange(number)
    return np.stack(
        (
            at / number,
            np.log1p(at),
            np.log1p(number - at),
            np.full(number, np.log1p(number)),
            sums.running[0, :-1] / sums.total,
            sums.running[4, :-1] / sums.total_long,
            np.full(number, np.log1p(sums.total)),
        )
    )


def _measure_headline(
    page: Page, blocks: Blocks, metadata: Metadata, around: Surroundings, sums: _Sums
) -> NDArray[np.float64]:
    """Measure how blocks stand to the headline: after it, inside what holds both, after others of its kind."""
    number, headline = len(blocks), find_headline(blocks, metadata)
    if headline < 0:
        return np.zeros((7, number))
    away = np.arange(number) - headline
    first, after = around.first, around.after
    holds = (first <= headline) & (headline < after)  # (containers,)
    levels = np.append(holds[around.around], np.ones((1, number), bool), axis=0)
    level = levels.argmax(0)
    shared = np.append(around.around, np.full((1, number), len(first) - 1), axis=0)[level, np.arange(number)]
    chars = (sums.running[0][after] - sums.running[0][first])[shared]
    tags_of = page.nodes.tag
    own = tags_of[blocks.container[headline]]
    is_alike = np.fromiter((tags_of[row] == own for row in blocks.container), bool, number)
    if not blocks.meaning[headline] & tags.HEADING:
        is_alike[:] = False
    is_alike[: headline + 1] = False
    return np.stack(
        (
            np.ones(number),
            np.sign(away) * np.log1p(np.abs(away)) / 3,
            away == 0,
            away > 0,
            level / LEVELS,
            chars / sums.total,
            np.log1p(np.cumsum(is_alike)),
        )
    )


def _measure_statements(blocks: Blocks, metadata: Metadata) -> Numbers:
    """Tell which blocks the page's metadata quote: the article's text, its description."""
    in_body = stands_in_body(blocks, metadata)
    has_body = np.full(len(blocks), in_body is not None)
    return np.stack((has_body, has_body & False if in_body is None else in_body, is_described(blocks, metadata)))


def _measure_meaning(blocks: Blocks) -> NDArray[np.int64]:
    meaning = np.fromiter(blocks.meaning, np.int64, len(blocks))
    bits = np.arange(len(_MEANINGS))
    assert 1 << len(_MEANINGS) - 1 == tags.HIDDEN
    return meaning >> bits[:, None] & 1
