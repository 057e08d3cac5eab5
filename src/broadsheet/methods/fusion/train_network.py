"""The block network in torch: the same computation as `network.py`, with dropout; and its way to and from arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from broadsheet.methods.fusion.network import START_WORDS, name_member_array
from broadsheet.models import Weights

GAP_BLOCKS = 8  # empty blocks between two pages of a batch: as many as any convolution reaches


@dataclass(frozen=True, slots=True)
class Shape:
    """Layer sizes and regularization of the network."""

    width: int = 64
    name_columns: int = 16  # 0: names are not used
    word_columns: int = 8
    tag_columns: int = 8
    outer_tag_columns: int = 4
    reach: tuple[int, ...] = (1, 2, 4, 8)  # dilation of each convolution
    pool_before: tuple[int, ...] = (1, 3)  # convolutions before which containers are pooled; 4 is after the last one
    pooled: tuple[int, ...] = (0, 2)  # container levels that are pooled
    dropout: float = 0.3
    drop_all_names: float = 0.4  # share of pages that are shown without class names
    drop_name: float = 0.3  # share of names that the other pages are shown without
    drop_all_words: float = 0.3  # the same for words
    drop_word: float = 0.2


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Names, words, tags and datasets that have embeddings."""

    names: NDArray[np.uint32]  # hashes of the names that enough sites use, sorted
    words: NDArray[np.uint32]  # hashes of the words that enough sites use, sorted
    tags: tuple[str, ...]
    datasets: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Preprocessing:
    """Statistics of the training pages that are fixed before training."""

    vocabulary: Vocabulary
    mean: NDArray[np.float32]  # of each feature
    spread: NDArray[np.float32]  # standard deviation of each feature


@dataclass(frozen=True, slots=True, eq=False)
class PageBatch:
    """Several pages, concatenated with gaps: n blocks and gap rows, p positions."""

    values: Tensor  # (n, features)
    words: Tensor  # (n, words): rows of the first words of each block; 0 for none and for unknown words
    word_count: Tensor  # (n, 1): number of words, at least 1
    is_block: Tensor  # (n, 1)
    first: Tensor  # (n, levels + 1): first block of each container; the last level is the page
    after: Tensor  # (n, levels + 1): block after its last one
    position: Tensor  # (n,)
    near: tuple[Tensor, Tensor]  # names of each position, and the start of each position
    far: tuple[Tensor, Tensor, Tensor]  # names of the enclosing positions, starts, and weights
    tag: Tensor  # (p,)
    outer_tag: Tensor  # (p,)
    dataset: Tensor  # (n,)
    target: Tensor  # (n, roles)
    weight: Tensor  # (n, roles)
    chars: Tensor  # (n,): weight of a block in a page's F1; 0 if its label is unknown
    page: Tensor  # (n,): number of the page in the batch


