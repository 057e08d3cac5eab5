"""Block features: text, links, containers, order, headline and metadata, as named columns.

Each group of features is a tuple of names and the function that fills those columns; `_GROUPS` lists the groups in
order. Training and extraction use the same function, `read_input`. The names and their order are stored with the
weights (`measures` in config.json): a feature that is added, removed, renamed or moved needs new weights.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.html.names import TAG_NAMES
from broadsheet.html.table import NO_CONTAINER
from broadsheet.kernel import measures, texts
from broadsheet.kernel.measures import CONTAINER_NAMES, HEADLINE_NAMES, ORDER_NAMES, POSITION_NAMES, BlockPlaces
from broadsheet.kernel.segments import measure_emphasis
from broadsheet.kernel.texts import MAX_BLOCK_WORDS, StatedWords, TextOutput, measure_texts
from broadsheet.methods.fusion.array_network import BlockInput
from broadsheet.methods.fusion.characters import make_tables
from broadsheet.methods.fusion.containers import LEVELS, Containers, find_containers
from broadsheet.methods.fusion.quotes import (
    find_body_quotes,
    find_description_quotes,
    read_stated_authors,
    read_stated_description,
    read_stated_title,
)
from broadsheet.models.arrays import number_names
from broadsheet.page import Page

Array = NDArray[np.float32]


def read_input(page: Page, blocks: Blocks) -> BlockInput:
    """Compute the features of all blocks and the rest of the network's input. The page must have a block."""
    number = len(blocks.text)
    values = np.empty((len(FEATURE_NAMES), number), np.float32)
    values[_FIRST_SPARSE:] = 0
    words = np.zeros((number, MAX_BLOCK_WORDS), np.uint32)
    containers = find_containers(page, blocks)
    data = _PageData(page, blocks, containers, values.reshape(-1).data)
    data.measure_texts(words.reshape(-1).data)
    for group in _GROUPS:
        if group.fill:
            group.fill(data, group.first)
    return BlockInput(
        features=values,
        words=words,
        enclosing=containers.enclosing,
        first_block=containers.first_block,
        end_block=containers.end_block,
        position=containers.position,
        outer=containers.outer,
        tags=containers.tags,
        name_hashes=containers.name_hashes,
        name_ends=containers.name_ends,
    )


def read_chars(features: Array) -> Array:
    """Return the length of each block in characters, from its features (names, n)."""
    return np.asarray(np.expm1(features[COLUMN_ROWS["chars"]]), np.float32)


class _PageData:
    """The data that groups of features are computed from, and the buffer of their columns."""

    def __init__(self, page: Page, blocks: Blocks, containers: Containers, features: Any) -> None:
        self.page, self.blocks, self.depths = page, blocks, containers.depth
        self.number = len(blocks.text)
        self.features = features  # (names * n,), zeros from _FIRST_SPARSE on
        self.sums: Any = array("d", bytes(8 * texts.SUMS * (self.number + 1)))
        self.places = BlockPlaces(
            number=self.number,
            levels=LEVELS,
            features=features,
            sums=self.sums,
            enclosing=containers.enclosing.reshape(-1).data,
            first_block=containers.first_block.data,
            end_block=containers.end_block.data,
            position=containers.position.data,
            containers=len(containers.first_block),
            positions=len(containers.outer),
        )

    def measure_texts(self, words: Any) -> None:
        """Write the features TEXT_NAMES and SHARED_NAMES, the hashes of the first words, and the running sums.

        Length, kinds of characters, first and last characters, and words that the metadata have too.
        """
        metadata = self.page.metadata
        title, description = read_stated_title(metadata), read_stated_description(metadata)
        stated = StatedWords(make_tables(), title, description, read_stated_authors(metadata))
        output = TextOutput(self.features, _SHARED_COLUMN, words, self.sums)
        measure_texts(self.blocks.text, self.blocks.link_chars, stated, output)

    def mark(self, column: int, blocks: Sequence[int]) -> None:
        """Write 1 into a column for these blocks."""
        features, first = self.features, column * self.number
        for block in blocks:
            features[first + block] = 1.0


# Depth in the tree, and other blocks with the same text.

_DEPTH_NAMES = ("depth", "repeats")


def _fill_depth(data: _PageData, first: int) -> None:
    measures.measure_depth(data.places, first, data.depths, data.blocks.text)


# The containers around the block: text, links and prose in each, and how far into it the block is.

_CONTAINER_NAMES = tuple(f"around{level}_{name}" for name in (*CONTAINER_NAMES, "at") for level in range(LEVELS))


