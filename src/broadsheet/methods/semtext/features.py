"""The input of the network: word strings of all units of a page and, in addition (ours), numbers of each unit.

The numbers are about length, links, what precedes the unit, and similar units.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.methods.semtext.words import Strings, find_units, load_stop_words, read_strings
from broadsheet.page import Page
from broadsheet.text import (
    ARABIC_QUESTION_MARK,
    ASCII_ENDS,
    ASCII_MARKS,
    CLOSING_QUOTES,
    ELLIPSIS,
    NON_ASCII_COMMAS,
    WIDE_ENDS,
    fold_words,
)

# Counts are logarithms, scaled to about 0 to 1.
FEATURES = (
    "chars",
    "link_share",  # of its characters
    "marks",  # punctuation of sentences
    "ends_sentence",
    "begins_upper",
    "stop_share",  # of its first words
    "title_share",  # of its first words: words of <title> and of the first h1
    "units_before_share",
    "units_before",
    "chars_before_share",
    "depth",  # containers around it
    "is_heading",
    "in_list",
    "in_cell",
    "is_hidden",
    "path_chars",  # text of all units with the same tag string and class string
    "path_share",  # the same, as a share of the page's text
    "path_links",  # the same: share of its characters in links
    "outer_chars",  # text of all units whose container is in the same container
    "outer_share",
    "outer_links",
)
_MARKS = ASCII_MARKS + NON_ASCII_COMMAS + WIDE_ENDS + ARABIC_QUESTION_MARK
_SENTENCE_ENDS = frozenset(ASCII_ENDS + WIDE_ENDS + ARABIC_QUESTION_MARK + ELLIPSIS + CLOSING_QUOTES + ":")
_FIRST_CHARS = 200  # of a block; enough for the shares of stop words and title words
_MAX_TITLE_CHARS = 500

Column = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SemtextInput:
    """The units of a page."""

    units: NDArray[np.intp]  # the unit of each block
    strings: Mapping[str, Strings]  # by kind: those of STRINGS
    features: NDArray[np.float32] | None  # (units, FEATURES); None without `has_features`


def read_input(page: Page, blocks: Blocks, config: SemtextConfig) -> SemtextInput:
    """Read the input of the network from a page."""
    units = np.asarray(find_units(blocks, config), np.intp)
    strings = read_strings(page, blocks, config)
    features = compute_features(page, blocks, units, strings) if config.has_features else None
    return SemtextInput(units, strings, features)


def compute_features(
    page: Page, blocks: Blocks, units: NDArray[np.intp], strings: Mapping[str, Strings]
) -> NDArray[np.float32]:
    """Compute the features of all units: (units, FEATURES). `units` gives the unit of each block."""
    count = int(units[-1]) + 1 if len(units) else 0
    features = np.zeros((count, len(FEATURES)), np.float32)
    if not count:
        return features
    block_columns = _read_texts(blocks.text, _read_title_words(page))
    first = np.searchsorted(units, np.arange(count))
    last = np.append(first[1:], len(units)) - 1

    def add_up(values: Column) -> Column:
        return np.bincount(units, values, count).astype(np.float64)

    chars = add_up(block_columns["chars"])
    links = add_up(np.asarray(blocks.link_chars, np.float64))
    filled = np.maximum(chars, 1)
    container = np.asarray(blocks.container)[first]
    context = np.asarray(blocks.context)[first]
    depths = _find_depths(page)
    tag_path, class_path = (np.asarray(strings[kind].of_unit, np.int64) for kind in ("tags", "classes"))
    outer = np.fromiter((page.nodes.outer[row] for row in container.tolist()), np.int64, count)
    columns = {
        "chars": np.log1p(chars) / 6,
        "link_share": links / filled,
        "marks": np.log1p(add_up(block_columns["marks"])) / 3,
        "ends_sentence": block_columns["ends_sentence"][last],
        "begins_upper": block_columns["begins_upper"][first],
        "stop_share": add_up(block_columns["stop_share"] * block_columns["chars"]) / filled,
        "title_share": add_up(block_columns["title_share"] * block_columns["chars"]) / filled,
        "units_before_share": np.arange(count) / count,
        "units_before": np.log1p(np.arange(count)) / 5,
        "chars_before_share": (np.cumsum(chars) - chars) / max(float(chars.sum()), 1.0),
        "depth": np.log1p([depths[row] for row in container.tolist()]) / 3,
        "is_heading": (context & tags.HEADING) > 0,
        "in_list": (context & tags.LIST) > 0,
        "in_cell": (context & tags.CELL) > 0,
        "is_hidden": (context & tags.HIDDEN) > 0,
        **_sum_groups("path", tag_path << 32 | class_path, chars, links),
        **_sum_groups("outer", outer, chars, links),
    }
    for column, name in enumerate(FEATURES):
        features[:, column] = columns[name]
    return features


def _read_texts(texts: Sequence[str], title_words: frozenset[str]) -> dict[str, Column]:
    """Compute columns of blocks from their texts."""
    stop_words = load_stop_words()
    first_words = [text[:_FIRST_CHARS].lower().split() for text in texts]

    def count_share(vocabulary: frozenset[str]) -> list[float]:
        return [sum(map(vocabulary.__contains__, words)) / (len(words) or 1) for words in first_words]

    columns: dict[str, Sequence[float]] = {
        "chars": [len(text) for text in texts],
        "marks": [sum(map(text.count, ASCII_MARKS if text.isascii() else _MARKS)) for text in texts],
        "ends_sentence": [text[-1] in _SENTENCE_ENDS for text in texts],
        "begins_upper": [text[0].isupper() for text in texts],
        "stop_share": count_share(stop_words),
        "title_share": count_share(title_words),
    }
    return {name: np.array(values, np.float64) for name, values in columns.items()}


def _read_title_words(page: Page) -> frozenset[str]:
    nodes = page.nodes
    rows = [*nodes.rows["title"][:1], *nodes.rows["h1"][:1]]
    words = " ".join(fold_words(nodes.text_of(row)[:_MAX_TITLE_CHARS]) for row in rows)
    return frozenset(words.split()) - load_stop_words()


def _find_depths(page: Page) -> dict[int, int]:
    """Return the depth of every container, counted in containers."""
    depths = {-1: 0}
    for row, outer in page.nodes.outer.items():
        depths[row] = depths[outer] + 1
    return depths


def _sum_groups(name: str, keys: NDArray[np.int64], chars: Column, links: Column) -> dict[str, Column]:
    """Compute columns of groups of units: those with the same key."""
    _, group = np.unique(keys, return_inverse=True)
    group_chars, group_links = np.bincount(group, chars)[group], np.bincount(group, links)[group]
    return {
        f"{name}_chars": np.log1p(group_chars) / 8,
        f"{name}_share": group_chars / max(float(chars.sum()), 1.0),
        f"{name}_links": group_links / np.maximum(group_chars, 1),
    }
