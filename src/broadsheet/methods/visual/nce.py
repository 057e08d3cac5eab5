"""Relevant content by NCE (section 3.4.1): the separator node and its children with few links, without comments.

The comment section begins where similar texts are close to one another (post-processing).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from broadsheet.blocks import Blocks
from broadsheet.methods.visual.config import VisualConfig
from broadsheet.page import TEXT, Nodes, Page

Counts = NDArray[np.int64]
_MAX_CANDIDATES = 400  # nodes of the list L; bounds the time, and repetition shows earlier
_MIN_COMPONENT_NODES = 3  # of a connected component that is a comment section


@dataclass(frozen=True, slots=True, eq=False)
class TextNodes:
    """The visible text nodes of a page in order, and running sums of their characters over all rows."""

    rows: list[int]
    texts: list[str]  # white space folded
    blocks: list[int]  # the block of each node
    chars_before: Counts  # characters of text in the rows before each row; one more value at the end
    link_chars_before: Counts  # the part of them that is in links
    end: Counts  # one past the last descendant of each row

    def length(self, row: int) -> int:
        """|text(T_u)|: number of characters below a row, or of a text node."""
        return int(self.chars_before[self.end[row]] - self.chars_before[row])

    def link_density(self, row: int) -> float:
        """Share of these characters that is in links; 0 if there is no text."""
        link_chars = int(self.link_chars_before[self.end[row]] - self.link_chars_before[row])
        return link_chars / max(self.length(row), 1)


def read_text_nodes(page: Page, blocks: Blocks) -> TextNodes:
    """List the text nodes of all blocks, without white space nodes."""
    nodes = page.nodes
    rows: list[int] = []
    texts: list[str] = []
    node_blocks: list[int] = []
    node_text, node_tag = nodes.text, nodes.tag
    for block, block_rows in enumerate(blocks.rows):
        for row in block_rows:
            if node_tag[row] == TEXT and (text := " ".join(node_text[row].split())):
                rows.append(row)
                texts.append(text)
                node_blocks.append(block)
    lengths = np.zeros(len(nodes) + 1, np.int64)
    lengths[np.array(rows, np.int64) + 1] = [len(text) for text in texts]
    link_lengths = np.zeros(len(nodes) + 1, np.int64)
    in_link = np.array([row for _, _, link_rows, _ in nodes.runs for row in link_rows], np.int64) + 1
    link_lengths[in_link] = lengths[in_link]
    return TextNodes(rows, texts, node_blocks, lengths.cumsum(), link_lengths.cumsum(), np.array(nodes.end, np.int64))


def find_relevant(nodes: Nodes, text: TextNodes, config: VisualConfig) -> list[int]:
    """Return the roots of the forest F(u, β4) for the separator u; the root of the page if there is none."""
    separator = find_separator(nodes, text, config)
    if separator is None:
        return [0]
    return [row for row in list_children(nodes, separator) if text.link_density(row) <= config.beta_4]


def find_separator(nodes: Nodes, text: TextNodes, config: VisualConfig) -> int | None:
    """Return the separator node: the closest ancestor of a long leaf that satisfies conditions 1 to 4.

    The thesis does not say which leaf to use if several are long enough. We use the first that leads to a separator.
    """
    rivals = _count_rivals(nodes, text, config)
    failed: set[int] = set()
    for leaf in (row for row, leaf_text in zip(text.rows, text.texts, strict=True) if len(leaf_text) >= config.beta_3):
        for row in nodes.ancestors(leaf):
            if row in failed:
                break  # all rows above it have failed too
            is_large = text.length(row) >= config.beta_2
            if nodes.tag[row] != "p" and is_large and rivals[row] <= 1:
                return row
            failed.add(row)
    return None


def _count_rivals(nodes: Nodes, text: TextNodes, config: VisualConfig) -> Counts:
    """For each row, count the siblings with much text and few links (condition 4)."""
    count = len(nodes)
    lengths = text.chars_before[text.end] - text.chars_before[:count]
    link_lengths = text.link_chars_before[text.end] - text.link_chars_before[:count]
    is_rival = (lengths > config.beta_3) & (link_lengths < config.beta_1 * lengths)
    parents = np.array(nodes.parent, np.int64)
    parents[0] = count  # the root has no siblings
    rival_children = np.bincount(parents[is_rival], minlength=count + 1)
    return np.asarray(rival_children[parents] - is_rival)


def list_children(nodes: Nodes, row: int) -> Iterator[int]:
    """Yield the rows of the children of an element, in order."""
    child = row + 1
    while child < nodes.end[row]:
        yield child
        child = nodes.end[child]


def find_comments(nodes: Nodes, text: TextNodes, forest: Iterable[int], config: VisualConfig) -> int | None:
    """Return the row z at which the comments begin: z and all later rows are not part of the article.

    Nodes of L are connected in page order, and the first component of three nodes decides. If its nodes have no common
    ancestor within the forest, the first of them is z.
    """
    roots = list(forest)
    candidates = list(islice(_list_candidates(nodes, text, roots, config), _MAX_CANDIDATES))
    texts = [nodes.text_of(row) for row in candidates]
    component = list(range(len(candidates)))  # the component of each candidate
    for current, current_text in enumerate(texts):
        for before in range(max(0, current - config.beta_5), current):
            if component[before] != component[current] and _are_similar(texts[before], current_text, config.beta_6):
                old, new = component[current], component[before]
                component = [new if number == old else number for number in component]
        members = [candidates[index] for index in range(current + 1) if component[index] == component[current]]
        if len(members) >= _MIN_COMPONENT_NODES:
            return _find_common_ancestor(nodes, members, roots)
    return None


def _list_candidates(nodes: Nodes, text: TextNodes, roots: list[int], config: VisualConfig) -> Iterator[int]:
    """Yield the list L: on each path down the forest, the first node with α1 to α2 characters, depth-first."""
    for root in roots:
        row, end = root, nodes.end[root]
        while row < end:
            length = text.length(row)
            if config.alpha_1 <= length <= config.alpha_2:
                yield row
            # Descendants of a node are not longer than the node.
            row = row + 1 if length > config.alpha_2 else nodes.end[row]


def _are_similar(one: str, other: str, min_share: float) -> bool:
    min_common = min_share * min(len(one), len(other))
    return LCSseq.similarity(one, other, score_cutoff=int(min_common)) >= min_common


def _find_common_ancestor(nodes: Nodes, members: list[int], roots: list[int]) -> int:
    first, last = members[0], members[-1]
    ancestor = first
    while nodes.end[ancestor] <= last and ancestor not in roots:
        ancestor = nodes.parent[ancestor]
    return ancestor if nodes.end[ancestor] > last else first