def _fill_containers(data: _PageData, first: int) -> None:
    measures.measure_containers(data.places, first)


# All blocks of the same position together.

_POSITION_NAMES = tuple(f"place_{name}" for name in POSITION_NAMES)


def _fill_positions(data: _PageData, first: int) -> None:
    measures.measure_positions(data.places, first)


# Order of the block in the page.


def _fill_order(data: _PageData, first: int) -> None:
    measures.measure_order(data.places, first)


# Distance to the headline, the smallest container that holds both, and headings of the same tag after the headline.


def _fill_headline(data: _PageData, first: int) -> None:
    blocks, headline = data.blocks, data.blocks.headline
    if headline < 0:
        return
    row_tags = data.page.nodes.table.tag
    tag = row_tags[blocks.container[headline]] if blocks.context[headline] & tags.HEADING else -1
    measures.measure_headline(data.places, first, headline, row_tags, blocks.container, tag)


# Text that the page's metadata state: article body, description, title, authors.

_METADATA_NAMES = ("has_body", "in_body", "in_description")


def _fill_metadata(data: _PageData, first: int) -> None:
    quotes = find_body_quotes(data.blocks, data.page.metadata)
    if quotes is not None:
        data.mark(first, range(data.number))
        data.mark(first + 1, quotes)
    data.mark(first + 2, find_description_quotes(data.blocks, data.page.metadata))


# Elements that the block is inside: the bits of its context, the lowest first.

_CONTEXTS = "heading list quote table cell caption code nav header footer aside form article main hidden".split()
_CONTEXT_NAMES = tuple(f"in_{context}" for context in _CONTEXTS)
assert 1 << len(_CONTEXTS) - 1 == tags.HIDDEN


def _fill_context(data: _PageData, first: int) -> None:
    measures.measure_context(data.places, first, data.blocks.context, len(_CONTEXTS))


# `<article>` elements: several on a page are often teasers of other articles.

_ARTICLE_NAMES = ("in_headline_article", "in_other_article", "articles")


def _fill_articles(data: _PageData, first: int) -> None:
    nodes, blocks = data.page.nodes, data.blocks
    rows = [row for row in nodes.rows["article"] if nodes.table.outer[row] != NO_CONTAINER]
    if rows:
        spans = array("i", [border for row in rows for border in (row, nodes.end[row])])
        measures.measure_articles(data.places, first, blocks.first, blocks.headline, spans)


# Bold and italic text: notices and references to other articles are often set in them.

_EMPHASIS_NAMES = ("bold", "italic")
# By tag: the column plus 1, 0 for none.
_EMPHASIS_COLUMNS = bytes({"b": 1, "strong": 1, "i": 2, "em": 2}.get(tag, 0) for tag in TAG_NAMES)


def _fill_emphasis(data: _PageData, first: int) -> None:
    table, rows = data.page.nodes.table, data.blocks.rows
    measure_emphasis(table, rows.rows, rows.ends, data.blocks.text, _EMPHASIS_COLUMNS, data.features, first)


_Fill = Callable[[_PageData, int], None]


@dataclass(frozen=True, slots=True)
class _Group:
    """A group of features: its names, its first column, and the function that fills its columns.

    `_PageData.measure_texts` fills the groups without a function.
    """

    names: tuple[str, ...]
    first: int
    fill: _Fill | None


def _make_groups(groups: Sequence[tuple[tuple[str, ...], _Fill | None]]) -> tuple[_Group, ...]:
    firsts = accumulate((len(names) for names, _ in groups), initial=0)
    return tuple(_Group(names, first, fill) for (names, fill), first in zip(groups, firsts, strict=False))


_GROUPS = _make_groups(
    (
        (texts.TEXT_NAMES, None),
        (_DEPTH_NAMES, _fill_depth),
        (_CONTAINER_NAMES, _fill_containers),
        (_POSITION_NAMES, _fill_positions),
        (ORDER_NAMES, _fill_order),
        (HEADLINE_NAMES, _fill_headline),
        (_METADATA_NAMES, _fill_metadata),
        (texts.SHARED_NAMES, None),
        (_CONTEXT_NAMES, _fill_context),
        (_ARTICLE_NAMES, _fill_articles),
        (_EMPHASIS_NAMES, _fill_emphasis),
    )
)
FEATURE_NAMES = tuple(name for group in _GROUPS for name in group.names)
COLUMN_ROWS = number_names(FEATURE_NAMES)
_FIRST_SPARSE = COLUMN_ROWS[HEADLINE_NAMES[0]]  # the groups before it write all their values
_SHARED_COLUMN = COLUMN_ROWS[texts.SHARED_NAMES[0]]
