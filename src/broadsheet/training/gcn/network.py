"""The graph network in torch. `methods/gcn/network.py` is the same network in NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import EXTRA_NUMBERS, NUMBERS, TAG_COLUMNS
from broadsheet.training.gcn.graphs import Graphs

WORD_COLUMNS = 200
Tensor = Any  # torch is imported when it is used


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some pages as one graph of several trees. Rows are counted from 0."""

    tag: Tensor  # (nodes, 8)
    numbers: Tensor  # (nodes, 7 or 12)
    text_row: Tensor
    text_vector: Tensor  # (texts, 200)
    name_row: Tensor
    name_index: Tensor
    name_vector: Tensor  # (distinct names, 200)
    child: Tensor
    parent: Tensor
    norm: Tensor  # (edges, 1)
    label: Tensor  # (nodes, classes)
    counts: Tensor  # (nodes,)


def make_batch(graphs: Graphs, first: int, last: int, tag_vectors: NDArray[np.float32], config: GcnConfig) -> Batch:
    """Make a batch of pages first to last - 1. `tag_vectors` are those of graphs.tags."""
    torch = import_extra("torch", "train")
    nodes = slice(int(graphs.node_start[first]), int(graphs.node_start[last]))
    texts = slice(int(graphs.text_start[first]), int(graphs.text_start[last]))
    names = slice(int(graphs.name_start[first]), int(graphs.name_start[last]))
    if not config.reads_names:
        names = slice(0, 0)
    parents = np.where(graphs.parent[nodes] < 0, -1, graphs.parent[nodes] - nodes.start)
    child = np.flatnonzero(parents >= 0)
    parent = parents[child]
    degree = 1.0 + np.bincount(parent, minlength=len(parents))
    norm = (1 / np.sqrt(degree[parent] * degree[child])).astype(np.float32)
    distinct_names, name_index = np.unique(graphs.name_index[names], return_inverse=True)
    columns = len(NUMBERS) + (len(EXTRA_NUMBERS) if config.has_extra_numbers else 0)
    as_tensor = torch.from_numpy
    return Batch(
        tag=as_tensor(tag_vectors[graphs.tag[nodes]]),
        numbers=as_tensor(graphs.numbers[nodes, :columns].copy()),
        text_row=as_tensor(graphs.text_row[texts].astype(np.int64) - nodes.start),
        text_vector=as_tensor(graphs.text_vector[texts].astype(np.float32)),
        name_row=as_tensor(graphs.name_row[names].astype(np.int64) - nodes.start),
        name_index=as_tensor(name_index.astype(np.int64)),
        name_vector=as_tensor(graphs.name_vector[distinct_names].astype(np.float32)),
        child=as_tensor(child.astype(np.int64)),
        parent=as_tensor(parent.astype(np.int64)),
        norm=as_tensor(norm[:, np.newaxis]),
        label=as_tensor(graphs.label[nodes].astype(np.float32)),
        counts=as_tensor(graphs.counts[nodes].astype(np.float32)),
    )


def make_network(config: GcnConfig, dropout: float) -> Any:
    """Make a network with random weights (Equations 2 to 5)."""
    torch = import_extra("torch", "train")

    class Network(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            width = count_columns(config)
            for layer in range(config.layers):
                self._add_layer(f"layer{layer}_0", 3 * width, config.hidden)
                self._add_layer(f"layer{layer}_1", config.hidden, config.hidden)
                width = config.hidden
            outputs = len(config.classes) + config.is_exclusive
            self._add_layer("classes", width, outputs)

        def _add_layer(self, name: str, rows: int, columns: int) -> None:
            weights = torch.empty(rows, columns)
            torch.nn.init.kaiming_uniform_(weights.T, nonlinearity="relu")
            self.register_parameter(f"{name}_w", torch.nn.Parameter(weights))
            if config.has_bias:
                self.register_parameter(f"{name}_b", torch.nn.Parameter(torch.zeros(columns)))

        def forward(self, batch: Batch) -> Tensor:
            hidden = project_features(batch, _arrange_products(self.layer0_0_w), config)
            for layer in range(config.layers):
                if layer:
                    hidden = hidden @ _arrange_products(self._get(f"layer{layer}_0_w"))
                hidden = torch.relu(self._add_bias(_convolve(batch, hidden), f"layer{layer}_0"))
                hidden = torch.relu(self._add_bias(hidden @ self._get(f"layer{layer}_1_w"), f"layer{layer}_1"))
                hidden = torch.nn.functional.dropout(hidden, dropout, self.training)
            return self._add_bias(hidden @ self.classes_w, "classes")

        def _get(self, name: str) -> Tensor:
            return getattr(self, name)

        def _add_bias(self, values: Tensor, name: str) -> Tensor:
            return values + self._get(f"{name}_b") if config.has_bias else values

    return Network()


def count_columns(config: GcnConfig) -> int:
    """Return the number of features of a node: 215 as published."""
    words = WORD_COLUMNS * (2 if config.reads_names else 1)
    return TAG_COLUMNS + words + len(NUMBERS) + (len(EXTRA_NUMBERS) if config.has_extra_numbers else 0)


def import_arrays(network: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Set the weights of a network from the arrays that `export_arrays` returns."""
    torch = import_extra("torch", "train")
    names = {_rename(name): name for name in network.state_dict()}
    network.load_state_dict(
        {name: torch.from_numpy(np.asarray(arrays[key], np.float32).copy()) for key, name in names.items()}
    )


def export_arrays(network: Any) -> dict[str, NDArray[np.float32]]:
    """Return the weights under the names of the NumPy network: layer0_0_w becomes layer0.w0."""
    arrays = {}
    for name, values in network.state_dict().items():
        arrays[_rename(name)] = values.detach().numpy().astype(np.float32).copy()
    return arrays


def _rename(name: str) -> str:
    parts = name.split("_")
    return f"{parts[0]}.{parts[-1]}" + (parts[1] if len(parts) == 3 else "")


def _arrange_products(weights: Tensor) -> Tensor:
    """Put Wa, Wb and Wc side by side, so that one product computes H Wa, H Wb and H Wc."""
    torch = import_extra("torch", "train")
    return torch.cat(torch.chunk(weights, 3), dim=1)


def project_features(batch: Batch, weights: Tensor, config: GcnConfig) -> Tensor:
    """Return X times weights, from the parts of the feature matrix X: (nodes, columns of the weights)."""
    names = WORD_COLUMNS if config.reads_names else 0
    sizes = [TAG_COLUMNS, WORD_COLUMNS, names, len(weights) - TAG_COLUMNS - WORD_COLUMNS - names]
    of_tag, of_text, of_names, of_numbers = weights.split(sizes)
    projected = batch.tag @ of_tag + batch.numbers @ of_numbers
    projected = projected.index_add(0, batch.text_row, batch.text_vector @ of_text)
    if names:
        projected = projected.index_add(0, batch.name_row, (batch.name_vector @ of_names)[batch.name_index])
    return projected


def _convolve(batch: Batch, projected: Tensor) -> Tensor:
    """Return H Wa + Â(H Wb) + Âᵀ(H Wc), given the three products side by side."""
    node, children, parents = projected.chunk(3, dim=1)
    convolved = node.index_add(0, batch.parent, children[batch.child] * batch.norm)
    return convolved.index_add(0, batch.child, parents[batch.parent] * batch.norm)
