"""The paper's baselines over the same features, without the graph: for its table, never shipped (section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import NUMBERS
from broadsheet.training.gcn.fit import arrange_tags
from broadsheet.training.gcn.graphs import Graphs
from broadsheet.training.gcn.network import Batch, Tensor, count_columns, project_features
from broadsheet.training.gcn.tags import TagVectors

MLP_WIDTH = 128
SVC_NODES = 8_000  # that the SVC learns from, half of them article text where there are as many: it is quadratic


def make_mlp(config: GcnConfig, dropout: float) -> Any:
    """Make the multi-layer network: three layers, 128 wide, otherwise as the graph network."""
    torch = import_extra("torch", "train")

    class Mlp(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first = torch.nn.Parameter(torch.empty(count_columns(config), MLP_WIDTH))
            torch.nn.init.kaiming_uniform_(self.first.T, nonlinearity="relu")
            self.bias = torch.nn.Parameter(torch.zeros(MLP_WIDTH))
            self.others = torch.nn.ModuleList(torch.nn.Linear(MLP_WIDTH, MLP_WIDTH) for _ in range(2))
            self.classes = torch.nn.Linear(MLP_WIDTH, len(config.classes))

        def forward(self, batch: Batch) -> Tensor:
            hidden = torch.relu(project_features(batch, self.first, config) + self.bias)
            hidden = torch.nn.functional.dropout(hidden, dropout, self.training)
            for layer in self.others:
                hidden = torch.nn.functional.dropout(torch.relu(layer(hidden)), dropout, self.training)
            return self.classes(hidden)

    return Mlp()


class Svc:
    """A support vector classifier with a radial basis function.

    It learns from a sample, and is asked of text nodes alone: other nodes never are article text.
    """

    def __init__(self, seed: int) -> None:
        svm = import_extra("sklearn.svm", "train")
        preprocessing = import_extra("sklearn.preprocessing", "train")
        self._seed = seed
        self._scale = preprocessing.StandardScaler()
        self._machine = svm.SVC(kernel="rbf", random_state=seed, class_weight="balanced")

    def fit(self, graphs: Sequence[Graphs], tags: TagVectors) -> None:
        """Learn from text nodes of some pages."""
        rows = [np.hstack((assemble(each, tags), _text_labels(each))) for each in graphs]
        counted = [each.counts[each.text_row] > 0 for each in graphs]
        table = np.concatenate([own[keep] for own, keep in zip(rows, counted, strict=True)])
        random = np.random.default_rng(self._seed)
        chosen = []
        for kind in (0, 1):
            of_kind = np.flatnonzero(table[:, -1] == kind)
            chosen.append(random.permutation(of_kind)[: SVC_NODES // 2])
        sample = table[np.concatenate(chosen)]
        self._machine.fit(self._scale.fit_transform(sample[:, :-1]), sample[:, -1].astype(int))

    def predict(self, graphs: Graphs, tags: TagVectors) -> NDArray[np.float32]:
        """Give each node a number from 0 to 1: 0.5 is the border; 0 for nodes without text."""
        found = np.zeros((len(graphs.tag), 1), np.float32)
        if len(graphs.text_row):
            margin = self._machine.decision_function(self._scale.transform(assemble(graphs, tags)))
            found[graphs.text_row, 0] = 0.5 * (1 + np.tanh(margin))
        return found


def assemble(graphs: Graphs, tags: TagVectors) -> NDArray[np.float32]:
    """All 215 features of the text nodes."""
    rows = graphs.text_row
    parts = (
        arrange_tags(graphs, tags)[graphs.tag[rows]],
        graphs.text_vector.astype(np.float32),
        graphs.numbers[rows, : len(NUMBERS)],
    )
    return np.hstack(parts)


def _text_labels(graphs: Graphs) -> NDArray[np.float32]:
    return graphs.label[graphs.text_row, :1].astype(np.float32)
