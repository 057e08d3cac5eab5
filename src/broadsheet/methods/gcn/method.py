"""GCN: the DOM tree as a graph; a small convolutional network over it tells article text from the rest.

Philip Hausner, Michael Gertz: News Article Extraction Using Graph Embeddings. LWDA 2021, CEUR Workshop Proceedings.

Every node of the page gets a vector: its tag, the meaning of its text, its length, colour, size and whether it is shown
(section 3). Two or three layers mix each vector with those of the node's children and of its parent (section 4), and a
last one says how likely the node is article text. Of the nodes above a threshold, the group that stands together on the
page and has most text is the article (section 5). Looks and places come from a real browser where one was asked
(`page.rendering`), and otherwise from the page's style sheets and an estimate. Departures: docs/methods/gcn.md.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import Blocks, Labels, Role, role_of_content
from broadsheet.embeddings import load_words
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import read_features
from broadsheet.methods.gcn.network import Floats, GcnNetwork
from broadsheet.methods.gcn.refine import keep_longest_group
from broadsheet.models import load_weights
from broadsheet.page import Page
from broadsheet.style import Boxes, compute_styles, find_boxes

BODY = "body"  # the class that is article text


class Gcn:
    """A graph network over the page's tree, with the meaning of its words, its colours and sizes (GCN, 2021)."""

    name: ClassVar[str] = "gcn"

    def __init__(self, folder: Path | None = None, **changes: Any) -> None:
        """Take the shipped weights, or those of a folder; `changes` are values of `GcnConfig`, e.g. `gap=500`."""
        self._folder = folder
        self._changes = changes

    @cached_property
    def network(self) -> GcnNetwork:
        """The network with its weights, loaded when it is first asked for."""
        weights = load_weights(self.name, self._folder)
        config = replace(GcnConfig.read(weights.config), **self._changes)
        return GcnNetwork(config, weights.arrays, weights.config["tags"], load_words())

    def label(self, page: Page, blocks: Blocks) -> Labels:
        """Read the features (section 3), ask the network (4), refine its answers (5)."""
        if not blocks:
            return Labels((), ())
        network = self.network
        page.deadline.check()
        styles = compute_styles(page)
        boxes = find_boxes(page, styles)
        page.deadline.check()
        features = read_features(page, styles, boxes, network.config)
        scores = np.zeros((len(features), len(network.config.classes)), np.float32)  # 0 for breaks between texts
        scores[features.text_rows] = network.predict_texts(features)
        scores = weigh_blocks(page, blocks, scores)
        return name_roles(blocks, boxes, scores, network.config)


def weigh_blocks(page: Page, blocks: Blocks, scores: Floats) -> Floats:
    """Probabilities of blocks: the mean of those of its text nodes, by their length: (blocks, classes)."""
    texts = page.nodes.text
    rows = [row for own in blocks.rows for row in own]
    lengths = np.array([len(texts[row]) for row in rows], np.float32)[:, np.newaxis]  # breaks have none
    starts = np.cumsum([0, *(len(own) for own in blocks.rows[:-1])])
    sums: Floats = np.add.reduceat(scores[rows] * lengths, starts, axis=0)
    of_blocks: Floats = np.add.reduceat(lengths, starts, axis=0)
    return np.clip(sums / np.maximum(of_blocks, 1), 0, 1)


def name_roles(blocks: Blocks, boxes: Boxes, scores: Floats, config: GcnConfig) -> Labels:
    """Name each block by the class that it is most over the threshold of; body text is refined."""
    over = scores / np.maximum(np.array(config.thresholds, np.float32), 1e-6)
    best = over.argmax(axis=1)
    is_named = over[np.arange(len(blocks)), best] >= 1
    roles = [Role.BOILERPLATE] * len(blocks)
    of_text = np.zeros(len(blocks), np.float32)
    for place, kind in enumerate(config.classes):
        chosen = np.flatnonzero(is_named & (best == place)).tolist()
        if kind == BODY:
            of_text = scores[:, place].copy()
            kept = _refine(blocks, boxes, chosen, config) if config.refines else chosen
            of_text[np.setdiff1d(chosen, kept).astype(np.intp)] = 0
            chosen = kept
        for block in chosen:
            roles[block] = role_of_content(blocks, block) if kind == BODY else Role(kind)
    return Labels(roles, of_text.tolist())


def _refine(blocks: Blocks, boxes: Boxes, chosen: list[int], config: GcnConfig) -> list[int]:
    top, bottom = find_heights(blocks, boxes, chosen)
    lengths = [len(blocks.text[block]) for block in chosen]
    return keep_longest_group(chosen, top.tolist(), bottom.tolist(), lengths, config.gap)


def find_heights(blocks: Blocks, boxes: Boxes, chosen: list[int]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Upper and lower edges of some blocks on the page."""
    first = [blocks.first[block] for block in chosen]
    last = [blocks.last[block] for block in chosen]
    return boxes.y[first], np.maximum((boxes.y + boxes.height)[first], (boxes.y + boxes.height)[last])
