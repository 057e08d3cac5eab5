"""Numbers of a unit beside its words (ours): what a string of 50 words cannot tell, such as length, links and place."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, tags
from broadsheet.methods.semtext.strings import Strings
from broadsheet.methods.semtext.words import load_stop_words
from broadsheet.page import Page
from broadsheet.text import fold_words
from broadsheet.text.punctuation import (
    ARABIC_QUESTION_MARK,
    ASCII_ENDS,
    ASCII_MARKS,
    CLOSING_QUOTES,
    ELLIPSIS,
    NON_ASCII_COMMAS,
    WIDE_ENDS,
)

MEASURES = (
    "chars",  # of its text; logarithm, as all counts here
    "link_share",  # of its characters
    "marks",  # commas, full stops and their like
    "ends_sentence",
    "begins_upper",
    "stop_share",  # stop words among its first words
    "title_share",  # words of the <title> and of h1 among its first words
    "place",  # units before it, as a share of all
    "units_before",
    "chars_before",  # text before it, as a share of all
    "depth",  # containers around it
    "heading",
    "list",
    "cell",
    "hidden",
    "path_chars",  # text of all units with the same tag string and class string
    "path_share",  # ... as a share of all
    "path_links",  # ... and its share of characters in links
    "outer_chars",  # text of the units whose container stands in the same container
    "outer_share",
    "outer_links",
)
_MARKS = ASCII_MARKS + NON_ASCII_COMMAS + WIDE_ENDS + ARABIC_QUESTION_MARK
_ENDS = frozenset(ASCII_ENDS + WIDE_ENDS + ARABIC_QUESTION_MARK + ELLIPSIS + CLOSING_QUOTES + ":")
_FIRST_CHARS = 200  # of a text; enough to tell the share of stop words


def measure_units(
    page: Page, blocks: Blocks, units: NDArray[np.intp], strings: Mapping[str, Strings]
) -> NDArray[np.float32]:
    """Measure the units that blocks belong to: one row a unit, one column for each of MEASURES."""
    nodes, stop = page.nodes, load_stop_words()
    count = int(units[-1]) + 1 if len(units) else 0
    found = np.zeros((count, len(MEASURES)), np.float32)
    if not count:
        return found
    title = _read_title(page)
    rows = []
    for text in blocks.text:
        words = text[:_FIRST_CHARS].lower().split()
        rows.append(
            (
                len(text),
                sum(map(text.count, ASCII_MARKS if text.isascii() else _MARKS)),
                text[-1] in _ENDS,
                text[0].isupper(),
                sum(map(stop.__contains__, words)) / (len(words) or 1),
                sum(map(title.__contains__, words)) / (len(words) or 1),
            )
        )
    of_block = np.array(rows, np.float64)  # blocks x 6
    chars_of_block, meaning = of_block[:, 0], np.asarray(blocks.context)
    first = np.searchsorted(units, np.arange(count))
    last = np.append(first[1:], len(units)) - 1

    def add_up(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(units, values, count).astype(np.float64)

    chars = add_up(chars_of_block)
    links = add_up(np.asarray(blocks.link_chars, np.float64))
    total = max(float(chars.sum()), 1.0)
    container = np.asarray(blocks.container)[first]
    outer = np.fromiter((nodes.outer[row] for row in container.tolist()), np.int64, count)
    tag_path, class_path = (np.asarray(strings[kind].of_unit, np.int64) for kind in ("tags", "classes"))
    paths = tag_path << 32 | class_path
    depths = _find_depths(page)
    columns = {
        "chars": np.log1p(chars) / 6,
        "link_share": links / np.maximum(chars, 1),
        "marks": np.log1p(add_up(of_block[:, 1])) / 3,
        "ends_sentence": of_block[last, 2],
        "begins_upper": of_block[first, 3],
        "stop_share": add_up(of_block[:, 4] * chars_of_block) / np.maximum(chars, 1),
        "title_share": add_up(of_block[:, 5] * chars_of_block) / np.maximum(chars, 1),
        "place": np.arange(count) / count,
        "units_before": np.log1p(np.arange(count)) / 5,
        "chars_before": (np.cumsum(chars) - chars) / total,
        "depth": np.log1p([depths[row] for row in container.tolist()]) / 3,
        "heading": (meaning[first] & tags.HEADING) > 0,
        "list": (meaning[first] & tags.LIST) > 0,
        "cell": (meaning[first] & tags.CELL) > 0,
        "hidden": (meaning[first] & tags.HIDDEN) > 0,
        **_measure_like("path", paths, chars, links, total),
        **_measure_like("outer", outer, chars, links, total),
    }
    for at, name in enumerate(MEASURES):
        found[:, at] = columns[name]
    return found


def _read_title(page: Page) -> frozenset[str]:
    nodes = page.nodes
    rows = [*nodes.rows["title"][:1], *nodes.rows["h1"][:1]]
    words = " ".join(fold_words(nodes.text_of(row)[:500]) for row in rows)
    return frozenset(words.split()) - load_stop_words()


def _find_depths(page: Page) -> dict[int, int]:
    depths = {-1: 0}
    for row, outer in page.nodes.outer.items():
        depths[row] = depths[outer] + 1
    return depths


def _measure_like(
    name: str, key: NDArray[np.int64], chars: NDArray[np.float64], links: NDArray[np.float64], total: float
) -> dict[str, NDArray[np.float64]]:
    """Measure together the units that have the same key."""
    _, like = np.unique(key, return_inverse=True)
    text, linked = np.bincount(like, chars)[like], np.bincount(like, links)[like]
    return {
        f"{name}_chars": np.log1p(text) / 8,
        f"{name}_share": text / total,
        f"{name}_links": linked / np.maximum(text, 1),
    }
