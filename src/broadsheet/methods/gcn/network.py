"""The graph convolutional network (section 4) in NumPy.

A layer maps Z = CONCAT(H, ÂH, ÂᵀH) by W0 (Equations 2 to 4). Each of the three parts of Z is multiplied by its own rows
of W0. H is therefore projected by all three first, and the sums over children and the copies from parents are taken of
the narrow projections: the same result with 20 columns instead of 215.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import EXTRA_NUMBERS, NUMBERS, TAG_COLUMNS, NodeFeatures
from broadsheet.models.arrays import Segments, make_segments, multiply
from broadsheet.models.config import read_setting
from broadsheet.models.weights import Weights, check_arrays
from broadsheet.models.words import WordVectors

Floats = NDArray[np.float32]


class GcnNetwork:
    """A trained network."""

    def __init__(
        self, config: GcnConfig, arrays: Mapping[str, NDArray[Any]], tags: Sequence[str], words: WordVectors
    ) -> None:
        self.config = config
        self._arrays = {name: array.astype(np.float32) for name, array in arrays.items()}
        self._tag_index = {tag: index for index, tag in enumerate(tags)}
        parts = _split_rows(spread(self._arrays["layer0.w0"]), words.columns, config)
        tag_vectors = self._arrays["tags"]  # (tags, 8); unknown tags get a row of zeros at the end
        self._tag_part = np.vstack((tag_vectors, np.zeros((1, TAG_COLUMNS), np.float32))) @ parts.tag
        self._number_part = parts.numbers
        # A sentence embedding is linear in its words: the words are projected once, and 200 columns are never summed.
        # The third part of a projection is passed on to children. Text nodes have none, so it is left out.
        self._text_words = words.project(words.centring @ parts.text[:, : 2 * config.hidden])
        self._name_words = words.project(words.centring @ parts.names) if config.reads_names else None
        self._spread_weights = [spread(self._arrays[f"layer{layer}.w0"]) for layer in range(1, config.layers)]

    def predict(self, features: NodeFeatures) -> Floats:
        """Return the probability of each class for each node: (nodes, classes)."""
        graph = make_graph(features.parent)
        projected = self._run_first_layers(features, graph)
        return self._classify(self._map(graph.convolve(projected), self.config.layers - 1))[graph.rank]

    def predict_texts(self, features: NodeFeatures) -> Floats:
        """Return the probabilities of the text nodes only: (texts, classes). The last layer skips all other nodes."""
        graph = make_graph(features.parent)
        projected = self._run_first_layers(features, graph)
        convolved = graph.convolve_leaves(projected, graph.rank[features.text_rows])
        return self._classify(self._map(convolved, self.config.layers - 1))

    def _run_first_layers(self, features: NodeFeatures, graph: Graph) -> Floats:
        """Return H W0 of the last layer, its three parts side by side: (nodes, 3 x hidden)."""
        projected = self._project_features(features, graph)
        for layer in range(self.config.layers - 1):
            projected = multiply(self._map(graph.convolve(projected), layer), self._spread_weights[layer])
        return projected

    def _map(self, convolved: Floats, layer: int) -> Floats:
        """Return ReLU(ReLU(Z W0) W1), given Z W0 (Equation 4)."""
        hidden = self._activate(convolved, f"layer{layer}.b0")
        return self._activate(multiply(hidden, self._arrays[f"layer{layer}.w1"]), f"layer{layer}.b1")

    def _classify(self, hidden: Floats) -> Floats:
        """Apply Equation 5."""
        logits = multiply(hidden, self._arrays["classes.w"])
        if self.config.has_bias:
            logits = logits + self._arrays["classes.b"]
        return _softmax(logits) if self.config.is_exclusive else _sigmoid(logits)

    def _project_features(self, features: NodeFeatures, graph: Graph) -> Floats:
        """Multiply X by the weights of the first layer without building X; rows are in the order of the graph."""
        rank, hidden = graph.rank, self.config.hidden
        tags = np.array(list(map(self._tag_index.get, features.tags, repeat(len(self._tag_index)))))
        projected: Floats = np.take(self._tag_part, tags[graph.order], axis=0)
        projected += multiply(features.numbers[graph.order], self._number_part)
        if len(features.text_rows):
            projected[rank[features.text_rows], : 2 * hidden] += self._text_words.sif(features.texts)
        if self._name_words is not None and features.name_rows is not None and features.name_index is not None:
            names = self._name_words.sif(features.names)
            projected[rank[features.name_rows]] += np.take(names, features.name_index, axis=0)
        return projected

    def _activate(self, values: Floats, bias: str) -> Floats:
        """Add the bias and apply ReLU, in place."""
        if self.config.has_bias:
            values += self._arrays[bias]
        return np.maximum(values, 0, out=values)


def read_network(weights: Weights, config: GcnConfig, words: WordVectors) -> GcnNetwork:
    """Build the network of a weights folder."""
    return GcnNetwork(config, weights.arrays, read_setting(weights, "tags", kind=tuple[str, ...]), words)


def check_network(weights: Weights, config: GcnConfig, word_columns: int) -> None:
    """Raise UsageError unless the weights contain all arrays of the network, in the right shapes."""
    tags = read_setting(weights, "tags", kind=tuple[str, ...])
    width = TAG_COLUMNS + word_columns * (2 if config.reads_names else 1) + len(NUMBERS)
    width += len(EXTRA_NUMBERS) if config.has_extra_numbers else 0
    shapes: dict[str, tuple[int | None, ...]] = {"tags": (len(tags), TAG_COLUMNS)}
    for layer in range(config.layers):
        shapes[f"layer{layer}.w0"] = (3 * width, config.hidden)
        shapes[f"layer{layer}.w1"] = (config.hidden, config.hidden)
        if config.has_bias:
            shapes[f"layer{layer}.b0"] = shapes[f"layer{layer}.b1"] = (config.hidden,)
        width = config.hidden
    outputs = len(config.classes) + config.is_exclusive
    shapes["classes.w"] = (width, outputs)
    if config.has_bias:
        shapes["classes.b"] = (outputs,)
    check_arrays(weights, shapes)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The edges of a page's tree. Nodes are sorted by their parents, so that the children of a node are adjacent."""

    order: NDArray[np.intp]  # rows of the page in that order; those without a parent first
    rank: NDArray[np.intp]  # the index in that order of each row of the page
    parent: NDArray[np.intp]  # rank of the parent, for all nodes that have one
    children: Segments  # among the nodes that have a parent
    holder: NDArray[np.intp]  # rank of the parent of each run
    norm: Floats  # (edges, 1): 1 / sqrt(d_i d_j)

    def convolve(self, projected: Floats) -> Floats:
        """Return H Wa + Â(H Wb) + Âᵀ(H Wc), given the three products side by side: (nodes, hidden)."""
        width = projected.shape[1] // 3
        roots = len(projected) - len(self.parent)
        convolved = projected[:, :width].copy()
        convolved[self.holder] += self.children.sum(projected[roots:, width : 2 * width] * self.norm)
        convolved[roots:] += projected[self.parent, 2 * width :] * self.norm
        return convolved

    def convolve_leaves(self, projected: Floats, ranks: NDArray[np.intp]) -> Floats:
        """Return `convolve` for some nodes that have a parent and no children: (nodes, hidden)."""
        width = projected.shape[1] // 3
        edges = ranks - (len(projected) - len(self.parent))
        from_parents: Floats = projected[self.parent[edges], 2 * width :] * self.norm[edges]
        return from_parents + projected[ranks, :width]


