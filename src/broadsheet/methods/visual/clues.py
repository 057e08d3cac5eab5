"""What else tells a date line (ours): the shape of its digits, the names around it, and whether it stands alone.

The nine attributes see how many digits a node has, not which. The shapes here are those of no language: a year, three
numbers with marks between them, a time of day.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import tags
from broadsheet.methods.visual.features import count_digits
from broadsheet.methods.visual.names import KINDS, find_kinds
from broadsheet.methods.visual.nce import TextNodes
from broadsheet.methods.visual.reading import Reading
from broadsheet.page import Page

Samples = NDArray[np.float32]

_YEAR = re.compile(r"(?<!\d)(?:19|20|25)\d\d(?!\d)")
_NUMBER = re.compile(r"\d+")
_DAY = re.compile(r"(?<!\d)\d{1,4}\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,4}(?!\d)")
_CLOCK = re.compile(r"(?<!\d)[0-2]?\d[:.h][0-5]\d(?!\d)")
_SHAPE = str.maketrans("0123456789", "0" * 10)
_LETTERS = re.compile(r"[^\W\d_]+")
_LONG = 80  # characters of a text node that is prose
_FAR = 200.0
_OWN_KINDS = ("comment", "frame", "side", "more", "meta", "date", "change", "text", "head")
_LEVELS = 3  # elements around a node whose names are read
_MEANINGS = (tags.HEADING, tags.LIST, tags.NAV, tags.HEADER, tags.FOOTER, tags.ASIDE, tags.ARTICLE, tags.CELL)
CLUES = (
    *("length", "digits", "size", "relative_size", "is_bold", "similar", "from_title"),
    *("years", "numbers", "days", "clocks", "letters", "words", "shape_twins", "dated_nodes", "dated_before"),
    *("block_length", "block_share", "link_share", "is_time", "is_relevant", "place", "to_prose", "prose_before"),
    *(f"names_{kind}" for kind in _OWN_KINDS),
    *(f"in_{at}" for at in range(len(_MEANINGS))),
)


def find_candidates(reading: Reading, max_date: int) -> list[int]:
    """List the text nodes that may be a date: shown, not long, and with a digit (the rule of 3.3)."""
    text, blocks, look = reading.text, reading.blocks, reading.look
    return [
        node
        for node, own in enumerate(text.texts)
        if len(own) <= max_date
        and look.is_shown[node]
        and not blocks.context[text.blocks[node]] & tags.HIDDEN
        and _NUMBER.search(own)
    ]


def measure_clues(reading: Reading, chosen: Sequence[int]) -> Samples:
    """Measure the chosen text nodes, in the order of CLUES; the distance to the title stays 0."""
    text, blocks, look = reading.text, reading.blocks, reading.look
    texts = [text.texts[node] for node in chosen]
    at = np.array(chosen, np.int64)
    shapes = [_LETTERS.sub("a", own.translate(_SHAPE)) for own in texts]
    twins = Counter(shapes)
    years = [len(_YEAR.findall(own)) for own in texts]
    days = [len(_DAY.findall(own)) for own in texts]
    is_dated = np.array([bool(year or day) for year, day in zip(years, days, strict=True)], np.int64)
    lengths = np.array([len(own) for own in texts], np.float32)
    owners = [text.blocks[node] for node in chosen]
    block_lengths = np.array([len(blocks.text[block]) for block in owners], np.float32)
    count = max(len(text.rows), 1)
    prose = np.flatnonzero(np.array([len(own) for own in text.texts]) >= _LONG)
    following = np.searchsorted(prose, at)
    to_prose = np.full(len(at), _FAR)
    has_prose = following < len(prose)
    to_prose[has_prose] = prose[following[has_prose]] - at[has_prose]
    names, is_time = _read_names(reading.page, text, chosen)
    meaning = np.array([blocks.context[block] for block in owners], np.int64)
    columns = (
        lengths,
        [count_digits(own) for own in texts],
        look.size[at],
        look.size[at] / look.size.max(initial=1.0),
        look.is_bold[at],
        look.similar[at],
        np.zeros(len(at)),
        years,
        [len(_NUMBER.findall(own)) for own in texts],
        days,
        [len(_CLOCK.findall(own)) for own in texts],
        [sum(map(len, _LETTERS.findall(own))) for own in texts],
        [own.count(" ") + 1 for own in texts],
        [twins[shape] for shape in shapes],
        np.full(len(at), is_dated.sum()),
        is_dated.cumsum() - is_dated,
        block_lengths,
        lengths / np.maximum(block_lengths, 1),
        [blocks.link_share(block) for block in owners],
        is_time,
        reading.is_relevant[at],
        at / count,
        np.minimum(to_prose, _FAR),
        following,
        *((names >> KINDS.index(kind) & 1) for kind in _OWN_KINDS),
        *((meaning & bit != 0) for bit in _MEANINGS),
    )
    if not len(at):
        return np.zeros((0, len(CLUES)), np.float32)
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def set_title(samples: Samples, chosen: Sequence[int], title_node: int | None) -> Samples:
    """Fill in how many text nodes after the title each one stands."""
    filled = samples.copy()
    far = np.array(chosen, np.float32) - title_node if title_node is not None else np.full(len(chosen), _FAR)
    filled[:, CLUES.index("from_title")] = np.clip(far, -_FAR, _FAR)
    return filled


def _read_names(page: Page, text: TextNodes, chosen: Sequence[int]) -> tuple[NDArray[np.int64], list[bool]]:
    """Read class names, ids and item properties of the elements next to each node, and whether one is `<time>`."""
    nodes = page.nodes
    known: dict[int, tuple[int, bool]] = {}
    bits, times = [], []
    for node in chosen:
        holder = nodes.parent[text.rows[node]]
        found = known.get(holder)
        if found is None:
            kinds, is_time, row = 0, False, holder
            for _ in range(_LEVELS):
                if row < 0:
                    break
                is_time = is_time or nodes.tag[row] == "time"
                for name in ("class", "id", "itemprop"):
                    kinds |= find_kinds(nodes.attr(row, name)[:200])
                row = nodes.parent[row]
            found = known[holder] = kinds, is_time
        bits.append(found[0])
        times.append(found[1])
    return np.array(bits, np.int64), times
