"""The nine attributes of a text node (section 3.2): length, digits, style, and distances to the title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq, Levenshtein

from broadsheet.blocks import Blocks
from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.nce import TextNodes, find_comments, find_relevant, read_text_nodes
from broadsheet.page import Nodes, Page
from broadsheet.style import Styles, compute_styles
from broadsheet.text import split_identifiers

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


# The input of all forests, the same in training and at run time: text nodes, their relevance and their style


@dataclass(frozen=True, slots=True, eq=False)
class VisualInput:
    """The text nodes of a page, their relevance by NCE, and their style."""

    page: Page
    blocks: Blocks
    text: TextNodes
    is_relevant: NDArray[np.bool_]  # per text node
    style: TextStyle  # per text node
    page_title: str  # the text of `<title>`

    def list_examined(self, *, all_nodes: bool = False) -> list[int]:
        """List the visible text nodes that may be title or date: relevant ones, and those before the first of them.

        With `all_nodes`, list all visible text nodes.
        """
        if all_nodes:
            return [int(node) for node in np.flatnonzero(self.style.is_shown)]
        relevant = np.flatnonzero(self.is_relevant)
        first = int(relevant[0]) if len(relevant) else len(self.is_relevant)
        is_examined = self.is_relevant.copy()
        is_examined[:first] = True
        return [int(node) for node in np.flatnonzero(is_examined & self.style.is_shown)]

    def find_first_nodes(self) -> NDArray[np.int64]:
        """Return the first text node of each block."""
        node_blocks = np.array(self.text.blocks, np.int64)
        return np.searchsorted(node_blocks, np.arange(len(self.blocks)))


def read_input(page: Page, blocks: Blocks, config: VisualConfig) -> VisualInput:
    """Find the relevant content (3.4.1) and read the styles of all text nodes."""
    nodes = page.nodes
    text = read_text_nodes(page, blocks)
    forest = find_relevant(nodes, text, config)
    comments = find_comments(nodes, text, forest, config)
    is_relevant = np.zeros(len(nodes) + 1, np.bool_)  # per row
    for row in forest:
        is_relevant[row : nodes.end[row]] = True
    if comments is not None:
        is_relevant[comments:] = False
    page.deadline.check()
    style = read_text_style(compute_styles(page), text.rows, nodes.parent)
    title = nodes.text_of(nodes.rows["title"][0]) if nodes.rows["title"] else ""
    return VisualInput(page, blocks, text, is_relevant[np.array(text.rows, np.int64)], style, title)


# Kinds of containers by their class names and ids (ours). Page authors write these in English in any language


# Kinds, and parts of words that indicate them; "=" marks a whole word. Names of sites and services are left out.
_KIND_WORDS = {
    "comment": "comment respond reply replies discuss feedback thread",
    "frame": "nav menu foot header masthead breadcrumb cookie consent banner popup modal login toolbar pagin search",
    "side": "side rail widget column =col box module",
    "share": "share sharing social follow print mail subscri newsletter signup",
    "more": "relat recommend more popular trend teaser promo sponsor advert =ad =ads most latest also next list",
    "meta": "byline author =by meta =tag =tags categor credit source info copyright disclaim",
    "date": "date time publi stamp posted =on",
    "change": "updat modif chang edited",
    "picture": "caption figure photo gallery image =img media video slide thumb player",
    "text": "article story content entry post body text main paragraph",
    "head": "title headline heading =hd =head intro lead summary deck standfirst abstract",
}
KINDS = tuple(_KIND_WORDS)
_WHOLE_WORDS = [frozenset(word[1:] for word in words.split() if word[0] == "=") for words in _KIND_WORDS.values()]
_WORD_PARTS = [tuple(word for word in words.split() if word[0] != "=") for words in _KIND_WORDS.values()]
MAX_NAME_CHARS = 200  # of a class attribute or an id


def read_names(nodes: Nodes) -> dict[int, tuple[int, int]]:
    """Return the kinds of each container by row, as bits: by its names, and by those of all containers around it."""
    rows = list(nodes.outer)
    kinds = {-1: (0, 0)}
    for row, class_name, element_id in zip(rows, nodes.classes, nodes.attrs.get_all(rows, "id"), strict=True):
        row_kinds = 0
        if class_name:
            row_kinds = find_kinds(class_name[:MAX_NAME_CHARS])
        if element_id:
            row_kinds |= find_kinds(element_id[:MAX_NAME_CHARS])
        outer = kinds[nodes.outer[row]]
        kinds[row] = row_kinds, outer[0] | outer[1]
    return kinds


@lru_cache(maxsize=8192)
def find_kinds(name: str) -> int:
    """Return the kinds that a name indicates, as bits in the order of KINDS."""
    bits = 0
    for word in split_identifiers(name, splits_acronyms=False):
        bits |= _find_kinds_of_word(word)
    return bits


@lru_cache(maxsize=8192)
def _find_kinds_of_word(word: str) -> int:
    word = word.lower()
    bits = 0
    for kind, parts in enumerate(_WORD_PARTS):
        if word in _WHOLE_WORDS[kind]:
            bits |= 1 << kind
            continue
        for part in parts:  # a plain loop: `any` takes three times as long
            if part in word:
                bits |= 1 << kind
                break
    return bits


def spread_bits(bits: Sequence[int]) -> dict[str, list[int]]:
    """Convert bits to one column of 0 and 1 for each kind."""
    return {name: [value >> kind & 1 for value in bits] for kind, name in enumerate(KINDS)}
