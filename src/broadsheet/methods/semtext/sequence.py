"""Labels of a sequence (section III-F): a bidirectional LSTM, and a chain of two labels (a linear-chain CRF)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from broadsheet.models.arrays import multiply

Floats = NDArray[np.float32]
_MAX_LOG_ODDS = 500.0  # clipped here, so that exp does not overflow


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


@dataclass(frozen=True, slots=True)
class Chain:
    """Scores of label pairs, and of the labels at both ends. Only differences between labels matter."""

    transitions: tuple[tuple[float, float], tuple[float, float]]  # [from][to]
    first: tuple[float, float]
    last: tuple[float, float]


def find_marginals(scores: Sequence[float], chain: Chain) -> list[float]:
    """Return the probability of label 1 of each item, given the log-odds of each item alone (forward-backward)."""
    if not scores:
        return []
    low = min(min(row) for row in chain.transitions)
    (e00, e01), (e10, e11) = ((exp(zero - low), exp(one - low)) for zero, one in chain.transitions)
    odds = chain.first[1] - chain.first[0] + scores[0]  # log-odds from this item and all before it
    forward = [odds]
    for score in scores[1:]:
        weight = exp(max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, odds)))
        odds = score + log((e01 + weight * e11) / (e00 + weight * e10))
        forward.append(odds)
    backward = chain.last[1] - chain.last[0]  # log-odds from all items after this one
    marginals = [0.0] * len(scores)
    for item in range(len(scores) - 1, -1, -1):
        marginals[item] = _apply_sigmoid(forward[item] + backward)
        weight = exp(max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, backward + scores[item])))
        backward = log((e10 + weight * e11) / (e00 + weight * e01))
    return marginals


def find_best(scores: Sequence[float], chain: Chain) -> list[int]:
    """Return the most probable sequence of labels (Viterbi)."""
    if not scores:
        return []
    (t00, t01), (t10, t11) = chain.transitions
    zero, one = chain.first[0], chain.first[1] + scores[0]
    predecessors: list[tuple[int, int]] = []
    for score in scores[1:]:
        predecessors.append((int(one + t10 > zero + t00), int(one + t11 > zero + t01)))
        zero, one = max(zero + t00, one + t10), max(zero + t01, one + t11) + score
    labels = [int(one + chain.last[1] > zero + chain.last[0])]
    for pair in reversed(predecessors):
        labels.append(pair[labels[-1]])
    return labels[::-1]


def _apply_sigmoid(odds: float) -> float:
    if odds < -_MAX_LOG_ODDS:
        return 0.0
    return 1.0 / (1.0 + exp(-odds))
