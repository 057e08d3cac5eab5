"""The nine attributes of a text node (section 3.2): how long, how many digits, how it looks, and where it stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq, Levenshtein

from broadsheet.methods.visual.nce import TextNodes
from broadsheet.style import Styles

ATTRIBUTES = (
    "length",
    "digits",
    "digit_share",
    "font_size",
    "relative_size",
    "is_bold",
    "similar_nodes",
    "title_distance",
    "edit_distance",
)
TITLE_COLUMNS = (0, 1, 2, 3, 4, 5, 6, 8)  # attribute 8 is for dates only
DATE_COLUMNS = (0, 1, 2, 3, 4, 5, 6, 7)  # attribute 9 is for titles only

# Costs of turning a node's text into that of `<title>`, where the site's name is to be inserted.
INSERTION, DELETION, CHANGE = 1, 4, 2
_MIN_COMMON = 0.7  # of the shorter one's characters, in order: below, a bound of the distance will do
_MUCH_LONGER = 2  # times the title: what is too much is deleted, whatever it says
_DIGIT = re.compile(r"\d")
_MAX_TITLE = 300  # characters that are compared

Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """How the text nodes under examination are shown; a value for each of them."""

    size: NDArray[np.float32]  # font size in pixels
    is_bold: NDArray[np.bool_]
    is_shown: NDArray[np.bool_]
    style: NDArray[np.int64]  # equal numbers are equal size, colour, family and weight
    similar: NDArray[np.int64]  # nodes of that style

    def pick(self, chosen: Sequence[int] | NDArray[np.int64]) -> Look:
        """The look of some of the nodes."""
        at = np.asarray(chosen, np.int64)
        return Look(self.size[at], self.is_bold[at], self.is_shown[at], self.style[at], self.similar[at])


def read_look(styles: Styles, rows: Sequence[int], parents: Sequence[int]) -> Look:
    """Ask for the styles of text nodes, once for each element that holds some."""
    known: dict[int, int] = {}  # element -> its style
    number_of: dict[tuple[float, int, str, bool], int] = {}
    shown: dict[int, bool] = {}
    style: list[int] = []
    for row in rows:
        holder = parents[row]
        found = known.get(holder)
        if found is None:
            key = (styles.font_size(holder), styles.color(holder), styles.family(holder), styles.is_bold(holder))
            found = known[holder] = number_of.setdefault(key, len(number_of))
            shown[holder] = styles.is_shown(holder)
        style.append(found)
    keys = list(number_of)
    numbers = np.array(style, np.int64)
    return Look(
        size=np.array([key[0] for key in keys], np.float32)[numbers],
        is_bold=np.array([key[3] for key in keys], np.bool_)[numbers],
        is_shown=np.array([shown[parents[row]] for row in rows], np.bool_),
        style=numbers,
        similar=np.bincount(numbers, minlength=len(keys))[numbers],
    )


def measure_nodes(text: TextNodes, chosen: Sequence[int], all_looks: Look, page_title: str) -> Samples:
    """Measure the attributes of chosen text nodes, in the order of ATTRIBUTES; the distance to the title stays 0."""
    texts = [text.texts[node] for node in chosen]
    look = all_looks.pick(chosen)
    lengths = np.array([len(each) for each in texts], np.float32)
    digits = np.array([count_digits(each) for each in texts], np.float32)
    biggest = all_looks.size.max(initial=1.0)
    columns = (
        lengths,
        digits,
        digits / np.maximum(lengths, 1) * 100,
        look.size,
        look.size / biggest * 100,
        look.is_bold,
        look.similar,
        np.zeros(len(texts)),
        _measure_edits(texts, page_title[:_MAX_TITLE]),
    )
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def measure_title_distance(samples: Samples, chosen: Sequence[int], title_node: int | None) -> Samples:
    """Fill in attribute 8: places between each node and the title in the list of all text nodes; 0 without a title."""
    filled = samples.copy()
    if title_node is not None:
        filled[:, ATTRIBUTES.index("title_distance")] = np.array(chosen, np.float32) - title_node
    return filled


def count_digits(text: str) -> int:
    """Count the digits of any script."""
    return len(_DIGIT.findall(text))


def _measure_edits(texts: Sequence[str], title: str) -> list[float]:
    known = {text: measure_edits(text, title) for text in Counter(texts)}
    return [known[text] for text in texts]


def measure_edits(text: str, title: str) -> float:
    """Attribute 9: cost of turning a text into the title, for each character of the title.

    A text that has little in common with the title need not be told exactly how little: with n characters against m,
    of which at most k can be matched in order, the cost is no less than m + 4n - 5k - 3(min(n, m) - k), and that is
    taken for it. The weighted distance itself costs fifty times as much as k.
    """
    n, m = len(text), max(len(title), 1)
    matched = LCSseq.similarity(text, title)
    if matched < _MIN_COMMON * min(n, m):
        return (len(title) + 4 * n - 5 * matched - 3 * (min(n, len(title)) - matched)) / m
    if n > _MUCH_LONGER * m:
        return (DELETION * (n - matched) + INSERTION * (len(title) - matched)) / m
    return Levenshtein.distance(text, title, weights=(INSERTION, DELETION, CHANGE)) / m
