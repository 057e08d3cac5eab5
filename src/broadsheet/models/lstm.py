"""A bidirectional LSTM in NumPy. Each time step computes both directions and all sequences of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.models.multiply import multiply

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class BiLstm:
    """Weights in run-time layout: gates in the order input, forget, output, candidate.

    The first three are halved, because sigmoid(x) = (1 + tanh(x / 2)) / 2: one tanh then serves all four.
    """

    inputs: Floats  # inputs x (2 directions x 4 gates x units)
    bias: Floats  # 2 directions x 4 gates x units, flat
    recurrent: Floats  # 2 directions x units x (4 gates x units)

    @property
    def units(self) -> int:
        """Units of one direction."""
        return len(self.recurrent[0])


def make_bilstm(inputs: Sequence[Floats], recurrent: Sequence[Floats], biases: Sequence[Floats]) -> BiLstm:
    """Convert the weights of both directions from torch's layout, whose gates are input, forget, candidate, output."""
    units = recurrent[0].shape[1]
    order = np.concatenate([np.arange(units) + gate * units for gate in (0, 1, 3, 2)])
    scale = np.repeat(np.array((0.5, 0.5, 0.5, 1.0), np.float32), units)
    return BiLstm(
        inputs=np.ascontiguousarray(np.concatenate([weight[order].T * scale for weight in inputs], 1)),
        bias=np.concatenate([bias[order] * scale for bias in biases]),
        recurrent=np.ascontiguousarray(np.stack([weight[order].T * scale for weight in recurrent])),
    )


def run_bilstm(lstm: BiLstm, sequences: Sequence[Floats]) -> list[Floats]:
    """Return the hidden states, time x (2 x units), of each sequence, time x inputs. Lengths may differ."""
    units = lstm.units
    lengths = [len(sequence) for sequence in sequences]
    steps, count = max(lengths, default=0), len(sequences)
    if not steps:
        return [np.zeros((0, 2 * units), np.float32) for _ in sequences]
    input_gates = np.zeros((steps, 2, count, 4 * units), np.float32)  # the inputs' part of the gates
    flat_gates = multiply(np.concatenate(sequences), lstm.inputs) + lstm.bias
    start = 0
    for number, length in enumerate(lengths):
        gates = flat_gates[start : start + length].reshape(length, 2, 4 * units)
        input_gates[:length, 0, number] = gates[:, 0]
        # The backward direction starts at the last item of each sequence, so that padding stays at the end.
        input_gates[:length, 1, number] = gates[::-1, 1]
        start += length
    hidden = _run_steps(input_gates, lstm.recurrent)
    return [
        np.concatenate((hidden[:length, 0, number], hidden[:length, 1, number][::-1]), 1)
        for number, length in enumerate(lengths)
    ]


def _run_steps(input_gates: Floats, recurrent: Floats) -> Floats:
    """Run all time steps. States computed after the end of a sequence are not used."""
    steps, _, count, width = input_gates.shape
    units = width // 4
    hidden = np.zeros((steps, 2, count, units), np.float32)
    state = np.zeros((2, count, units), np.float32)
    gates = np.empty((2, count, width), np.float32)
    sigmoids, candidate = gates[..., : 3 * units], gates[..., 3 * units :]
    input_gate, forget_gate, output_gate = (gates[..., gate * units : (gate + 1) * units] for gate in range(3))
    scratch = np.empty((2, count, units), np.float32)
    last = np.zeros((2, count, units), np.float32)
    for step in range(steps):
        np.matmul(last, recurrent, out=gates)
        np.add(gates, input_gates[step], out=gates)
        np.tanh(gates, out=gates)
        np.multiply(sigmoids, 0.5, out=sigmoids)
        np.add(sigmoids, 0.5, out=sigmoids)
        np.multiply(state, forget_gate, out=state)
        np.multiply(input_gate, candidate, out=scratch)
        np.add(state, scratch, out=state)
        np.tanh(state, out=scratch)
        last = hidden[step]
        np.multiply(output_gate, scratch, out=last)
    return hidden
