"""SemText's network in torch (sections III-E and III-F): convolutions over word vectors, BiLSTM, CRF of two labels.

The word vectors stay as they are, so a convolution is a sum of looked-up rows: the words of a batch are multiplied with
the filters once, each distinct string is convolved once, and only the windows that win the maximum are learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from broadsheet.methods.semtext.config import SemtextConfig
from broadsheet.methods.semtext.features import FEATURES
from broadsheet.training.semtext.data import Ragged

# Strings are filled up to one of these lengths: few enough, and little is wasted. Zeros at the end change nothing, as
# long as they end where the document's do.
_SIZES = np.array((0, 1, 2, 3, 4, 6, 8, 11, 15, 20, 28, 40))


@dataclass(frozen=True, slots=True, eq=False)
class StringBatch:
    """Distinct strings of a batch, those of like length together, as rows of `words`."""

    words: Tensor  # words x dimensions: their vectors, the last one all zero
    groups: Sequence[Tensor]  # strings x size, rows of `words`
    order: Tensor  # where each string of the batch stands among the groups

    @property
    def empty(self) -> int:
        """The row of no word."""
        return len(self.words) - 1


def gather_strings(ragged: Ragged, numbers: NDArray[Any], vectors: Tensor, most: int) -> StringBatch:
    """Put together the strings of a batch. `vectors` has a row for each word of the vocabulary."""
    starts, lengths = ragged.starts[numbers], np.minimum(ragged.lengths[numbers], most)
    sizes = np.append(_SIZES[most > _SIZES], most)
    size_of = sizes[np.searchsorted(sizes, lengths)]
    order = np.argsort(size_of, kind="stable")
    used, rows = np.unique(ragged.values[_join_ranges(starts[order], lengths[order])], return_inverse=True)
    words = torch.zeros(len(used) + 1, vectors.shape[1])
    words[:-1] = vectors[torch.from_numpy(used.astype(np.int64))].float()
    groups, at = [], 0
    for size in np.unique(size_of).tolist():
        own = lengths[order][size_of[order] == size]
        matrix = np.full((len(own), size), len(used), np.int64)
        taken = int(own.sum())
        matrix[np.arange(size) < own[:, None]] = rows[at : at + taken]
        groups.append(torch.from_numpy(matrix))
        at += taken
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return StringBatch(words, groups, torch.from_numpy(place))


def hide_words(batch: StringBatch, share: float) -> StringBatch:
    """Put nothing in the place of a share of the words, so that the network does not learn pages by heart."""
    groups = [torch.where(torch.rand(own.shape) < share, batch.empty, own) for own in batch.groups]
    return StringBatch(batch.words, groups, batch.order)


def _join_ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)


class _MaxConvolution(torch.autograd.Function):  # type: ignore[misc]
    """Convolve and take the maximum, given what each word adds to a filter at each offset."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, groups: Sequence[Tensor], empty: int, most: int) -> Tensor:
        width, _, filters = table.shape
        look_up = torch.nn.functional.embedding
        pooled, winners = [], []
        for rows in groups:
            length = rows.shape[1]
            windows = max(min(length, most - width + 1), 1)
            padded = torch.nn.functional.pad(rows, (0, width), value=empty)
            total = look_up(padded[:, :windows], table[0])
            for offset in range(1, width):
                total += look_up(padded[:, offset : offset + windows], table[offset])
            best, where = total.max(1)  # strings x filters
            if length <= most - width:  # the string is filled up with zeros: there is a window of nothing else
                where = torch.where(best > 0, where, length)
                best = best.clamp_min(0)
            pooled.append(best)
            winners.append((padded, where))
        ctx.winners, ctx.shape = winners, table.shape
        return torch.cat(pooled) if pooled else table.new_zeros(0, filters)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        width, words, filters = ctx.shape
        table = gradient.new_zeros(width, words * filters)
        column = torch.arange(filters)
        at = 0
        for padded, where in ctx.winners:
            count = len(padded)
            own = gradient[at : at + count].reshape(-1)
            for offset in range(width):
                index = padded.gather(1, where + offset) * filters + column
                table[offset].scatter_add_(0, index.reshape(-1), own)
            at += count
        return table.view(width, words, filters), None, None, None


class StringEncoder(nn.Module):  # type: ignore[misc]
    """Filters of one kind of string: kernels of several widths, the largest response of each (III-E)."""

    def __init__(self, config: SemtextConfig, dimensions: int) -> None:
        super().__init__()
        self.config = config
        self.kernels = nn.ParameterList()
        self.biases = nn.ParameterList()
        for width, filters in config.kernels:
            bound = (width * dimensions) ** -0.5
            self.kernels.append(nn.Parameter(torch.empty(width, dimensions, filters).uniform_(-bound, bound)))
            self.biases.append(nn.Parameter(torch.zeros(filters)))

    def forward(self, batch: StringBatch) -> Tensor:
        """Encode distinct strings: strings x filters."""
        found = []
        for kernel, bias in zip(self.kernels, self.biases, strict=True):
            table = torch.matmul(batch.words, kernel)  # width x words x filters
            pooled = _MaxConvolution.apply(table, batch.groups, batch.empty, self.config.max_words)
            found.append(pooled + bias)
        encoded = torch.cat(found, 1)[batch.order]
        return encoded.relu() if self.config.has_relu else encoded


