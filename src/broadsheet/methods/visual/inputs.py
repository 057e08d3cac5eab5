"""The input of all forests, the same in training and at run time: text nodes, their relevance and their style."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.features import TextStyle, read_text_style
from broadsheet.methods.visual.nce import TextNodes, find_comments, find_relevant, read_text_nodes
from broadsheet.page import Page
from broadsheet.style import compute_styles


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
