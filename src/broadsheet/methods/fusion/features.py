"""Block features: text, links, containers, order, headline and metadata, as named columns.

Each group of features is a tuple of names and the function that fills those columns; `_GROUPS` lists the groups in
order. Training and extraction use the same function, `compute_features`. The names and their order are stored with the
weights (`measures` in config.json): a feature that is added, removed, renamed or moved needs new weights.

The functions use a few large array operations, which are faster than a hundred small ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.html.names import TAG_NAMES
from broadsheet.html.table import NO_CONTAINER
from broadsheet.kernel import measures, texts
from broadsheet.kernel.measures import CONTAINER_NAMES, HEADLINE_NAMES, ORDER_NAMES, POSITION_NAMES, BlockPlaces
from broadsheet.kernel.segments import measure_emphasis
from broadsheet.kernel.texts import MAX_BLOCK_WORDS, StatedWords, TextOutput, hash_words, measure_texts
from broadsheet.methods.fusion.characters import make_tables
from broadsheet.methods.fusion.containers import LEVELS, Containers, find_containers
from broadsheet.methods.fusion.quotes import (
    find_body_quotes,
    find_description_quotes,
    read_stated_authors,
    read_stated_description,
    read_stated_title,
)
from broadsheet.models.arrays import Columns, number_names
from broadsheet.page import Metadata, Page

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class BlockFeatures:
    """The features of n blocks, their first words, and the containers around them."""

    values: Array  # (len(FEATURE_NAMES), n)
    words: NDArray[np.uint32]  # (n, MAX_BLOCK_WORDS), 0 where a block has fewer words
    containers: Containers


def compute_features(page: Page, blocks: Blocks) -> BlockFeatures:
    """Compute the features of all blocks. The page must have at least one block."""
    values = np.empty((len(FEATURE_NAMES), len(blocks)), np.float32)
    words = np.zeros((len(blocks), MAX_BLOCK_WORDS), np.uint32)
    data = _read_page_data(page, blocks, _measure_texts(page, blocks, values, words))
    for group in _GROUPS:
        if group.fill:
            group.fill(data, Columns(group.columns, values[group.rows]))
    return BlockFeatures(values, words, data.containers)


def flatten(columns: Columns) -> Any:
    """Return the columns as one buffer, (names * n,), for the compiled loops."""
    return columns.values.reshape(-1).data


def read_chars(features: Array) -> Array:
    """Return the length of each block in characters, from its features (names, n)."""
    return np.asarray(np.expm1(features[COLUMN_ROWS["chars"]]), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _PageData:
    """The data that groups of features are computed from."""

    page: Page
    blocks: Blocks
    containers: Containers
    places: BlockPlaces


def _read_page_data(page: Page, blocks: Blocks, sums: NDArray[np.float64]) -> _PageData:
    containers = find_containers(page, blocks)
    places = BlockPlaces(
        number=len(blocks),
        levels=LEVELS,
        sums=sums.reshape(-1).data,
        enclosing=containers.enclosing.reshape(-1).data,
        first_block=containers.first_block.data,
        end_block=containers.end_block.data,
        position=containers.position.data,
        positions=len(containers.positions),
    )
    return _PageData(page, blocks, containers, places)


# Text of the block: length, kinds of characters, first and last characters, and words that the metadata have too.


def _measure_texts(page: Page, blocks: Blocks, values: Array, words: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Write the features TEXT_NAMES and SHARED_NAMES, and the hashes of the first words; return running sums."""
    running = np.zeros((texts.SUMS, len(blocks) + 1))
    output = TextOutput(
        features=values[: len(texts.TEXT_NAMES)].reshape(-1).data,
        shared=values[_SHARED_ROWS].reshape(-1).data,
        words=words.reshape(-1).data,
        sums=running.reshape(-1).data,
    )
    measure_texts(blocks.text, blocks.link_chars, make_tables(), _read_stated_words(page.metadata), output)
    return running


def _read_stated_words(metadata: Metadata) -> StatedWords:
    tables = make_tables()
    title = hash_words(read_stated_title(metadata), tables)
    description = hash_words(read_stated_description(metadata), tables)
    authors = hash_words(read_stated_authors(metadata), tables)
    return StatedWords(title, description, authors)


# Depth in the tree, and other blocks with the same text.

_DEPTH_NAMES = ("depth", "repeats")


def _fill_depth(data: _PageData, columns: Columns) -> None:
    measures.measure_depth(data.containers.positions.depth, data.places, data.blocks.text, flatten(columns))


# The containers around the block: text, links and prose in each, and how far into it the block is.

_CONTAINER_NAMES = tuple(f"around{level}_{name}" for name in (*CONTAINER_NAMES, "at") for level in range(LEVELS))


