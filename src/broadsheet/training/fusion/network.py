"""The block network in torch, for training: the same sums as `methods/fusion/network.py`, with dropout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

GAP = 40  # empty blocks between two pages of a batch: more than any layer reaches


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of the network, and how it is kept from learning by heart."""

    width: int = 48
    name_columns: int = 16
    tag_columns: int = 8
    outer_tag_columns: int = 4
    reach: tuple[int, ...] = (1, 2, 4, 8)
    pool_before: tuple[int, ...] = (
        1,
        3,
    )  # numbers of the layers before which containers are pooled; 4 is after the last
    pooled: tuple[int, ...] = (0, 2)  # which of the kept levels of containers are pooled
    dropout: float = 0.3
    drop_all_names: float = 0.4  # share of pages that are shown without class names
    drop_name: float = 0.3  # share of names that a page is shown without


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Names that enough sites use, and all tags and datasets."""

    names: NDArray[np.uint32]  # sorted
    tags: tuple[str, ...]
    datasets: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known before training."""

    vocabulary: Vocabulary
    mean: NDArray[np.float32]  # of every measure
    spread: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some pages in a row, with gaps."""

    values: Tensor  # (n, measures)
    is_block: Tensor  # (n, 1)
    first: Tensor  # (n, levels + 1): the last level is the page
    after: Tensor
    place: Tensor  # (n,)
    near: tuple[Tensor, Tensor]  # words and where each place's begin
    far: tuple[Tensor, Tensor, Tensor]  # and their weights
    tag: Tensor  # (p,)
    outer_tag: Tensor
    dataset: Tensor  # (n,)
    target: Tensor  # (n, roles)
    weight: Tensor  # (n, roles)
    chars: Tensor  # (n,) what a block counts in a page's F1: 0 where its label is not known
    page: Tensor  # (n,) number of its page in the batch


class Network(nn.Module):  # type: ignore[misc]  # torch is not there when types are checked
    """The trainable network."""

    def __init__(self, measures: int, vocabulary: Vocabulary, shape: Shape, roles: int) -> None:
        super().__init__()
        self.shape = shape
        width, wide = shape.width, shape.name_columns
        bag = {"mode": "sum", "padding_idx": 0}
        self.near = nn.EmbeddingBag(len(vocabulary.names) + 1, wide, **bag)
        self.far = nn.EmbeddingBag(len(vocabulary.names) + 1, wide, **bag)
        self.tag = nn.Embedding(len(vocabulary.tags) + 1, shape.tag_columns)
        self.outer_tag = nn.Embedding(len(vocabulary.tags) + 1, shape.outer_tag_columns)
        self.convention = nn.Embedding(len(vocabulary.datasets) + 1, width, padding_idx=0)
        for table in (self.near, self.far, self.tag, self.outer_tag):
            nn.init.normal_(table.weight, 0, 0.05)
        for table in (self.near, self.far):
            nn.init.zeros_(table.weight[0])
        nn.init.zeros_(self.convention.weight)
        place = 2 * wide + shape.tag_columns + shape.outer_tag_columns
        self.mix = nn.Linear(measures + place, width)
        self.convs = nn.ModuleList(nn.Conv1d(width, width, 3, padding=reach, dilation=reach) for reach in shape.reach)
        self.pools = nn.ModuleList(nn.Linear(width * (len(shape.pooled) + 2), width) for _ in shape.pool_before)
        self.hidden = nn.Linear(width, width)
        self.out = nn.Linear(width, roles)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Logits: (n, roles)."""
        near = torch.tanh(self.near(*batch.near))
        far = torch.tanh(self.far(batch.far[0], batch.far[1], per_sample_weights=batch.far[2]))
        places = torch.cat((near, far, self.tag(batch.tag), self.outer_tag(batch.outer_tag)), 1)[batch.place]
        inputs = torch.cat((batch.values, places), 1)
        state = torch.relu(self.mix(self.dropout(inputs)) + self.convention(batch.dataset)) * batch.is_block
        pools = dict(zip(self.shape.pool_before, self.pools, strict=True))
        for number in range(len(self.convs) + 1):
            if number in pools:
                seen = torch.relu(pools[number](self._gather(state, batch)))
                state = state + self.dropout(seen) * batch.is_block
            if number < len(self.convs):
                seen = self.convs[number](state.T[None])[0].T
                state = state + self.dropout(torch.relu(seen)) * batch.is_block
        logits: Tensor = self.out(torch.relu(self.hidden(state)))
        return logits

    def _gather(self, state: Tensor, batch: Batch) -> Tensor:
        running = torch.cat((state.new_zeros(1, state.shape[1]).double(), torch.cumsum(state.double(), 0)))
        levels = [*self.shape.pooled, -1]
        first, after = batch.first[:, levels], batch.after[:, levels]
        means = (running[after] - running[first]) / (after - first).clamp(min=1)[:, :, None]  # (n, levels + 1, width)
        return torch.cat((state, means.flatten(1).float()), 1)