class TrainableFusion(nn.Module):  # type: ignore[misc]  # torch is not installed where types are checked
    """The trainable network."""

    def __init__(self, features: int, vocabulary: Vocabulary, shape: Shape, roles: int) -> None:
        super().__init__()
        self.shape = shape
        width, name_columns = shape.width, shape.name_columns
        bag = {"mode": "sum", "padding_idx": 0}
        names = len(vocabulary.names) + 1 if name_columns else 1
        self.near, self.far = (nn.EmbeddingBag(names, name_columns, **bag) for _ in range(2))
        self.word = nn.Embedding(len(vocabulary.words) + 1, 2 * shape.word_columns, padding_idx=0)
        self.tag = nn.Embedding(len(vocabulary.tags) + 1, shape.tag_columns)
        self.outer_tag = nn.Embedding(len(vocabulary.tags) + 1, shape.outer_tag_columns)
        self.dataset = nn.Embedding(len(vocabulary.datasets) + 1, width, padding_idx=0)
        for table in (self.near, self.far, self.tag, self.outer_tag, self.word):
            nn.init.normal_(table.weight, 0, 0.05)
        for table in (self.near, self.far, self.word):
            nn.init.zeros_(table.weight[0])
        nn.init.zeros_(self.dataset.weight)
        position_columns = 2 * name_columns + shape.tag_columns + shape.outer_tag_columns
        self.mix = nn.Linear(features + position_columns + 2 * shape.word_columns, width)
        self.convs = nn.ModuleList(nn.Conv1d(width, width, 3, padding=reach, dilation=reach) for reach in shape.reach)
        self.pools = nn.ModuleList(nn.Linear(width * (len(shape.pooled) + 2), width) for _ in shape.pool_before)
        self.hidden = nn.Linear(width, width)
        self.out = nn.Linear(width, roles)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, batch: PageBatch) -> Tensor:
        """Return logits: (n, roles)."""
        positions = [*self._sum_names(batch), self.tag(batch.tag), self.outer_tag(batch.outer_tag)]
        inputs = torch.cat((batch.values, torch.cat(positions, 1)[batch.position], self._sum_words(batch)), 1)
        state = torch.relu(self.mix(self.dropout(inputs)) + self.dataset(batch.dataset)) * batch.is_block
        pools = dict(zip(self.shape.pool_before, self.pools, strict=True))
        for number in range(len(self.convs) + 1):
            if number in pools:
                update = torch.relu(pools[number](self._pool_containers(state, batch)))
                state = state + self.dropout(update) * batch.is_block
            if number < len(self.convs):
                update = self.convs[number](state.T[None])[0].T
                state = state + self.dropout(torch.relu(update)) * batch.is_block
        logits: Tensor = self.out(torch.relu(self.hidden(state)))
        return logits

    def _sum_names(self, batch: PageBatch) -> tuple[Tensor, ...]:
        if not self.shape.name_columns:
            return ()
        far = self.far(batch.far[0], batch.far[1], per_sample_weights=batch.far[2])
        return torch.tanh(self.near(*batch.near)), torch.tanh(far)

    def _sum_words(self, batch: PageBatch) -> Tensor:
        vectors = self.word(batch.words)  # (n, words, 2 * word columns)
        columns = self.shape.word_columns
        start = vectors[:, :START_WORDS, :columns].sum(1)
        mean = vectors[:, :, columns:].sum(1) / batch.word_count
        return torch.tanh(torch.cat((start, mean), 1))

    def _pool_containers(self, state: Tensor, batch: PageBatch) -> Tensor:
        """Return each block's state beside the mean states of its containers and of the page."""
        running = torch.cat((state.new_zeros(1, state.shape[1]).double(), torch.cumsum(state.double(), 0)))
        levels = [*self.shape.pooled, -1]
        first, after = batch.first[:, levels], batch.after[:, levels]
        means = (running[after] - running[first]) / (after - first).clamp(min=1)[:, :, None]  # (n, levels + 1, width)
        return torch.cat((state, means.flatten(1).float()), 1)


@dataclass(frozen=True, slots=True, eq=False)
class ExportedNetwork:
    """Arrays in half precision, and the configuration that `methods/fusion/network.py` reads."""

    arrays: dict[str, NDArray[Any]]
    config: dict[str, Any]


def export_networks(
    networks: Sequence[TrainableFusion], preprocessing: Preprocessing, convention: int
) -> ExportedNetwork:
    """Convert networks of the same shape, and their preprocessing, to the members of one network.

    `convention` is the number of the dataset whose labelling convention the output follows.
    """
    vocabulary, shape = preprocessing.vocabulary, networks[0].shape
    arrays: dict[str, NDArray[Any]] = {
        "name_keys": vocabulary.names,
        "word_keys": vocabulary.words,
        "mean": preprocessing.mean,
        "spread": preprocessing.spread,
    }
    for member, network in enumerate(networks):
        for name, array in _list_arrays(network, convention).items():
            arrays[name_member_array(name, member)] = array
    config = {
        "members": len(networks),
        "tags": list(vocabulary.tags),
        "reach": list(shape.reach),
        "pooled": list(shape.pooled),
        "pool_before": list(shape.pool_before),
    }
    return ExportedNetwork(arrays, config)


