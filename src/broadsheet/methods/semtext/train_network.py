"""SemText's network in torch (sections III-E and III-F): convolutions over word vectors, BiLSTM, CRF of two labels.

The word vectors are constant, so a convolution is a sum of table rows: the words of a batch are multiplied by the
filters once, each distinct string is convolved once, and only the windows with the maximum response get a gradient.
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
from broadsheet.methods.semtext.train_data import Ragged

# Strings are padded to one of these lengths: few groups, little padding. Zeros at the end do not change the result, as
# long as no string is padded beyond the maximum length of the document.
_PADDED_LENGTHS = np.array((0, 1, 2, 3, 4, 6, 8, 11, 15, 20, 28, 40))


@dataclass(frozen=True, slots=True, eq=False)
class StringBatch:
    """The distinct strings of a batch, grouped by padded length, as rows of `words`."""

    words: Tensor  # (words, dimensions): their vectors; the last one is zero
    groups: Sequence[Tensor]  # (strings, length): rows of `words`
    order: Tensor  # index of each string in the concatenated groups

    @property
    def padding(self) -> int:
        """The row of the zero vector."""
        return len(self.words) - 1


def gather_strings(ragged: Ragged, numbers: NDArray[Any], vectors: Tensor, max_words: int) -> StringBatch:
    """Collect the strings of a batch. `vectors` has a row for each word of the vocabulary."""
    starts, lengths = ragged.starts[numbers], np.minimum(ragged.lengths[numbers], max_words)
    sizes = np.append(_PADDED_LENGTHS[max_words > _PADDED_LENGTHS], max_words)
    padded_lengths = sizes[np.searchsorted(sizes, lengths)]
    order = np.argsort(padded_lengths, kind="stable")
    used, rows = np.unique(ragged.values[_join_ranges(starts[order], lengths[order])], return_inverse=True)
    words = torch.zeros(len(used) + 1, vectors.shape[1])
    words[:-1] = vectors[torch.from_numpy(used.astype(np.int64))].float()
    groups, start = [], 0
    for size in np.unique(padded_lengths).tolist():
        group_lengths = lengths[order][padded_lengths[order] == size]
        matrix = np.full((len(group_lengths), size), len(used), np.int64)
        end = start + int(group_lengths.sum())
        matrix[np.arange(size) < group_lengths[:, None]] = rows[start:end]
        groups.append(torch.from_numpy(matrix))
        start = end
    index = np.empty(len(order), np.int64)
    index[order] = np.arange(len(order))
    return StringBatch(words, groups, torch.from_numpy(index))


def hide_words(batch: StringBatch, share: float) -> StringBatch:
    """Replace a share of the words by padding, so that the network does not memorize pages."""
    groups = [torch.where(torch.rand(rows.shape) < share, batch.padding, rows) for rows in batch.groups]
    return StringBatch(batch.words, groups, batch.order)


def _join_ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)


class _MaxConvolution(torch.autograd.Function):  # type: ignore[misc]
    """Convolve and take the maximum, given the response of each filter to each word at each offset."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, groups: Sequence[Tensor], padding: int, max_words: int) -> Tensor:
        width, _, filters = table.shape
        look_up = torch.nn.functional.embedding
        pooled, winners = [], []
        for rows in groups:
            length = rows.shape[1]
            windows = max(min(length, max_words - width + 1), 1)
            padded = torch.nn.functional.pad(rows, (0, width), value=padding)
            total = look_up(padded[:, :windows], table[0])
            for offset in range(1, width):
                total += look_up(padded[:, offset : offset + windows], table[offset])
            best, winner = total.max(1)  # (strings, filters)
            if length <= max_words - width:  # the string is padded by at least one window of zeros, with response 0
                winner = torch.where(best > 0, winner, length)
                best = best.clamp_min(0)
            pooled.append(best)
            winners.append((padded, winner))
        ctx.winners, ctx.shape = winners, table.shape
        return torch.cat(pooled) if pooled else table.new_zeros(0, filters)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        width, words, filters = ctx.shape
        table = gradient.new_zeros(width, words * filters)
        column = torch.arange(filters)
        start = 0
        for padded, winner in ctx.winners:
            end = start + len(padded)
            group_gradient = gradient[start:end].reshape(-1)
            for offset in range(width):
                index = padded.gather(1, winner + offset) * filters + column
                table[offset].scatter_add_(0, index.reshape(-1), group_gradient)
            start = end
        return table.view(width, words, filters), None, None, None


class StringEncoder(nn.Module):  # type: ignore[misc]
    """Filters for one kind of string: kernels of several widths, and the maximum response of each (III-E)."""

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
        """Encode distinct strings: (strings, filters)."""
        responses = []
        for kernel, bias in zip(self.kernels, self.biases, strict=True):
            table = torch.matmul(batch.words, kernel)  # (width, words, filters)
            pooled = _MaxConvolution.apply(table, batch.groups, batch.padding, self.config.max_words)
            responses.append(pooled + bias)
        encoded = torch.cat(responses, 1)[batch.order]
        return encoded.relu() if self.config.has_relu else encoded


