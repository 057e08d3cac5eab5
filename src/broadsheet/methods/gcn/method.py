"""GCN: the DOM tree is a graph, and a small convolutional network labels its nodes.

Philip Hausner, Michael Gertz: News Article Extraction Using Graph Embeddings. LWDA 2021, CEUR Workshop Proceedings.

Every node of the page gets a feature vector: tag, embedded text, length, colour, size and visibility (section 3). Two
or three layers mix the vector of a node with those of its children and of its parent (section 4); the output is the
probability that the node is article text. Nodes above a threshold form groups by their position on the page, and the
group with the most text is the article (section 5). Styles and boxes come from a browser if the page was rendered, and
are estimated from its style sheets otherwise. Departures from the paper: docs/methods/gcn.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, Labels, Role, list_roles
from broadsheet.errors import UsageError
from broadsheet.methods.gcn.config import CHANGEABLE, MODEL, GcnConfig
from broadsheet.methods.gcn.features import read_features
from broadsheet.methods.gcn.network import Floats, GcnNetwork, check_network, read_network
from broadsheet.models.config import read_config, resolve_config
from broadsheet.models.weights import find_newest, hash_weights, load_weights
from broadsheet.models.words import load_words
from broadsheet.page import Page
from broadsheet.style import Boxes, compute_styles, find_boxes

BODY = "body"  # the class of article text
_MIN_THRESHOLD = 1e-6  # avoids a division by zero


class Gcn:
    """Graph network over the page's tree, with word vectors, colours and sizes as features (GCN, 2021)."""

    name: ClassVar[str] = MODEL

    def __init__(self, config: GcnConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the shipped weights or those in a folder. `config` may change what config.CHANGEABLE lists."""
        self._weights = load_weights(MODEL, weights)
        trained = read_config(self._weights, GcnConfig)
        chosen = resolve_config(config, trained, self._weights, changeable=CHANGEABLE)
        self.config = chosen if chosen.thresholds else replace(chosen, thresholds=trained.thresholds)
        _check_classes(self.config)
        check_network(self._weights, self.config, load_words().columns)
        self.weights_hash = hash_weights(MODEL, weights)

    @cached_property
    def network(self) -> GcnNetwork:
        """The network, built on first use: projecting the word vectors takes a while."""
        return read_network(self._weights, self.config, load_words())

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Read the features (section 3), run the network (4) and refine its output (5)."""
        if not blocks:
            return Labels((), ())
        network = self.network
        page.deadline.check()
        styles = compute_styles(page)
        boxes = find_boxes(page, styles)
        page.deadline.check()
        features = read_features(page, styles, boxes, self.config)
        node_scores = np.zeros((len(features), len(self.config.classes)), np.float32)  # 0 for line breaks
        node_scores[features.text_rows] = network.predict_texts(features)
        return assign_roles(blocks, boxes, score_blocks(page, blocks, node_scores), self.config)


def _check_classes(config: GcnConfig) -> None:
    if len(config.thresholds) != len(config.classes):
        raise UsageError(
            f"GcnConfig has thresholds={config.thresholds} for classes={config.classes}; give one threshold per class"
        )
    roles = [role.value for role in Role]
    for name in config.classes:
        if name not in roles:
            raise UsageError(f"GcnConfig has class {name!r}, which is not a role; choose from {', '.join(roles)}")


def score_blocks(page: Page, blocks: Blocks, node_scores: Floats) -> Floats:
    """Return the mean score of each block's text nodes, weighted by their length: (blocks, classes)."""
    texts = page.nodes.text
    rows = [row for block_rows in blocks.rows for row in block_rows]
    lengths = np.array([len(texts[row]) for row in rows], np.float32)[:, np.newaxis]  # line breaks have length 0
    starts = np.cumsum([0, *(len(block_rows) for block_rows in blocks.rows[:-1])])
    sums: Floats = np.add.reduceat(node_scores[rows] * lengths, starts, axis=0)
    block_lengths: Floats = np.add.reduceat(lengths, starts, axis=0)
    return np.clip(sums / np.maximum(block_lengths, 1), 0, 1)


def assign_roles(blocks: Blocks, boxes: Boxes, scores: Floats, config: GcnConfig) -> Labels:
    """Give each block the class with the highest ratio of score to threshold, if it is at least 1; refine the body."""
    ratios = scores / np.maximum(np.array(config.thresholds, np.float32), _MIN_THRESHOLD)
    best = ratios.argmax(axis=1)
    is_above = ratios[np.arange(len(blocks)), best] >= 1
    body: list[int] = []
    others: dict[int, Role] = {}
    body_scores = np.zeros(len(blocks), np.float32)
    for index, name in enumerate(config.classes):
        chosen = np.flatnonzero(is_above & (best == index)).tolist()
        if name == BODY:
            body_scores = scores[:, index].copy()
            body = _refine(blocks, boxes, chosen, config) if config.refines else chosen
            body_scores[np.setdiff1d(chosen, body).astype(np.intp)] = 0
        else:
            others |= dict.fromkeys(chosen, Role(name))
    return Labels(list_roles(blocks, body, others), body_scores.tolist())


def _refine(blocks: Blocks, boxes: Boxes, chosen: list[int], config: GcnConfig) -> list[int]:
    top, bottom = find_vertical_edges(blocks, boxes, chosen)
    lengths = [len(blocks.text[block]) for block in chosen]
    return keep_longest_group(chosen, top.tolist(), bottom.tolist(), lengths, config.gap)


class PublishedGcn(Gcn):
    """The graph network as published, with three layers (GCN3), trained on about as many pages as the paper's."""

    name: ClassVar[str] = "gcn-published"

    def __init__(self, config: GcnConfig | None = None, *, weights: str | Path | None = None) -> None:
        """Use the weights of `broadsheet train gcn-published`: those that are shipped, or those in a folder."""
        super().__init__(config, weights=find_newest(self.name) if weights is None else weights)


class PublishedGcn2(PublishedGcn):
    """The graph network as published, with two layers (GCN2): the paper's best by edit distance."""

    name: ClassVar[str] = "gcn2-published"


# Refinement of the classification (section 5): article text is contiguous, so one group of blocks is kept


def keep_longest_group(
    candidates: Sequence[int],
    top: Sequence[float],
    bottom: Sequence[float],
    length: Sequence[int],
    gap: float,
) -> list[int]:
    """Split candidates at vertical gaps of more than `gap` pixels; return the group with the most text.

    `top`, `bottom` and `length` (in characters) describe the candidates. The result is in the order of the candidates.
    """
    if not candidates:
        return []
    order = sorted(range(len(candidates)), key=top.__getitem__)  # stable: ties stay in page order
    groups = [[order[0]]]
    for previous, current in pairwise(order):
        if top[current] - bottom[previous] > gap:  # Equation 6 does not hold
            groups.append([])
        groups[-1].append(current)
    longest = max(groups, key=lambda group: sum(length[index] for index in group))
    return [candidates[index] for index in sorted(longest)]


def find_vertical_edges(
    blocks: Blocks, boxes: Boxes, chosen: list[int]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the upper and the lower edges of some blocks, in pixels from the top of the page."""
    first = [blocks.first[block] for block in chosen]
    last = [blocks.last[block] for block in chosen]
    lower_edges = boxes.y + boxes.height
    return boxes.y[first], np.maximum(lower_edges[first], lower_edges[last])
