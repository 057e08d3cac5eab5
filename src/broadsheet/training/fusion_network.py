"""The block network in torch, for training: the same sums as `models/block_network.py`, with dropout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn


POOLED_LEVELS = 4
GAP = 40  # empty blocks between two pages of a batch: more than any layer reaches


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of the network, and how it is kept from learning by heart."""

    width: int = 48
    name_columns: int = 16
    phrase_columns: int = 8
    tag_columns: int = 8
    outer_tag_columns: int = 4
    reach: tuple[int, ...] = (1, 2, 4, 8)
    pool_before: int = 2
    dropout: float = 0.3
    drop_all_names: float = 0.4  # share of pages that are shown without class names
    drop_name: float = 0.3  # share of names that a page is shown without
    drop_phrase: float = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Names and phrases that enough sites use, and all tags and datasets."""

    names: NDArray[np.uint32]  # sorted
    phrases: NDArray[np.uint32]  # sorted
    tags: tuple[str, ...]
    datasets: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some pages in a row, with gaps."""

    values: Tensor  # (n, measures)
    is_block: Tensor  # (n, 1)
    first: Tensor  # (n, levels + 1): the last level is the page
    after: Tensor
    place: Tensor  # (n,)
    phrases: Tensor  # (n, slots)
    near: tuple[Tensor, Tensor]  # words and where each place's begin
    far: tuple[Tensor, Tensor, Tensor]  # and their weights
    tag: Tensor  # (p,)
    outer_tag: Tensor
    dataset: Tensor  # (n,)
    target: Tensor  # (n, roles)
    weight: Tensor  # (n, roles)


class Network(nn.Module):
    """The trainable network."""

    def __init__(self, measures: int, vocabulary: Vocabulary, shape: Shape, roles: int) -> None:
        super().__init__()
        self.shape = shape
        width, wide = shape.width, shape.name_columns
        bag = {"mode": "sum", "padding_idx": 0}
        self.near = nn.EmbeddingBag(len(vocabulary.names) + 1, wide, **bag)
        self.far = nn.EmbeddingBag(len(vocabulary.names) + 1, wide, **bag)
        self.phrases = nn.EmbeddingBag(len(vocabulary.phrases) + 1, shape.phrase_columns, **bag)
        self.tag = nn.Embedding(len(vocabulary.tags) + 1, shape.tag_columns)
        self.outer_tag = nn.Embedding(len(vocabulary.tags) + 1, shape.outer_tag_columns)
        self.convention = nn.Embedding(len(vocabulary.datasets) + 1, width, padding_idx=0)
        for table in (self.near, self.far, self.phrases, self.tag, self.outer_tag):
            nn.init.normal_(table.weight, 0, 0.05)
        for table in (self.near, self.far, self.phrases):
            nn.init.zeros_(table.weight[0])
        nn.init.zeros_(self.convention.weight)
        place = 2 * wide + shape.tag_columns + shape.outer_tag_columns
        self.mix = nn.Linear(measures + place + shape.phrase_columns, width)
        self.convs = nn.ModuleList(nn.Conv1d(width, width, 3, padding=reach, dilation=reach) for reach in shape.reach)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in shape.reach)
        self.pool = nn.Linear(width * (POOLED_LEVELS + 2), width)
        self.hidden = nn.Linear(width, width)
        self.out = nn.Linear(width, roles)
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, batch: Batch) -> Tensor:
        """Logits: (n, roles)."""
        near = torch.tanh(self.near(*batch.near))
        far = torch.tanh(self.far(batch.far[0], batch.far[1], per_sample_weights=batch.far[2]))
        places = torch.cat((near, far, self.tag(batch.tag), self.outer_tag(batch.outer_tag)), 1)[batch.place]
        inputs = torch.cat((batch.values, places, torch.tanh(self.phrases(batch.phrases))), 1)
        state = torch.relu(self.mix(self.dropout(inputs)) + self.convention(batch.dataset)) * batch.is_block
        for number, (conv, norm) in enumerate(zip(self.convs, self.norms, strict=True)):
            if number == self.shape.pool_before:
                state = state + torch.relu(self.pool(self._gather(state, batch))) * batch.is_block
            seen = norm(conv(state.T[None])[0].T)
            state = state + self.dropout(torch.relu(seen)) * batch.is_block
        logits: Tensor = self.out(torch.relu(self.hidden(state)))
        return logits

    def _gather(self, state: Tensor, batch: Batch) -> Tensor:
        running = torch.cat((state.new_zeros(1, state.shape[1]).double(), torch.cumsum(state.double(), 0)))
        size = (batch.after - batch.first).clamp(min=1)[:, :, None]
        means = (running[batch.after] - running[batch.first]) / size  # (n, levels + 1, width)
        return torch.cat((state, means.flatten(1).float()), 1)
