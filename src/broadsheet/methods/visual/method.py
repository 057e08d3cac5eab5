"""Visual: styles and structure, without a browser, identify title, date and body.

Chapter 3 of a thesis on extracting news from web pages by structure and CSS, without rendering. We have only that
chapter, which names neither the thesis nor its author; it takes NCE, the first step, from another work.

NCE finds the subtree that holds the story and removes children full of links and the comments of readers. A forest of
decision trees finds the title among the text nodes by nine attributes (length, digits, font size, weight, frequency of
the style, similarity to `<title>`); another finds the date, using the distance to that title. The body is the relevant
rest from the title on. The method needs CSS but no layout, and depends on no language. Departures from the thesis are
switches; their gains are in docs/methods/visual.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, Labels, Role, list_roles
from broadsheet.methods.visual.body_features import compute_body_features
from broadsheet.methods.visual.config import MODEL, VisualConfig
from broadsheet.methods.visual.features import VisualInput, read_input
from broadsheet.methods.visual.forests import choose_threshold, load_forests, score_body
from broadsheet.methods.visual.title_and_date import TitleAndDate, find_title_and_date
from broadsheet.models.config import check_config
from broadsheet.models.weights import find_newest, hash_weights
from broadsheet.page import Page

# As published, decisions are binary. The score of all kept blocks is the word precision, mean of six dev sets.
KEPT_BLOCK_SCORE = 0.83
_MIN_BLOCK_SHARE = 0.5  # of a block's characters: nodes with more of them determine the role of the block


class Visual:
    """Styles and structure without a browser; decision forests find title, date and body (2011)."""

    name: ClassVar[str] = MODEL

    def __init__(self, config: VisualConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the shipped configuration and forests, or others. All parameters may be changed at run time."""
        self.config = check_config(config, VisualConfig) or VisualConfig.shipped()
        self.forests = load_forests(weights)
        self.weights_hash = hash_weights(MODEL, weights)

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Find the relevant content (3.4.1), the title and the date (3.4.2), then the body (3.4.3)."""
        if not len(blocks):
            return Labels([], [])
        page.deadline.check()
        inputs = read_input(page, blocks, self.config)
        page.deadline.check()
        parts = find_title_and_date(inputs, self.forests, self.config)
        if self.config.learns_body:
            scores = score_body(compute_body_features(inputs), parts.title.block, self.forests)
            is_body = scores > choose_threshold(scores, [len(text) for text in blocks.text], self.config)
        else:
            is_body = _find_body(inputs, parts)
            scores = np.where(is_body, KEPT_BLOCK_SCORE, 0.0)
        return _assign_roles(inputs, parts, is_body, scores)


def _find_body(inputs: VisualInput, parts: TitleAndDate) -> NDArray[np.bool_]:
    """Return the blocks of all relevant nodes from the title on that are neither title nor date (3.4.3)."""
    title, dates = parts.title, parts.dates
    is_body = inputs.is_relevant.copy()  # per text node
    is_body[: title.node or 0] = False
    is_body[[node for node in (title.node, *dates.nodes) if node is not None]] = False
    lengths = np.array([len(text) for text in inputs.text.texts])
    node_blocks = np.array(inputs.text.blocks)
    block_chars = np.bincount(node_blocks, weights=lengths)
    return np.asarray(np.bincount(node_blocks, weights=lengths * is_body) > _MIN_BLOCK_SHARE * block_chars)


def _assign_roles(
    inputs: VisualInput, parts: TitleAndDate, is_body: NDArray[np.bool_], scores: NDArray[np.float64]
) -> Labels:
    blocks, title = inputs.blocks, parts.title
    roles = list_roles(blocks, np.flatnonzero(is_body).tolist())
    block_scores = scores.tolist()
    for block in _find_filled_blocks(inputs, parts.dates.nodes):
        roles[block], block_scores[block] = Role.DATE, 0.0
    # A title node at the beginning of a paragraph does not make the paragraph a title.
    title_nodes = frozenset(() if title.node is None else (title.node,))
    for block in _find_filled_blocks(inputs, title_nodes, title.text or ""):
        roles[block], block_scores[block] = Role.TITLE, 0.0
    return Labels(roles, block_scores, title=title.text, dates=parts.dates.texts)


def _find_filled_blocks(inputs: VisualInput, nodes: frozenset[int], text: str = "") -> frozenset[int]:
    """Return the blocks of which these nodes, or a longer `text` that a node is part of, are the larger part."""
    chars: dict[int, int] = {}
    for node in nodes:
        block = inputs.text.blocks[node]
        chars[block] = chars.get(block, 0) + max(len(inputs.text.texts[node]), len(text))
    return frozenset(
        block for block, count in chars.items() if count > _MIN_BLOCK_SHARE * len(inputs.blocks.text[block])
    )


class PublishedVisual(Visual):
    """The visual method as published: NCE finds the body, and forests over nine attributes find title and date."""

    name: ClassVar[str] = "visual-published"

    def __init__(self, config: VisualConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the published configuration, and the forests of `broadsheet train visual-published`, or others."""
        forests = find_newest(self.name) if weights is None else weights
        super().__init__(VisualConfig() if config is None else config, weights=forests)
