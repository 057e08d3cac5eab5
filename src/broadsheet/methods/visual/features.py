"""The nine attributes of a text node (section 3.2): length, digits, style, and distances to the title."""

from __future__ import annotations

import re
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
    "digit_share",  # in per cent
    "font_size",
    "relative_size",  # in per cent of the largest font of the page
    "is_bold",
    "similar_nodes",  # number of text nodes with the same style
    "title_distance",  # attribute 8: only for dates
    "edit_distance",  # attribute 9: only for titles
)
TITLE_COLUMNS = tuple(column for column, name in enumerate(ATTRIBUTES) if name != "title_distance")
DATE_COLUMNS = tuple(column for column, name in enumerate(ATTRIBUTES) if name != "edit_distance")

# Costs of editing a node's text into `<title>`. Insertion is cheap: `<title>` often adds the name of the site.
INSERTION_COST, DELETION_COST, SUBSTITUTION_COST = 1, 4, 2
_MIN_COMMON_SHARE = 0.7  # of the shorter text's characters; below it, a lower bound replaces the edit distance
_MAX_LENGTH_RATIO = 2  # of text to title; beyond it, deletions make up almost all of the cost
_MAX_TITLE_CHARS = 300
_DIGIT = re.compile(r"\d")

Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TextStyle:
    """Styles of text nodes, one value per node."""

    font_size: NDArray[np.float32]  # in pixels
    is_bold: NDArray[np.bool_]
    is_shown: NDArray[np.bool_]
    style_id: NDArray[np.int64]  # equal for nodes of equal size, colour, font family and weight
    similar_nodes: NDArray[np.int64]  # number of nodes with the same style_id

    def pick(self, chosen: Sequence[int] | NDArray[np.int64]) -> TextStyle:
        """Return the styles of some of the nodes."""
        at = np.asarray(chosen, np.int64)
        return TextStyle(
            self.font_size[at], self.is_bold[at], self.is_shown[at], self.style_id[at], self.similar_nodes[at]
        )


def read_text_style(styles: Styles, rows: Sequence[int], parents: Sequence[int]) -> TextStyle:
    """Read the styles of text nodes. Each parent element is read once."""
    id_of_element: dict[int, int] = {}
    id_of_style: dict[tuple[float, int, str, bool], int] = {}
    is_element_shown: dict[int, bool] = {}
    style_ids: list[int] = []
    for row in rows:
        element = parents[row]
        style_id = id_of_element.get(element)
        if style_id is None:
            style = (styles.font_size(element), styles.color(element), styles.family(element), styles.is_bold(element))
            style_id = id_of_element[element] = id_of_style.setdefault(style, len(id_of_style))
            is_element_shown[element] = styles.is_shown(element)
        style_ids.append(style_id)
    ids = np.array(style_ids, np.int64)
    return TextStyle(
        font_size=np.array([font_size for font_size, _, _, _ in id_of_style], np.float32)[ids],
        is_bold=np.array([is_bold for _, _, _, is_bold in id_of_style], np.bool_)[ids],
        is_shown=np.array([is_element_shown[parents[row]] for row in rows], np.bool_),
        style_id=ids,
        similar_nodes=np.bincount(ids, minlength=len(id_of_style))[ids],
    )


def compute_attributes(text: TextNodes, chosen: Sequence[int], style: TextStyle, page_title: str) -> Samples:
    """Compute the attributes of chosen text nodes: (chosen, ATTRIBUTES). `title_distance` stays 0.

    `style` has the styles of all text nodes of the page.
    """
    texts = [text.texts[node] for node in chosen]
    chosen_style = style.pick(chosen)
    lengths = np.array([len(node_text) for node_text in texts], np.float32)
    digits = np.array([count_digits(node_text) for node_text in texts], np.float32)
    columns = {
        "length": lengths,
        "digits": digits,
        "digit_share": digits / np.maximum(lengths, 1) * 100,
        "font_size": chosen_style.font_size,
        "relative_size": chosen_style.font_size / style.font_size.max(initial=1.0) * 100,
        "is_bold": chosen_style.is_bold,
        "similar_nodes": chosen_style.similar_nodes,
        "title_distance": np.zeros(len(texts)),
        "edit_distance": _compute_edit_distances(texts, page_title[:_MAX_TITLE_CHARS]),
    }
    return np.stack([np.asarray(columns[name], np.float32) for name in ATTRIBUTES], axis=1)


def fill_title_distance(samples: Samples, chosen: Sequence[int], title_node: int | None) -> Samples:
    """Return samples with attribute 8: distance to the title in the list of text nodes; 0 without a title."""
    filled = samples.copy()
    if title_node is not None:
        filled[:, ATTRIBUTES.index("title_distance")] = np.array(chosen, np.float32) - title_node
    return filled


def count_digits(text: str) -> int:
    """Count the digits of any script."""
    return len(_DIGIT.findall(text))


def _compute_edit_distances(texts: Sequence[str], title: str) -> list[float]:
    distances = {text: compute_edit_distance(text, title) for text in set(texts)}
    return [distances[text] for text in texts]


def compute_edit_distance(text: str, title: str) -> float:
    """Return attribute 9: the cost of editing a text into the title, per character of the title.

    The weighted distance takes fifty times as long as the longest common subsequence. For a text with little in common
    with the title, a lower bound is returned instead: with n and m characters, of which at most k match in order, the
    cost is at least m + 4n - 5k - 3(min(n, m) - k).
    """
    n, m = len(text), max(len(title), 1)
    matched = LCSseq.similarity(text, title)
    if matched < _MIN_COMMON_SHARE * min(n, m):
        return (len(title) + 4 * n - 5 * matched - 3 * (min(n, len(title)) - matched)) / m
    if n > _MAX_LENGTH_RATIO * m:
        return (DELETION_COST * (n - matched) + INSERTION_COST * (len(title) - matched)) / m
    return Levenshtein.distance(text, title, weights=(INSERTION_COST, DELETION_COST, SUBSTITUTION_COST)) / m
