"""A bidirectional LSTM in NumPy: both directions and all sequences of a batch in one step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.models.multiply import multiply

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class BiLstm:
    """Weights, laid out for running: gates in the order input, forget, output, candidate.

    The first three are halved, since sigmoid(x) = (1 + tanh(x / 2)) / 2: one tanh then does for all four.
    """

    inputs: Floats  # inputs x (2 directions x 4 gates x units)
    bias: Floats  # 2 directions x 4 gates x units, flat
    recurrent: Floats  # 2 directions x units x (4 gates x units)

    @property
    def units(self) -> int:
        """Units of a direction."""
        return len(self.recurrent[0])


def make_bilstm(inputs: Sequence[Floats], recurrent: Sequence[Floats], biases: Sequence[Floats]) -> BiLstm:
    """Lay out weights of both directions, gates x ..., the gates in torch's order: input, forget, candidate, output."""
    units = recurrent[0].shape[1]
    order = np.concatenate([np.arange(units) + gate * units for gate in (0, 1, 3, 2)])
    scale = np.repeat(np.array((0.5, 0.5, 0.5, 1.0), np.float32), units)
    return BiLstm(
        inputs=np.ascontiguousarray(np.concatenate([(own[order].T * scale) for own in inputs], 1)),
        bias=np.concatenate([own[order] * scale for own in biases]),
        recurrent=np.ascontiguousarray(np.stack([own[order].T * scale for own in recurrent])),
    )


def run_bilstm(lstm: BiLstm, sequences: Sequence[Floats]) -> list[Floats]:
    """Run over sequences of different lengths, each time x inputs; gives time x (2 x units) for each."""
    units = lstm.units
    lengths = [len(own) for own in sequences]
    steps, count = max(lengths, default=0), len(sequences)
    if not steps:
        return [np.zeros((0, 2 * units), np.float32) for _ in sequences]
    driven = np.zeros((steps, 2, count, 4 * units), np.float32)  # the part of the gates that comes from the inputs
    gates = multiply(np.concatenate(sequences), lstm.inputs) + lstm.bias
    at = 0
    for number, length in enumerate(lengths):
        own = gates[at : at + length].reshape(length, 2, 4 * units)
        driven[:length, 0, number] = own[:, 0]
        # The backward direction begins at the last place of each sequence, so that none waits for a longer one.
        driven[:length, 1, number] = own[::-1, 1]
        at += length
    hidden = _run_steps(driven, lstm.recurrent)
    return [
        np.concatenate((hidden[:length, 0, number], hidden[:length, 1, number][::-1]), 1)
        for number, length in enumerate(lengths)
    ]


def _run_steps(driven: Floats, recurrent: Floats) -> Floats:
    """Go through time; sequences that are over go on with what nobody reads."""
    steps, _, count, width = driven.shape
    units = width // 4
    hidden = np.zeros((steps, 2, count, units), np.float32)
    state = np.zeros((2, count, units), np.float32)
    gates = np.empty((2, count, width), np.float32)
    sigmoids, candidate = gates[..., : 3 * units], gates[..., 3 * units :]
    entered, kept, shown = (gates[..., part * units : (part + 1) * units] for part in range(3))
    scratch = np.empty((2, count, units), np.float32)
    last = np.zeros((2, count, units), np.float32)
    for step in range(steps):
        np.matmul(last, recurrent, out=gates)
        np.add(gates, driven[step], out=gates)
        np.tanh(gates, out=gates)
        np.multiply(sigmoids, 0.5, out=sigmoids)
        np.add(sigmoids, 0.5, out=sigmoids)
        np.multiply(state, kept, out=state)
        np.multiply(entered, candidate, out=scratch)
        np.add(state, scratch, out=state)
        np.tanh(state, out=scratch)
        last = hidden[step]
        np.multiply(shown, scratch, out=last)
    return hidden
