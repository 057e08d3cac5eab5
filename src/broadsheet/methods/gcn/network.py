"""The graph convolutional network (section 4) in NumPy.

A layer maps Z = CONCAT(H, ÂH, ÂᵀH) by W0 (Equations 2 to 4). The three parts of Z meet different rows of W0, so H is
projected by each of the three first, and only the narrow results are summed over children and handed down from parents:
the same sums, 20 wide in place of 215.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.embeddings import WordVectors
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import TAG_COLUMNS, NodeFeatures

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
        self._text_words = words.project(words.centring @ parts.text)
        self._name_words = words.project(words.centring @ parts.names) if config.reads_names else None

    def predict(self, features: NodeFeatures) -> Floats:
        """Probability of each class for each node: (nodes, classes)."""
        graph = make_graph(features.parent)
        arrays = self._arrays
        hidden = self._project_features(features)
        for layer in range(self.config.layers):
            if layer:
                hidden = hidden @ spread(arrays[f"layer{layer}.w0"])
            hidden = graph.convolve(hidden)
            hidden = self._activate(hidden, f"layer{layer}.b0")
            hidden = self._activate(hidden @ arrays[f"layer{layer}.w1"], f"layer{layer}.b1")
        logits = hidden @ arrays["classes.w"]
        if "classes.b" in arrays:
            logits = logits + arrays["classes.b"]
        return _share_out(logits) if self.config.is_exclusive else _squash(logits)

    def _project_features(self, features: NodeFeatures) -> Floats:
        """X times the first layer's weights, from what X is made of."""
        unknown, place = len(self._tag_place), self._tag_place
        projected = self._tag_part[[place.get(tag, unknown) for tag in features.tags]]
        projected += features.numbers @ self._number_part
        if len(features.text_rows):
            projected[features.text_rows] += self._text_words.sif(features.texts)
        if self._name_words is not None and features.name_rows is not None and features.name_place is not None:
            projected[features.name_rows] += self._name_words.sif(features.names)[features.name_place]
        return projected

    def _activate(self, values: Floats, bias: str) -> Floats:
        """ReLU, in place."""
        if bias in self._arrays:
            values += self._arrays[bias]
        return np.maximum(values, 0, out=values)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The tree of a page, as sums over its edges need it."""

    child: NDArray[np.intp]  # all rows but the root, those of one parent side by side
    parent: NDArray[np.intp]  # of each of these
    starts: NDArray[np.intp]  # where the children of a parent begin
    holder: NDArray[np.intp]  # that parent
    norm: Floats  # (edges, 1): 1 / sqrt(d_i d_j)

    def convolve(self, projected: Floats) -> Floats:
        """H Wa + Â(H Wb) + Âᵀ(H Wc), given the three products side by side: (nodes, 3 x hidden) to (nodes, hidden)."""
        width = projected.shape[1] // 3
        found = projected[:, :width].copy()
        if len(self.child):
            of_children = projected[self.child, width : 2 * width] * self.norm
            found[self.holder] += np.add.reduceat(of_children, self.starts, axis=0)
            found[self.child] += projected[self.parent, 2 * width :] * self.norm  # a row has one parent
        return found


def make_graph(parents: NDArray[np.intp]) -> Graph:
    """Prepare the edges of a tree; Â is the child matrix, normalised by d = 1 + number of children (Equation 2)."""
    child = np.flatnonzero(parents >= 0)
    parent = parents[child]
    order = np.argsort(parent, kind="stable")
    child, parent = child[order], parent[order]
    degree = (1 + np.bincount(parent, minlength=len(parents))).astype(np.float32)
    is_first = np.ones(len(parent), bool)
    is_first[1:] = parent[1:] != parent[:-1]
    starts = np.flatnonzero(is_first)
    norm = 1 / np.sqrt(degree[parent] * degree[child])
    return Graph(child, parent, starts, parent[starts], norm[:, np.newaxis])


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