def make_graph(parents: NDArray[np.intp]) -> Graph:
    """Prepare the edges of a tree. Â is the child matrix, normalised by d = 1 + number of children (Equation 2)."""
    order = np.argsort(parents, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    sorted_parents = parents[order]
    roots = int(np.searchsorted(sorted_parents, 0))  # nodes without a parent
    parent = rank[sorted_parents[roots:]]
    starts = np.flatnonzero(np.diff(parent, prepend=-1))
    counts = np.diff(starts, append=len(parent))
    holder = parent[starts]
    degree = np.ones(len(order), np.float32)
    degree[holder] += counts
    norm = 1 / np.sqrt(degree[parent] * degree[roots:])
    return Graph(order, rank, parent, make_segments(starts, counts), holder, norm[:, np.newaxis])


def spread(weights: Floats) -> Floats:
    """Put the three parts of W0, for H, ÂH and ÂᵀH, side by side: (3d, hidden) to (d, 3 x hidden)."""
    return np.hstack(np.split(weights, 3))


@dataclass(frozen=True, slots=True, eq=False)
class _FirstLayer:
    """Rows of the first layer's weights, by the features that they are multiplied with."""

    tag: Floats
    text: Floats
    names: Floats
    numbers: Floats


def _split_rows(weights: Floats, word_columns: int, config: GcnConfig) -> _FirstLayer:
    name_columns = word_columns if config.reads_names else 0
    return _FirstLayer(*np.split(weights, np.cumsum([TAG_COLUMNS, word_columns, name_columns])))


def _sigmoid(logits: Floats) -> Floats:
    """Return the logistic function, without overflow."""
    values: Floats = 0.5 * (1 + np.tanh(0.5 * logits))
    return values


def _softmax(logits: Floats) -> Floats:
    """Return the softmax over the classes and "none of them", which is the last column and is dropped."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = powers[:, :-1] / powers.sum(axis=1, keepdims=True)
    return shares
