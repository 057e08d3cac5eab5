"""Features of date nodes (ours): patterns of digits, names of the elements around, and repetition in the page.

The nine attributes count the digits of a node but not their pattern. The patterns here belong to no language: a year,
three numbers with separators, a time of day.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import tags
from broadsheet.methods.visual.features import KINDS, MAX_NAME_CHARS, Samples, VisualInput, count_digits, find_kinds

_YEAR = re.compile(r"(?<!\d)(?:19|20|25)\d\d(?!\d)")  # 25..: the Thai calendar
_NUMBER = re.compile(r"\d+")
_DAY = re.compile(r"(?<!\d)\d{1,4}\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,4}(?!\d)")
_TIME_OF_DAY = re.compile(r"(?<!\d)[0-2]?\d[:.h][0-5]\d(?!\d)")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS_TO_ZERO = str.maketrans("0123456789", "0" * 10)
_MIN_PROSE_CHARS = 80  # of a text node
_MAX_DISTANCE = 200.0  # text nodes
_NAME_LEVELS = 3  # elements around a node whose names are read
_NAME_KINDS = ("comment", "frame", "side", "more", "meta", "date", "change", "text", "head")
_CONTEXTS = {
    "heading": tags.HEADING,
    "list": tags.LIST,
    "nav": tags.NAV,
    "header": tags.HEADER,
    "footer": tags.FOOTER,
    "aside": tags.ASIDE,
    "article": tags.ARTICLE,
    "cell": tags.CELL,
}
DATE_FEATURES = (
    "length",
    "digits",
    "font_size",
    "relative_size",
    "is_bold",
    "similar_nodes",
    "from_title",  # text nodes
    "years",
    "numbers",
    "days",
    "times_of_day",
    "letters",
    "words",
    "same_pattern",  # candidates with the same pattern of digits, letters and separators
    "dated_nodes",  # candidates with a year or a day
    "dated_before",  # the same, before this one
    "block_length",
    "block_share",  # of the block's characters
    "link_share",  # of the block
    "is_time",  # in <time>
    "is_relevant",
    "nodes_before",  # as a share of all text nodes
    "to_prose",  # text nodes to the next prose
    "prose_before",  # text nodes
    *(f"name_{kind}" for kind in _NAME_KINDS),
    *(f"in_{name}" for name in _CONTEXTS),
)


def find_date_candidates(inputs: VisualInput, max_chars: int) -> list[int]:
    """List the text nodes that may be a date: visible, short, and with a digit (the rule of 3.3)."""
    text, blocks, style = inputs.text, inputs.blocks, inputs.style
    return [
        node
        for node, node_text in enumerate(text.texts)
        if len(node_text) <= max_chars
        and style.is_shown[node]
        and not blocks.context[text.blocks[node]] & tags.HIDDEN
        and _NUMBER.search(node_text)
    ]


def compute_date_features(inputs: VisualInput, chosen: Sequence[int]) -> Samples:
    """Compute the features of chosen text nodes: (chosen, DATE_FEATURES). `from_title` stays 0."""
    if not chosen:
        return np.zeros((0, len(DATE_FEATURES)), np.float32)
    blocks = [inputs.text.blocks[node] for node in chosen]
    columns = {
        **_read_texts([inputs.text.texts[node] for node in chosen]),
        **_read_style(inputs, np.array(chosen, np.int64)),
        **_read_order(inputs, np.array(chosen, np.int64)),
        **_read_names(inputs, chosen),
        "from_title": np.zeros(len(chosen)),
        "link_share": [inputs.blocks.link_share(block) for block in blocks],
    }
    block_lengths = np.array([len(inputs.blocks.text[block]) for block in blocks], np.float32)
    columns["block_length"] = block_lengths
    columns["block_share"] = columns["length"] / np.maximum(block_lengths, 1)
    context = np.array([inputs.blocks.context[block] for block in blocks], np.int64)
    columns |= {f"in_{name}": context & bit != 0 for name, bit in _CONTEXTS.items()}
    return np.stack([np.asarray(columns[name], np.float32) for name in DATE_FEATURES], axis=1)


Column = Sequence[float] | NDArray[np.generic]


def _read_texts(texts: Sequence[str]) -> dict[str, Column]:
    patterns = [_LETTERS.sub("a", text.translate(_DIGITS_TO_ZERO)) for text in texts]
    pattern_counts = Counter(patterns)
    years = [len(_YEAR.findall(text)) for text in texts]
    days = [len(_DAY.findall(text)) for text in texts]
    is_dated = np.array([bool(year or day) for year, day in zip(years, days, strict=True)], np.int64)
    return {
        "length": np.array([len(text) for text in texts], np.float32),
        "digits": [count_digits(text) for text in texts],
        "years": years,
        "numbers": [len(_NUMBER.findall(text)) for text in texts],
        "days": days,
        "times_of_day": [len(_TIME_OF_DAY.findall(text)) for text in texts],
        "letters": [sum(map(len, _LETTERS.findall(text))) for text in texts],
        "words": [text.count(" ") + 1 for text in texts],
        "same_pattern": [pattern_counts[pattern] for pattern in patterns],
        "dated_nodes": np.full(len(texts), is_dated.sum()),
        "dated_before": is_dated.cumsum() - is_dated,
    }


def _read_style(inputs: VisualInput, nodes: NDArray[np.int64]) -> dict[str, Column]:
    style = inputs.style.pick(nodes)
    return {
        "font_size": style.font_size,
        "relative_size": style.font_size / inputs.style.font_size.max(initial=1.0),
        "is_bold": style.is_bold,
        "similar_nodes": style.similar_nodes,
        "is_relevant": inputs.is_relevant[nodes],
    }


def _read_order(inputs: VisualInput, nodes: NDArray[np.int64]) -> dict[str, Column]:
    prose = np.flatnonzero(np.array([len(text) for text in inputs.text.texts]) >= _MIN_PROSE_CHARS)
    following = np.searchsorted(prose, nodes)
    to_prose = np.full(len(nodes), _MAX_DISTANCE)
    has_prose = following < len(prose)
    to_prose[has_prose] = prose[following[has_prose]] - nodes[has_prose]
    return {
        "nodes_before": nodes / max(len(inputs.text.rows), 1),
        "to_prose": np.minimum(to_prose, _MAX_DISTANCE),
        "prose_before": following,
    }


def fill_from_title(samples: Samples, chosen: Sequence[int], title_node: int | None) -> Samples:
    """Return samples with `from_title`: text nodes from the title to each node; the maximum without a title."""
    filled = samples.copy()
    column = DATE_FEATURES.index("from_title")
    filled[:, column] = _MAX_DISTANCE
    if title_node is not None:
        filled[:, column] = np.clip(np.array(chosen, np.float32) - title_node, -_MAX_DISTANCE, _MAX_DISTANCE)
    return filled


@dataclass(frozen=True, slots=True)
class _ElementNames:
    kinds: int  # bits of KINDS
    is_time: bool


def _read_names(inputs: VisualInput, chosen: Sequence[int]) -> dict[str, Column]:
    """Read class names, ids and item properties of the elements around each node, and whether one is `<time>`."""
    parents, rows = inputs.page.nodes.parent, inputs.text.rows
    cache: dict[int, _ElementNames] = {}
    names: list[_ElementNames] = []
    for node in chosen:
        element = parents[rows[node]]
        if element not in cache:
            cache[element] = _read_element_names(inputs, element)
        names.append(cache[element])
    bits = np.array([name.kinds for name in names], np.int64)
    columns: dict[str, Column] = {f"name_{kind}": bits >> KINDS.index(kind) & 1 for kind in _NAME_KINDS}
    columns["is_time"] = [name.is_time for name in names]
    return columns


def _read_element_names(inputs: VisualInput, element: int) -> _ElementNames:
    nodes = inputs.page.nodes
    kinds, is_time = 0, False
    for _ in range(_NAME_LEVELS):
        if element < 0:
            break
        is_time = is_time or nodes.tag[element] == "time"
        for name in ("class", "id", "itemprop"):
            kinds |= find_kinds(nodes.attr(element, name)[:MAX_NAME_CHARS])
        element = nodes.parent[element]
    return _ElementNames(kinds, is_time)
