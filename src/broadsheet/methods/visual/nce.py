"""Relevant content by NCE: the separator node and its children without many links (section 3.4.1)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.methods.visual.config import VisualConfig
from broadsheet.page import TEXT, Nodes, Page

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TextNodes:
    """The shown text nodes of a page, in order, and how much text stands below every row."""

    rows: list[int]
    texts: list[str]  # white space folded
    blocks: list[int]  # the block of each
    upto: Counts  # characters of text in the rows before each row; one more at the end
    links_upto: Counts  # those of them that stand in links
    end: Counts  # one past the last descendant of each row

    def length(self, row: int) -> int:
        """|text(T_u)|: characters below a row, or of a text node."""
        return int(self.upto[self.end[row]] - self.upto[row])

    def link_density(self, row: int) -> float:
        """Share of these characters that stand in links; 0 where there is no text."""
        links = int(self.links_upto[self.end[row]] - self.links_upto[row])
        return links / max(self.length(row), 1)


def read_text_nodes(page: Page, blocks: Blocks) -> TextNodes:
    """List the text nodes of all blocks, but for white space."""
    nodes = page.nodes
    rows: list[int] = []
    texts: list[str] = []
    owners: list[int] = []
    node_text, node_tag = nodes.text, nodes.tag
    for block, own in enumerate(blocks.rows):
        for row in own:
            if node_tag[row] == TEXT and (text := " ".join(node_text[row].split())):
                rows.append(row)
                texts.append(text)
                owners.append(block)
    lengths = np.zeros(len(nodes) + 1, np.int64)
    lengths[np.array(rows, np.int64) + 1] = [len(text) for text in texts]
    linked = np.zeros(len(nodes) + 1, np.int64)
    in_link = np.array([row for _, _, links, _ in nodes.runs for row in links], np.int64) + 1
    linked[in_link] = lengths[in_link]
    return TextNodes(rows, texts, owners, lengths.cumsum(), linked.cumsum(), np.array(nodes.end, np.int64))


def find_relevant(nodes: Nodes, text: TextNodes, config: VisualConfig) -> list[int]:
    """Find the roots of the forest F(u, β4) for the separator u; the root of the page when there is none."""
    separator = find_separator(nodes, text, config)
    if separator is None:
        return [0]
    return [row for row in list_children(nodes, separator) if text.link_density(row) <= config.beta_4]


def find_separator(nodes: Nodes, text: TextNodes, config: VisualConfig) -> int | None:
    """Find the separator node: the closest ancestor of a long leaf that satisfies conditions 1 to 4.

    The document does not say which leaf, where several are long enough: the first in the page that leads to one.
    """
    rivals = _count_rivals(nodes, text, config)
    failed: set[int] = set()
    for leaf in (row for row, own in zip(text.rows, text.texts, strict=True) if len(own) >= config.beta_3):
        for row in nodes.ancestors(leaf):
            if row in failed:
                break  # and so have all above it
            is_large = text.length(row) >= config.beta_2
            if nodes.tag[row] != "p" and is_large and rivals[row] <= 1:
                return row
            failed.add(row)
    return None


def _count_rivals(nodes: Nodes, text: TextNodes, config: VisualConfig) -> Counts:
    """For each row, count the siblings that hold much text and few links (condition 4)."""
    count = len(nodes)
    lengths = text.upto[text.end] - text.upto[:count]
    links = text.links_upto[text.end] - text.links_upto[:count]
    is_rival = (lengths > config.beta_3) & (links < config.beta_1 * lengths)
    parents = np.array(nodes.parent, np.int64)
    parents[0] = count  # the root has no siblings
    below = np.bincount(parents[is_rival], minlength=count + 1)
    return np.asarray(below[parents] - is_rival)


def list_children(nodes: Nodes, row: int) -> Iterator[int]:
    """Rows of the children of an element, in order."""
    child = row + 1
    while child < nodes.end[row]:
        yield child
        child = nodes.end[child]