class TrainableSemtext(nn.Module):  # type: ignore[misc]
    """Computes the log-odds of "main" for each unit of a batch of sequences, and the chain over them."""

    def __init__(self, config: SemtextConfig, dimensions: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.config = config
        self.encoders = nn.ModuleDict({kind: StringEncoder(config, dimensions) for kind in config.strings})
        inputs = config.filters * len(config.strings) + (len(FEATURES) if config.has_features else 0)
        # One LSTM per direction, on padded sequences: torch is several times slower on packed ones.
        self.lstm = nn.ModuleList([nn.LSTM(inputs, config.hidden) for _ in range(2)])
        self.output = nn.Linear(2 * config.hidden, 1)
        self.dropout = nn.Dropout(dropout)
        self.transitions = nn.Parameter(torch.zeros(2, 2))  # (from, to)
        self.ends = nn.Parameter(torch.zeros(2, 2))  # (first and last unit, label)

    def forward(
        self,
        strings: dict[str, tuple[StringBatch, Tensor]],  # kind -> distinct strings, string of each unit
        features: Tensor,  # (units, features)
        lengths: Sequence[int],  # of the sequences that the units form
    ) -> Tensor:
        """Return the log-odds of every unit, before the chain: (units,)."""
        parts = [self.encoders[kind](batch)[of_unit] for kind, (batch, of_unit) in strings.items()]
        if self.config.has_features:
            parts.append(features)
        inputs = self.dropout(torch.cat(parts, 1))
        layout = _lay_out(lengths)
        padded = torch.cat((inputs, inputs.new_zeros(1, inputs.shape[1])))
        forward, backward = self.lstm
        ahead = forward(padded[layout.forward])[0].flatten(0, 1)[layout.forward_index]
        behind = backward(padded[layout.backward])[0].flatten(0, 1)[layout.backward_index]
        hidden = torch.cat((ahead, behind), 1)  # (units, 2 x hidden)
        scores: Tensor = self.output(self.dropout(hidden)).squeeze(1)
        return scores

    def measure_loss(self, scores: Tensor, gold: Tensor, lengths: Sequence[int]) -> Tensor:
        """Return the negative log-likelihood of the labels per sequence. An unknown label may be either."""
        emissions = torch.stack((torch.zeros_like(scores), scores), 1)
        is_wrong = torch.stack((gold == 1, gold == 0), 1)
        allowed = emissions.masked_fill(is_wrong, _LOG_ZERO)
        layout = _lay_out(lengths).forward
        is_unit = layout < len(scores)
        total = [self._sum_chains(_pad(values, layout), is_unit, values[layout[0]]) for values in (emissions, allowed)]
        return total[0] - total[1]

    def _sum_chains(self, emissions: Tensor, is_unit: Tensor, first: Tensor) -> Tensor:
        """Return the logarithm of the sum over all chains of labels. The step matrices are multiplied pairwise."""
        identity = emissions.new_tensor([[0.0, _LOG_ZERO], [_LOG_ZERO, 0.0]])
        steps = self.transitions + emissions.unsqueeze(2)  # (time, sequences, from, to)
        steps = torch.where(is_unit[..., None, None], steps, identity)[1:]
        while len(steps) > 1:
            if len(steps) % 2:
                steps = torch.cat((steps, identity.expand(1, *steps.shape[1:])))
            steps = torch.logsumexp(steps[0::2].unsqueeze(4) + steps[1::2].unsqueeze(2), 3)
        total = self.ends[0] + first
        if len(steps):
            total = torch.logsumexp(total.unsqueeze(2) + steps[0], 1)
        return torch.logsumexp(total + self.ends[1], 1)


_LOG_ZERO = -1e4  # instead of minus infinity, whose gradients are not numbers


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    """Units arranged as (time, sequences), in both directions."""

    forward: Tensor  # unit at each time of each sequence; the number of units for padding
    backward: Tensor
    forward_index: Tensor  # of each unit in the flattened arrangement
    backward_index: Tensor


def _lay_out(lengths: Sequence[int]) -> _Layout:
    sizes = np.array(lengths)
    starts = np.cumsum(sizes) - sizes
    time = np.arange(sizes.max())[:, None]
    units = int(sizes.sum())
    forward = np.where(time < sizes, starts + time, units)
    backward = np.where(time < sizes, starts + sizes - 1 - time, units)
    sequence = np.repeat(np.arange(len(sizes)), sizes)
    unit_time = np.arange(units) - starts[sequence]
    forward_index = unit_time * len(sizes) + sequence
    backward_index = (sizes[sequence] - 1 - unit_time) * len(sizes) + sequence
    return _Layout(*map(torch.from_numpy, (forward, backward, forward_index, backward_index)))


def _pad(values: Tensor, layout: Tensor) -> Tensor:
    return torch.cat((values, values.new_zeros(1, values.shape[1])))[layout]
