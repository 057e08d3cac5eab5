"""The graph convolutional network (section 4) in NumPy.

A layer maps Z = CONCAT(H, ÂH, ÂᵀH) by W0 (Equations 2 to 4). The three parts of Z meet different rows of W0, so H is
projected by each of the three first, and only the narrow results are summed over children and handed down from parents:
the same sums, 20 wide in place of 215.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.embeddings import WordVectors
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import TAG_COLUMNS, NodeFeatures
from broadsheet.models.multiply import multiply
from broadsheet.models.segments import Segments, make_segments

Floats = NDArray[np.float32]


class GcnNetwork:
    """A trained network, ready to be asked."""

    def __init__(
        self, config: GcnConfig, arrays: Mapping[str, NDArray[Any]], tags: list[str], words: WordVectors
    ) -> None:
        self.config = config
        self._arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
        self._tag_place = {tag: place for place, tag in enumerate(tags)}
        first = spread(self._arrays["layer0.w0"])  # (215 or more, 3 x hidden)
        parts = _split_rows(first, words.columns, config)
        vectors = self._arrays["tags"]  # (tags, 8); unknown tags have the null vector, as the last row
        self._tag_part = np.vstack((vectors, np.zeros((1, TAG_COLUMNS), np.float32))) @ parts.tag
        self._number_part = parts.numbers
        # Sentences are linear in their words: the words are projected once, and so are never 200 wide.
        # A text hands nothing down, having no children, so that the third part of the weights never meets it.
        self._text_words = words.project(words.centring @ parts.text[:, : 2 * config.hidden])
        self._name_words = words.project(words.centring @ parts.names) if config.reads_names else None
        self._spread = [spread(self._arrays[f"layer{layer}.w0"]) for layer in range(1, config.layers)]

    def predict(self, features: NodeFeatures) -> Floats:
        """Probability of each class for each node: (nodes, classes)."""
        graph = make_graph(features.parent)
        projected = self._run_first_layers(features, graph)
        return self._classify(self._map(graph.convolve(projected), self.config.layers - 1))[graph.place]

    def predict_texts(self, features: NodeFeatures) -> Floats:
        """As `predict`, but for text nodes alone: (texts, classes). The last layer need not look at the others."""
        graph = make_graph(features.parent)
        projected = self._run_first_layers(features, graph)
        of_texts = graph.convolve_leaves(projected, graph.place[features.text_rows])
        return self._classify(self._map(of_texts, self.config.layers - 1))

    def _run_first_layers(self, features: NodeFeatures, graph: Graph) -> Floats:
        """H W0 of the last layer, its three parts side by side: (nodes, 3 x hidden)."""
        projected = self._project_features(features, graph)
        for layer in range(self.config.layers - 1):
            projected = multiply(self._map(graph.convolve(projected), layer), self._spread[layer])
        return projected

    def _map(self, convolved: Floats, layer: int) -> Floats:
        """ReLU(ReLU(Z W0) W1), given Z W0 (Equation 4)."""
        hidden = self._activate(convolved, f"layer{layer}.b0")
        return self._activate(multiply(hidden, self._arrays[f"layer{layer}.w1"]), f"layer{layer}.b1")

    def _classify(self, hidden: Floats) -> Floats:
        """Equation 5."""
        logits = multiply(hidden, self._arrays["classes.w"])
        if "classes.b" in self._arrays:
            logits = logits + self._arrays["classes.b"]
        return _share_out(logits) if self.config.is_exclusive else _squash(logits)

    def _project_features(self, features: NodeFeatures, graph: Graph) -> Floats:
        """X times the first layer's weights, from what X is made of; in the order of the graph."""
        place, hidden = graph.place, self.config.hidden
        tags = np.array(list(map(self._tag_place.get, features.tags, repeat(len(self._tag_place)))))  # or unknown
        projected: Floats = np.take(self._tag_part, tags[graph.order], axis=0)
        projected += multiply(features.numbers[graph.order], self._number_part)
        if len(features.text_rows):
            projected[place[features.text_rows], : 2 * hidden] += self._text_words.sif(features.texts)
        if self._name_words is not None and features.name_rows is not None and features.name_place is not None:
            of_names = self._name_words.sif(features.names)
            projected[place[features.name_rows]] += np.take(of_names, features.name_place, axis=0)
        return projected

    def _activate(self, values: Floats, bias: str) -> Floats:
        """ReLU, in place."""
        if bias in self._arrays:
            values += self._arrays[bias]
        return np.maximum(values, 0, out=values)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The tree of a page, as sums over its edges need it: rows sorted by their parents, children side by side."""

    order: NDArray[np.intp]  # rows of the page in that order; those without a parent first
    place: NDArray[np.intp]  # of each row of the page: its place in that order
    parent: NDArray[np.intp]  # place of the parent, for all that have one
    children: Segments  # among those that have a parent
    holder: NDArray[np.intp]  # place of the parent of each run
    norm: Floats  # (edges, 1): 1 / sqrt(d_i d_j)

    def convolve(self, projected: Floats) -> Floats:
        """H Wa + Â(H Wb) + Âᵀ(H Wc), given the three products side by side: (nodes, 3 x hidden) to (nodes, hidden)."""
        width = projected.shape[1] // 3
        roots = len(projected) - len(self.parent)
        found = projected[:, :width].copy()
        found[self.holder] += self.children.sum(projected[roots:, width : 2 * width] * self.norm)
        found[roots:] += projected[self.parent, 2 * width :] * self.norm
        return found

    def convolve_leaves(self, projected: Floats, places: NDArray[np.intp]) -> Floats:
        """As `convolve`, for some rows that have a parent and no children: (rows, hidden)."""
        width = projected.shape[1] // 3
        edges = places - (len(projected) - len(self.parent))
        handed: Floats = projected[self.parent[edges], 2 * width :] * self.norm[edges]
        return handed + projected[places, :width]


def make_graph(parents: NDArray[np.intp]) -> Graph:
    """Prepare the edges of a tree; Â is the child matrix, normalised by d = 1 + number of children (Equation 2)."""
    order = np.argsort(parents, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    above = parents[order]
    roots = int(np.searchsorted(above, 0))  # rows without a parent: the first one, of a page
    parent = place[above[roots:]]
    starts = np.flatnonzero(np.diff(parent, prepend=-1))
    counts = np.diff(starts, append=len(parent))
    holder = parent[starts]
    degree = np.ones(len(order), np.float32)
    degree[holder] += counts
    norm = 1 / np.sqrt(degree[parent] * degree[roots:])
    return Graph(order, place, parent, make_segments(starts, counts), holder, norm[:, np.newaxis])


def spread(weights: Floats) -> Floats:
    """Put the three parts of W0, for H, ÂH and ÂᵀH, side by side: (3d, hidden) to (d, 3 x hidden)."""
    return np.hstack(np.split(weights, 3))


@dataclass(frozen=True, slots=True, eq=False)
class _FirstRows:
    tag: Floats
    text: Floats
    names: Floats
    numbers: Floats


def _split_rows(weights: Floats, words: int, config: GcnConfig) -> _FirstRows:
    """Part the rows of the first layer's weights by the features that they meet."""
    names = words if config.reads_names else 0
    tag, text, own_names, numbers = np.split(weights, np.cumsum([TAG_COLUMNS, words, names]))
    return _FirstRows(tag, text, own_names, numbers)


def _squash(logits: Floats) -> Floats:
    """Sigmoid, without overflow."""
    squashed: Floats = 0.5 * (1 + np.tanh(0.5 * logits))
    return squashed


def _share_out(logits: Floats) -> Floats:
    """Softmax over the classes and "none of them", which is the last column and left out."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = powers[:, :-1] / powers.sum(axis=1, keepdims=True)
    return shares