def _fill_containers(data: _PageData, columns: Columns) -> None:
    measures.measure_containers(data.places, flatten(columns))


# All blocks of the same position together.

_POSITION_NAMES = tuple(f"place_{name}" for name in POSITION_NAMES)


def _fill_positions(data: _PageData, columns: Columns) -> None:
    measures.measure_positions(data.places, flatten(columns))


# Order of the block in the page.


def _fill_order(data: _PageData, columns: Columns) -> None:
    measures.measure_order(data.places, flatten(columns))


# Distance to the headline, the smallest container that holds both, and headings of the same tag after the headline.


def _fill_headline(data: _PageData, columns: Columns) -> None:
    blocks, headline = data.blocks, data.blocks.headline
    columns.values[:] = 0
    if headline < 0:
        return
    row_tags = data.page.nodes.table.tag
    tag = row_tags[blocks.container[headline]] if blocks.context[headline] & tags.HEADING else -1
    measures.measure_headline(data.places, headline, row_tags, blocks.container, tag, flatten(columns))


# Text that the page's metadata state: article body, description, title, authors.

_METADATA_NAMES = ("has_body", "in_body", "in_description")


def _fill_metadata(data: _PageData, columns: Columns) -> None:
    blocks, metadata = data.blocks, data.page.metadata
    in_body = find_body_quotes(blocks, metadata)
    columns["has_body"] = in_body is not None
    columns["in_body"] = 0 if in_body is None else in_body
    columns["in_description"] = 0
    find_description_quotes(blocks, metadata, columns["in_description"])


# Elements that the block is inside: the bits of its context, the lowest first.

_CONTEXTS = "heading list quote table cell caption code nav header footer aside form article main hidden".split()
_CONTEXT_NAMES = tuple(f"in_{context}" for context in _CONTEXTS)
assert 1 << len(_CONTEXTS) - 1 == tags.HIDDEN


def _fill_context(data: _PageData, columns: Columns) -> None:
    measures.measure_context(data.blocks.context, len(_CONTEXTS), flatten(columns))


# `<article>` elements: several on a page are often teasers of other articles.

_ARTICLE_NAMES = ("in_headline_article", "in_other_article", "articles")


def _fill_articles(data: _PageData, columns: Columns) -> None:
    nodes, blocks = data.page.nodes, data.blocks
    columns.values[:] = 0
    rows = [row for row in nodes.rows["article"] if nodes.table.outer[row] != NO_CONTAINER]
    if not rows:
        return
    columns["articles"] = log1p(len(rows))
    innermost = np.zeros(len(blocks), np.intp)  # 0: not in an article
    for number, row in enumerate(rows, 1):  # in document order: an inner article follows the outer one
        innermost[bisect_left(blocks.first, row) : bisect_left(blocks.first, nodes.end[row])] = number
    headline_article = int(innermost[blocks.headline]) if blocks.headline >= 0 else 0
    columns["in_headline_article"] = (innermost == headline_article) & (innermost > 0)
    columns["in_other_article"] = (innermost != headline_article) & (innermost > 0)


# Bold and italic text: notices and references to other articles are often set in them.

_EMPHASIS_NAMES = ("bold", "italic")
# By tag: the column plus 1, 0 for none.
_EMPHASIS_COLUMNS = bytes({"b": 1, "strong": 1, "i": 2, "em": 2}.get(tag, 0) for tag in TAG_NAMES)


def _fill_emphasis(data: _PageData, columns: Columns) -> None:
    columns.values[:] = 0
    table, rows = data.page.nodes.table, data.blocks.rows
    measure_emphasis(table, rows.rows, rows.ends, data.blocks.text, _EMPHASIS_COLUMNS, flatten(columns))


_Fill = Callable[[_PageData, Columns], None]


@dataclass(frozen=True, slots=True)
class _Group:
    """A group of features: its names, its rows of the whole table, and the function that fills them.

    `_measure_texts` fills the groups without a function.
    """

    columns: dict[str, int]
    rows: slice
    fill: _Fill | None


def _make_groups(groups: Sequence[tuple[tuple[str, ...], _Fill | None]]) -> tuple[_Group, ...]:
    ends = np.cumsum([0, *(len(names) for names, _ in groups)]).tolist()
    spans = [slice(start, end) for start, end in pairwise(ends)]
    return tuple(_Group(number_names(names), span, fill) for (names, fill), span in zip(groups, spans, strict=True))


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
FEATURE_NAMES = tuple(name for group in _GROUPS for name in group.columns)
COLUMN_ROWS = number_names(FEATURE_NAMES)
_SHARED_ROWS = next(group.rows for group in _GROUPS if tuple(group.columns) == texts.SHARED_NAMES)
