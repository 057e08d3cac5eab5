"""What the visual method reads from a page before any forest is asked: the same in training and at run time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks
from broadsheet.methods.visual.comments import find_comments
from broadsheet.methods.visual.config import VisualConfig
from broadsheet.methods.visual.features import Look, read_look
from broadsheet.methods.visual.nce import TextNodes, find_relevant, read_text_nodes
from broadsheet.page import Page
from broadsheet.style import compute_styles


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The text nodes of a page, what NCE makes of them, and how they look."""

    page: Page
    blocks: Blocks
    text: TextNodes
    is_relevant: NDArray[np.bool_]  # of each text node
    look: Look  # of each text node
    page_title: str  # what `<title>` says

    def list_examined(self, *, all_nodes: bool = False) -> list[int]:
        """List the shown text nodes that may be title or date: the relevant ones and all before the first of them.

        With `all_nodes`, all that are shown.
        """
        if all_nodes:
            return [int(node) for node in np.flatnonzero(self.look.is_shown)]
        relevant = np.flatnonzero(self.is_relevant)
        first = int(relevant[0]) if len(relevant) else len(self.is_relevant)
        is_examined = self.is_relevant.copy()
        is_examined[:first] = True
        return [int(node) for node in np.flatnonzero(is_examined & self.look.is_shown)]

    def first_nodes(self) -> NDArray[np.int64]:
        """The first text node of each block."""
        owners = np.array(self.text.blocks, np.int64)
        return np.searchsorted(owners, np.arange(len(self.blocks)))


def read_visual(page: Page, blocks: Blocks, config: VisualConfig) -> Reading:
    """Find the relevant content (3.4.1) and look at all text nodes."""
    nodes = page.nodes
    text = read_text_nodes(page, blocks)
    forest = find_relevant(nodes, text, config)
    end = find_comments(nodes, text, forest, config)
    is_in = np.zeros(len(nodes) + 1, np.bool_)
    for row in forest:
        is_in[row : nodes.end[row]] = True
    if end is not None:
        is_in[end:] = False
    page.deadline.check()
    look = read_look(compute_styles(page), text.rows, nodes.parent)
    title = nodes.text_of(nodes.rows["title"][0]) if nodes.rows["title"] else ""
    return Reading(page, blocks, text, is_in[np.array(text.rows, np.int64)], look, title)
