"""Block features: text, links, containers, order, headline and metadata, as named columns.

Each group of features is a tuple of names and the function that fills those columns; `_GROUPS` lists the groups in
order. Training and extraction use the same function, `compute_features`. The names and their order are stored with the
weights (`measures` in config.json): a feature that is added, removed, renamed or moved needs new weights.

The functions use a few large array operations, which are faster than a hundred small ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log1p

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.methods.fusion.characters import CharacterCounts, Kind, count_characters, read_characters
from broadsheet.methods.fusion.containers import LEVELS, Containers, find_containers
from broadsheet.methods.fusion.quotes import (
    find_body_quotes,
    find_description_quotes,
    read_stated_authors,
    read_stated_description,
    read_stated_title,
)
from broadsheet.methods.fusion.tokens import Hashes, Tokens, count_shared_words, list_words, read_tokens
from broadsheet.models.columns import Columns, number_names
from broadsheet.page import Page

Array = NDArray[np.float32]

MIN_LONG_CHARS = 80  # a block of this length with few links is probably prose
MAX_LONG_LINK_SHARE = 0.3
SENTENCE_CHARS = 20  # scales commas and sentence ends per character to about 1 in prose
# Plain integers: NumPy converts enum members slowly.
_COMMA, _END, _COLON, _QUOTE, _LOWER, _SPACE, _UNSPACED = map(
    int, (Kind.COMMA, Kind.END, Kind.COLON, Kind.QUOTE, Kind.LOWER, Kind.SPACE, Kind.UNSPACED)
)


@dataclass(frozen=True, slots=True, eq=False)
class BlockFeatures:
    """The features of n blocks, their first words, and the containers around them."""

    values: Array  # (len(FEATURE_NAMES), n)
    words: Hashes  # (n, MAX_BLOCK_WORDS), 0 where a block has fewer words
    containers: Containers


def compute_features(page: Page, blocks: Blocks) -> BlockFeatures:
    """Compute the features of all blocks. The page must have at least one block."""
    data = _read_page_data(page, blocks)
    values = np.empty((len(FEATURE_NAMES), len(blocks)), np.float32)
    for group in _GROUPS:
        group.fill(data, Columns(group.columns, values[group.rows]))
    return BlockFeatures(values, list_words(data.tokens), data.containers)


def read_chars(features: Array) -> Array:
    """Return the length of each block in characters, from its features (names, n)."""
    return np.asarray(np.expm1(features[COLUMN_ROWS["chars"]]), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class _PageData:
    """The data that groups of features are computed from."""

    page: Page
    blocks: Blocks
    characters: CharacterCounts
    tokens: Tokens
    title_words: Hashes
    description_words: Hashes
    author_words: Hashes
    containers: Containers
    sums: _Sums
    container_sums: NDArray[np.float64]  # (5, containers): the values of `sums`, summed over each container


def _read_page_data(page: Page, blocks: Blocks) -> _PageData:
    number, metadata = len(blocks), page.metadata
    # Title, description and authors are appended to the blocks: one call is faster than two.
    stated = [read(metadata) or "." for read in (read_stated_title, read_stated_description, read_stated_authors)]
    characters = read_characters([*blocks.text, *stated])
    counts = count_characters(characters, number)
    words = read_tokens(characters)
    title_words, description_words, author_words = (
        words.hashes[start:end] for start, end in pairwise((*words.first[-3:].tolist(), None))
    )
    containers, sums = find_containers(page, blocks), _Sums(blocks, counts)
    container_sums = sums.running.take(containers.end_block, axis=1)
    container_sums -= sums.running.take(containers.first_block, axis=1)
    return _PageData(
        page,
        blocks,
        counts,
        words.take(number),
        title_words,
        description_words,
        author_words,
        containers,
        sums,
        container_sums,
    )


class _Sums:
    """Values of each block that are summed over containers and positions."""

    def __init__(self, blocks: Blocks, characters: CharacterCounts) -> None:
        number = len(blocks)
        self.values = np.empty((5, number), np.float32)
        chars, link_chars, punctuation, is_long, long_chars = self.values
        chars[:] = characters.lengths
        link_chars[:] = blocks.link_chars
        np.add(characters.counts[_COMMA], characters.counts[_END], out=punctuation)
        np.logical_and(chars >= MIN_LONG_CHARS, link_chars < MAX_LONG_LINK_SHARE * chars, out=is_long)
        np.multiply(chars, is_long, out=long_chars)
        self.link_chars = link_chars
        self.running = np.zeros((5, number + 1))  # [:, i]: sums over the blocks before block i
        np.cumsum(self.values, axis=1, out=self.running[:, 1:])
        self.running_chars, *_, self.running_long_chars = self.running
        self.total_chars = max(float(self.running_chars[-1]), 1.0)
        self.total_long_chars = max(float(self.running_long_chars[-1]), 1.0)


# Text of the block: length, kinds of characters, first and last characters.

_SHARE_KINDS = (
    *(Kind.UPPER, Kind.DIGIT, Kind.UNSPACED),
    *(Kind.COMMA, Kind.END, Kind.COLON, Kind.QUOTE, Kind.BAR, Kind.MARK, Kind.OTHER),  # rare: multiplied by 10
)
_RARE_KINDS = slice(3, None)
_SHARE_ROWS = np.array(_SHARE_KINDS, np.intp)
_SHARE_NAMES = tuple(f"{kind.name.lower()}_share" for kind in _SHARE_KINDS)
_START_KINDS = (Kind.UPPER, Kind.LOWER, Kind.DIGIT, Kind.BAR, Kind.QUOTE)
_START_CODES = np.array(_START_KINDS, np.uint8)[:, None]
_START_NAMES = tuple(f"starts_{kind.name.lower()}" for kind in _START_KINDS)
_LENGTH_NAMES = ("chars", "words")
_SENTENCE_NAMES = ("commas", "ends")
_TEXT_NAMES = (
    *_LENGTH_NAMES,
    "word_chars",
    "links",
    *_SHARE_NAMES,
    *_SENTENCE_NAMES,
    *("ends_sentence", "ends_colon", "ends_lower", "ends_cut"),
    *_START_NAMES,
    "lines",
)


def _fill_text(data: _PageData, columns: Columns) -> None:
    characters = data.characters
    counts, chars, last = characters.counts, characters.lengths, characters.last
    words = counts[_SPACE] + 1 + counts[_UNSPACED] / 2
    columns["chars"] = chars
    columns["words"] = words
    word_chars = columns["word_chars"]
    np.divide(chars, words, out=word_chars)
    np.minimum(word_chars, 20, out=word_chars)
    word_chars /= 10
    np.divide(data.sums.link_chars, chars, out=columns["links"])
    shares = columns.group(_SHARE_NAMES)
    np.divide(counts.take(_SHARE_ROWS, axis=0), chars, out=shares)
    shares[_RARE_KINDS] *= 10
    columns["commas"] = counts[_COMMA]
    columns["ends"] = counts[_END]
    columns["ends_sentence"] = (last == _END) | ((last == _QUOTE) & (characters.before_last == _END))
    columns["ends_colon"] = last == _COLON
    columns["ends_lower"] = last == _LOWER
    columns["ends_cut"] = characters.is_cut
    np.equal(characters.first, _START_CODES, out=columns.group(_START_NAMES), casting="unsafe")
    columns["lines"] = characters.line_breaks
    for counted in (columns.group(_LENGTH_NAMES), columns.group(_SENTENCE_NAMES), columns["lines"]):
        np.log1p(counted, out=counted)


# Depth in the tree, and other blocks with the same text.

_DEPTH_NAMES = ("depth", "repeats")


def _fill_depth(data: _PageData, columns: Columns) -> None:
    np.divide(data.containers.depth, 10, out=columns["depth"])
    texts = data.blocks.text
    count = Counter(texts)
    if len(count) == len(texts):
        columns["repeats"] = 0
    else:
        columns["repeats"] = np.log1p(np.fromiter(map(count.__getitem__, texts), np.float32, len(texts)) - 1)


# The containers around the block: text, links and prose in each, and how far into it the block is.

_CONTAINER_SUM_NAMES = ("chars", "share", "links", "prose", "long", "long_share", "blocks")
_CONTAINER_NAMES = tuple(f"around{level}_{name}" for name in (*_CONTAINER_SUM_NAMES, "at") for level in range(LEVELS))
_CONTAINER_COLUMNS = number_names(_CONTAINER_SUM_NAMES)


def _fill_containers(data: _PageData, columns: Columns) -> None:
    sums, enclosing = data.sums, data.containers.enclosing[:LEVELS]
    first_block, end_block = data.containers.first_block, data.containers.end_block
    chars, link_chars, punctuation, long_blocks, long_chars = data.container_sums
    size = end_block - first_block
    some_chars = np.maximum(chars, 1)
    table = Columns(_CONTAINER_COLUMNS, np.empty((len(_CONTAINER_COLUMNS), len(size)), np.float32))  # (names, c)
    table["chars"] = chars
    np.divide(chars, sums.total_chars, out=table["share"], casting="unsafe")
    np.divide(link_chars, some_chars, out=table["links"], casting="unsafe")
    np.multiply(punctuation, SENTENCE_CHARS / some_chars, out=table["prose"], casting="unsafe")
    table["long"] = long_blocks
    np.divide(long_chars, sums.total_long_chars, out=table["long_share"], casting="unsafe")
    table["blocks"] = size
    for name in ("chars", "long", "blocks"):
        np.log1p(table[name], out=table[name])
    levels = columns.values.reshape(-1, *enclosing.shape)  # (names, LEVELS, n)
    table.values.take(enclosing, axis=1, out=levels[:-1], mode="clip")
    before = np.arange(enclosing.shape[1]) - first_block.take(enclosing)
    np.divide(before, size.take(enclosing), out=levels[-1], casting="unsafe")  # "at"


# All blocks of the same position together.

_POSITION_NAMES = tuple(f"place_{name}" for name in ("blocks", "share", "links", "prose", "long_share", "chars"))
_POSITION_COLUMNS = number_names(_POSITION_NAMES)


def _fill_positions(data: _PageData, columns: Columns) -> None:
    sums, position, count = data.sums, data.containers.position, len(data.containers.positions)
    size = np.bincount(position, minlength=count)
    chars, link_chars, punctuation, _, long_chars = (np.bincount(position, values, count) for values in sums.values)
    some_chars = np.maximum(chars, 1)
    table = np.empty((len(_POSITION_COLUMNS), count))  # (names, positions)
    rows = dict(zip(_POSITION_COLUMNS, table, strict=True))
    rows["place_blocks"][:] = size
    np.divide(chars, sums.total_chars, out=rows["place_share"])
    np.divide(link_chars, some_chars, out=rows["place_links"])
    np.divide(punctuation, some_chars / SENTENCE_CHARS, out=rows["place_prose"])
    np.divide(long_chars, sums.total_long_chars, out=rows["place_long_share"])
    np.divide(chars, np.maximum(size, 1), out=rows["place_chars"])
    for name in ("place_blocks", "place_chars"):
        np.log1p(rows[name], out=rows[name])
    columns.values[:] = table.take(position, axis=1)


# Order of the block in the page.

_COUNT_NAMES = ("before", "left", "page_blocks")
_ORDER_NAMES = ("at", *_COUNT_NAMES, "chars_at", "long_at", "page_chars")


def _fill_order(data: _PageData, columns: Columns) -> None:
    sums, number = data.sums, len(data.blocks)
    index = np.arange(number)
    np.divide(index, number, out=columns["at"], casting="unsafe")
    columns["before"] = index
    columns["left"] = number - index
    columns["page_blocks"] = number
    np.divide(sums.running_chars[:-1], sums.total_chars, out=columns["chars_at"], casting="unsafe")
    np.divide(sums.running_long_chars[:-1], sums.total_long_chars, out=columns["long_at"], casting="unsafe")
    columns["page_chars"] = np.log1p(sums.total_chars)
    counted = columns.group(_COUNT_NAMES)
    np.log1p(counted, out=counted)


# Distance to the headline, the smallest container that holds both, and headings of the same tag after the headline.

_HEADLINE_NAMES = (
    *("has_headline", "from_headline", "is_headline", "after_headline", "levels_to_headline", "share_with_headline"),
    "headlines_since",
)


def _fill_headline(data: _PageData, columns: Columns) -> None:
    blocks, sums, containers = data.blocks, data.sums, data.containers
    number, headline = len(blocks), blocks.headline
    columns.values[:] = 0
    if headline < 0:
        return
    holds_headline = (containers.first_block <= headline) & (headline < containers.end_block)  # (containers,)
    # Level of the innermost container that holds both; LEVELS, the page, if it is further out.
    level = holds_headline.take(containers.enclosing).argmax(0)
    index = np.arange(number)
    shared = containers.enclosing.ravel().take(level * number + index)
    chars = data.container_sums[0].take(shared)
    columns["has_headline"] = 1
    distance = columns["from_headline"]
    np.log1p(np.abs(index - headline), out=distance, casting="unsafe")
    distance /= 3
    distance[:headline] *= -1
    columns["is_headline"][headline] = 1
    columns["after_headline"][headline + 1 :] = 1
    np.divide(level, LEVELS, out=columns["levels_to_headline"], casting="unsafe")
    np.divide(chars, sums.total_chars, out=columns["share_with_headline"], casting="unsafe")
    if blocks.context[headline] & tags.HEADING:
        tag = data.page.nodes.tag
        headline_tag = tag[blocks.container[headline]]
        is_same_tag = [tag[row] == headline_tag for row in blocks.container[headline + 1 :]]
        np.log1p(np.cumsum(is_same_tag), out=columns["headlines_since"][headline + 1 :], casting="unsafe")


# Text that the page's metadata state: article body, description, title, authors.

_METADATA_NAMES = ("has_body", "in_body", "in_description", "title_share", "description_share", "author_share")


def _fill_metadata(data: _PageData, columns: Columns) -> None:
    blocks, metadata = data.blocks, data.page.metadata
    in_body = find_body_quotes(blocks, metadata)
    columns["has_body"] = in_body is not None
    columns["in_body"] = 0 if in_body is None else in_body
    columns["in_description"] = find_description_quotes(blocks, metadata)
    some_words = np.maximum(data.tokens.count, 1)
    columns["title_share"] = count_shared_words(data.tokens, data.title_words) / some_words
    columns["description_share"] = count_shared_words(data.tokens, data.description_words) / some_words
    # Of the authors' names, not of the block: a biography is longer than a by-line.
    authors = count_shared_words(data.tokens, data.author_words) / max(len(data.author_words), 1)
    columns["author_share"] = np.minimum(authors, 1)


# Elements that the block is inside: the bits of its context, the lowest first.

_CONTEXTS = "heading list quote table cell caption code nav header footer aside form article main hidden".split()
_CONTEXT_NAMES = tuple(f"in_{context}" for context in _CONTEXTS)
_CONTEXT_BITS = np.arange(len(_CONTEXTS))[:, None]
assert 1 << len(_CONTEXTS) - 1 == tags.HIDDEN


def _fill_context(data: _PageData, columns: Columns) -> None:
    context = np.fromiter(data.blocks.context, np.intp, len(data.blocks))
    np.bitwise_and(context >> _CONTEXT_BITS, 1, out=columns.values, casting="unsafe")


# `<article>` elements: several on a page are often teasers of other articles.

_ARTICLE_NAMES = ("in_headline_article", "in_other_article", "articles")


def _fill_articles(data: _PageData, columns: Columns) -> None:
    nodes, blocks = data.page.nodes, data.blocks
    columns.values[:] = 0
    rows = [row for row in nodes.outer if nodes.tag[row] == "article"]
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
_EMPHASIS_COLUMNS = {"b": 0, "strong": 0, "i": 1, "em": 1}


def _fill_emphasis(data: _PageData, columns: Columns) -> None:
    nodes, values = data.page.nodes, columns.values
    tag, parent, text = nodes.tag, nodes.parent, nodes.text
    values[:] = 0
    for block, rows in enumerate(data.blocks.rows):
        for row in rows:
            column = _EMPHASIS_COLUMNS.get(tag[parent[row]])
            if column is not None:
                values[column, block] += len(text[row])
    values /= data.characters.lengths
    np.minimum(values, 1, out=values)


_Fill = Callable[[_PageData, Columns], None]


@dataclass(frozen=True, slots=True)
class _Group:
    """A group of features: its names, the rows of the whole table that it fills, and the function."""

    columns: dict[str, int]
    rows: slice
    fill: _Fill


def _make_groups(groups: Sequence[tuple[tuple[str, ...], _Fill]]) -> tuple[_Group, ...]:
    ends = np.cumsum([0, *(len(names) for names, _ in groups)]).tolist()
    spans = [slice(start, end) for start, end in pairwise(ends)]
    return tuple(_Group(number_names(names), span, fill) for (names, fill), span in zip(groups, spans, strict=True))


_GROUPS = _make_groups(
    (
        (_TEXT_NAMES, _fill_text),
        (_DEPTH_NAMES, _fill_depth),
        (_CONTAINER_NAMES, _fill_containers),
        (_POSITION_NAMES, _fill_positions),
        (_ORDER_NAMES, _fill_order),
        (_HEADLINE_NAMES, _fill_headline),
        (_METADATA_NAMES, _fill_metadata),
        (_CONTEXT_NAMES, _fill_context),
        (_ARTICLE_NAMES, _fill_articles),
        (_EMPHASIS_NAMES, _fill_emphasis),
    )
)
FEATURE_NAMES = tuple(name for group in _GROUPS for name in group.columns)
COLUMN_ROWS = number_names(FEATURE_NAMES)