class Network(nn.Module):  # type: ignore[misc]
    """Log-odds of "main" for each unit of a batch of sequences, and the chain over them."""

    def __init__(self, config: SemtextConfig, dimensions: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.config = config
        self.encoders = nn.ModuleDict({kind: StringEncoder(config, dimensions) for kind in config.strings})
        inputs = config.filters * len(config.strings) + (len(FEATURES) if config.has_features else 0)
        # One for each direction, on sequences that are filled up: torch is several times slower on packed ones.
        self.lstm = nn.ModuleList([nn.LSTM(inputs, config.hidden) for _ in range(2)])
        self.output = nn.Linear(2 * config.hidden, 1)
        self.dropout = nn.Dropout(dropout)
        self.transitions = nn.Parameter(torch.zeros(2, 2))  # from, to
        self.ends = nn.Parameter(torch.zeros(2, 2))  # of the first and of the last label

    def forward(
        self,
        strings: dict[str, tuple[StringBatch, Tensor]],  # kind -> distinct strings, and which of them each unit has
        measures: Tensor,  # units x measures
        lengths: Sequence[int],  # of the sequences that the units make up
    ) -> Tensor:
        """Log-odds of every unit, before the chain: units."""
        parts = [self.encoders[kind](batch)[of_unit] for kind, (batch, of_unit) in strings.items()]
        if self.config.has_features:
            parts.append(measures)
        inputs = self.dropout(torch.cat(parts, 1))
        there, back, home = _lay_out(lengths)
        filled = torch.cat((inputs, inputs.new_zeros(1, inputs.shape[1])))
        ahead, behind = (lstm(filled[own])[0] for lstm, own in zip(self.lstm, (there, back), strict=True))
        hidden = torch.cat((ahead.flatten(0, 1)[home[0]], behind.flatten(0, 1)[home[1]]), 1)  # units x (2 x hidden)
        scores: Tensor = self.output(self.dropout(hidden)).squeeze(1)
        return scores

    def measure_loss(self, scores: Tensor, gold: Tensor, lengths: Sequence[int]) -> Tensor:
        """Negative log-likelihood of the labels, per sequence; an unknown label may be either."""
        emitted = torch.stack((torch.zeros_like(scores), scores), 1)
        wrong = torch.stack((gold == 1, gold == 0), 1)
        allowed = emitted.masked_fill(wrong, _NEVER)
        there, _, _ = _lay_out(lengths)
        is_there = there < len(scores)
        total = [self._add_chains(_fill(own, there), is_there, own[there[0]]) for own in (emitted, allowed)]
        return total[0] - total[1]

    def _add_chains(self, emitted: Tensor, is_there: Tensor, first: Tensor) -> Tensor:
        """Log of the sum over all chains of labels. Steps are matrices, multiplied by twos, not one after the other."""
        nothing = emitted.new_tensor([[0.0, _NEVER], [_NEVER, 0.0]])
        steps = self.transitions + emitted.unsqueeze(2)  # time x sequences x from x to
        steps = torch.where(is_there[..., None, None], steps, nothing)[1:]
        while len(steps) > 1:
            if len(steps) % 2:
                steps = torch.cat((steps, nothing.expand(1, *steps.shape[1:])))
            steps = torch.logsumexp(steps[0::2].unsqueeze(4) + steps[1::2].unsqueeze(2), 3)
        total = self.ends[0] + first
        if len(steps):
            total = torch.logsumexp(total.unsqueeze(2) + steps[0], 1)
        return torch.logsumexp(total + self.ends[1], 1)


_NEVER = -1e4  # a logarithm of nothing whose gradients are still numbers


def _lay_out(lengths: Sequence[int]) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor]]:
    """Lay units out as time x sequences, forwards and backwards, and tell where each unit then is."""
    sizes = np.array(lengths)
    starts = np.cumsum(sizes) - sizes
    time = np.arange(sizes.max())[:, None]
    empty = int(sizes.sum())
    there = np.where(time < sizes, starts + time, empty)
    back = np.where(time < sizes, starts + sizes - 1 - time, empty)
    sequence = np.repeat(np.arange(len(sizes)), sizes)
    at = np.arange(empty) - starts[sequence]
    homes = (at * len(sizes) + sequence, (sizes[sequence] - 1 - at) * len(sizes) + sequence)
    return torch.from_numpy(there), torch.from_numpy(back), (torch.from_numpy(homes[0]), torch.from_numpy(homes[1]))


def _fill(values: Tensor, there: Tensor) -> Tensor:
    return torch.cat((values, values.new_zeros(1, values.shape[1])))[there]
