"""Baselines of the graph network, with the same features. They are used in benchmarks only.

Without the graph: the support vector classifier and the MLP of section 6, and logistic regression. With an undirected
graph: Equation 1, the network of Kipf and Welling, which the paper quotes without a figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import NUMBERS
from broadsheet.methods.gcn.train_data import Graphs
from broadsheet.methods.gcn.train_network import GraphBatch, TagVectors, Tensor, count_columns, project_features

MLP_WIDTH = 128
SAMPLED_NODES = 8_000  # to learn from, half of them article text if there are enough: the SVC's time is quadratic


def make_mlp(config: GcnConfig, dropout: float) -> Any:
    """Make the multi-layer perceptron: three layers of 128 units, otherwise like the graph network."""
    torch = import_extra("torch", "train")

    class Mlp(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Parameter(torch.empty(count_columns(config), MLP_WIDTH))
            torch.nn.init.kaiming_uniform_(self.first.T, nonlinearity="relu")
            self.bias = torch.nn.Parameter(torch.zeros(MLP_WIDTH))
            self.others = torch.nn.ModuleList(torch.nn.Linear(MLP_WIDTH, MLP_WIDTH) for _ in range(2))
            self.classes = torch.nn.Linear(MLP_WIDTH, len(config.classes))

        def forward(self, batch: GraphBatch) -> Tensor:
            hidden = torch.relu(project_features(batch, self.first, config) + self.bias)
            hidden = torch.nn.functional.dropout(hidden, dropout, self.training)
            for layer in self.others:
                hidden = torch.nn.functional.dropout(torch.relu(layer(hidden)), dropout, self.training)
            return self.classes(hidden)

    return Mlp()


def make_undirected(config: GcnConfig, dropout: float) -> Any:
    """Make the network of Equation 1: each layer averages a node, its parent and its children, and has one matrix."""
    torch = import_extra("torch", "train")

    class Undirected(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            sizes = [count_columns(config), *[config.hidden] * config.layers, len(config.classes)]
            self.weights = torch.nn.ParameterList(torch.empty(rows, columns) for rows, columns in pairwise(sizes))
            for weights in self.weights:
                torch.nn.init.kaiming_uniform_(weights.T, nonlinearity="relu")

        def forward(self, batch: GraphBatch) -> Tensor:
            degree = torch.ones(len(batch.tag), 1).index_add(0, batch.parent, torch.ones(len(batch.parent), 1))
            degree = degree.index_add(0, batch.child, torch.ones(len(batch.child), 1))
            norm = degree.rsqrt()
            hidden = project_features(batch, self.weights[0], config)
            for layer in range(config.layers):
                hidden = hidden @ self.weights[layer] if layer else hidden
                scaled = hidden * norm
                mixed = scaled.index_add(0, batch.parent, scaled[batch.child])
                hidden = torch.relu(norm * mixed.index_add(0, batch.child, scaled[batch.parent]))
                hidden = torch.nn.functional.dropout(hidden, dropout, self.training)
            return hidden @ self.weights[-1]

    return Undirected()


class TextClassifier:
    """A classifier of scikit-learn.

    It learns from a sample of text nodes and predicts text nodes only: other nodes are never article text.
    """

    def __init__(self, name: str, seed: int) -> None:
        """`name` is a key of CLASSIFIERS."""
        preprocessing = import_extra("sklearn.preprocessing", "train")
        self._seed = seed
        self._scale = preprocessing.StandardScaler()
        module, _, class_name = CLASSIFIERS[name].rpartition(".")
        arguments = {"kernel": "rbf"} if name == "SVC" else {"max_iter": 1000}
        make = getattr(import_extra(module, "train"), class_name)
        self._machine = make(random_state=seed, class_weight="balanced", **arguments)

    def fit(self, graphs: Sequence[Graphs], tags: TagVectors) -> None:
        """Learn from text nodes of some pages."""
        table = np.concatenate([_list_text_nodes(part, tags) for part in graphs])
        generator = np.random.default_rng(self._seed)
        chosen = []
        for label in (0, 1):
            rows = np.flatnonzero(table[:, -1] == label)
            chosen.append(generator.permutation(rows)[: SAMPLED_NODES // 2])
        sample = table[np.concatenate(chosen)]
        self._machine.fit(self._scale.fit_transform(sample[:, :-1]), sample[:, -1].astype(int))

    def predict(self, graphs: Graphs, tags: TagVectors) -> NDArray[np.float32]:
        """Return a score from 0 to 1 for each node, with 0.5 at the decision boundary; 0 for nodes without text."""
        scores = np.zeros((len(graphs.tag), 1), np.float32)
        if len(graphs.text_row):
            margin = self._machine.decision_function(self._scale.transform(read_text_features(graphs, tags)))
            scores[graphs.text_row, 0] = 0.5 * (1 + np.tanh(margin))
        return scores


CLASSIFIERS = {"SVC": "sklearn.svm.SVC", "logistic regression": "sklearn.linear_model.LogisticRegression"}


def read_text_features(graphs: Graphs, tags: TagVectors) -> NDArray[np.float32]:
    """Return the 215 features of the text nodes."""
    rows = graphs.text_row
    parts = (
        tags.arrange(graphs.tags)[graphs.tag[rows]],
        graphs.text_vector.astype(np.float32),
        graphs.numbers[rows, : len(NUMBERS)],
    )
    return np.hstack(parts)


def _list_text_nodes(graphs: Graphs, tags: TagVectors) -> NDArray[np.float32]:
    """Return the features and, in the last column, the label of the text nodes that count."""
    labels = graphs.label[graphs.text_row, :1].astype(np.float32)
    return np.hstack((read_text_features(graphs, tags), labels))[graphs.counts[graphs.text_row] > 0]