def _list_arrays(network: TrainableFusion, convention: int) -> dict[str, NDArray[Any]]:
    layers = {"mix": network.mix, "hidden": network.hidden, "out": network.out}
    layers |= {f"pool{number}": pool for number, pool in enumerate(network.pools)}
    arrays = {
        **{name: _to_half(getattr(network, name).weight) for name in ("near", "far", "tag", "outer_tag", "word")},
        **{name: _to_half(layer.weight.T) for name, layer in layers.items()},
        **{_name_bias(name): _to_half(layer.bias) for name, layer in layers.items()},
    }
    arrays["mix_bias"] = _to_half(network.mix.bias + network.dataset.weight[convention])
    for number, conv in enumerate(network.convs):
        # (out, in, 3) in torch; (in, 3 x out) at run time: contributions to the next block, the same, the previous one.
        arrays[f"conv{number}"] = _to_half(conv.weight.permute(1, 2, 0).reshape(conv.weight.shape[1], -1))
        arrays[f"conv_bias{number}"] = _to_half(conv.bias)
    return arrays


@dataclass(frozen=True, slots=True, eq=False)
class ImportedNetworks:
    """The members of a folder of weights, and their preprocessing."""

    networks: tuple[TrainableFusion, ...]
    preprocessing: Preprocessing


def import_networks(weights: Weights) -> ImportedNetworks:
    """Convert the members of a network back. The labelling convention is part of their bias, so there is no dataset."""
    arrays, config = weights.arrays, weights.config["network"]
    vocabulary = Vocabulary(arrays["name_keys"], arrays["word_keys"], tuple(config["tags"]), ())
    preprocessing = Preprocessing(vocabulary, arrays["mean"], arrays["spread"])
    networks = []
    for member in range(config["members"]):
        state = _read_state(weights, member)
        shape = Shape(
            width=len(state["mix.bias"]),
            name_columns=state["near.weight"].shape[1],
            word_columns=state["word.weight"].shape[1] // 2,
            tag_columns=state["tag.weight"].shape[1],
            outer_tag_columns=state["outer_tag.weight"].shape[1],
            reach=tuple(config["reach"]),
            pool_before=tuple(config["pool_before"]),
            pooled=tuple(config["pooled"]),
        )
        network = TrainableFusion(len(preprocessing.mean), vocabulary, shape, len(state["out.bias"]))
        network.load_state_dict(state)
        networks.append(network.eval())
    return ImportedNetworks(tuple(networks), preprocessing)


def _read_state(weights: Weights, member: int) -> dict[str, Tensor]:
    """Return the state of a torch network."""

    def read(name: str) -> Tensor:
        return torch.from_numpy(weights.arrays[name_member_array(name, member)].astype(np.float32))

    config = weights.config["network"]
    pools = {f"pools.{number}": f"pool{number}" for number in range(len(config["pool_before"]))}
    state = {f"{name}.weight": read(name) for name in ("near", "far", "tag", "outer_tag", "word")}
    for layer, name in {"mix": "mix", "hidden": "hidden", "out": "out", **pools}.items():
        state[f"{layer}.weight"], state[f"{layer}.bias"] = read(name).T, read(_name_bias(name))
    width = len(state["mix.bias"])
    for number in range(len(config["reach"])):
        state[f"convs.{number}.weight"] = read(f"conv{number}").reshape(width, 3, width).permute(2, 0, 1)
        state[f"convs.{number}.bias"] = read(f"conv_bias{number}")
    return {**state, "dataset.weight": torch.zeros(1, width)}


def _name_bias(name: str) -> str:
    return f"pool_bias{name.removeprefix('pool')}" if name.startswith("pool") else f"{name}_bias"


def _to_half(tensor: Tensor) -> NDArray[Any]:
    array: NDArray[Any] = tensor.detach().numpy().astype(np.float16)
    return array
