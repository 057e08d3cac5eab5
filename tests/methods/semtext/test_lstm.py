from __future__ import annotations

import numpy as np
import pytest

from broadsheet.methods.semtext.sequence import Floats, make_bilstm, run_bilstm

UNITS, INPUTS = 3, 2


def make_weights(*shape: int) -> list[Floats]:
    random = np.random.default_rng(7)
    return [random.normal(size=shape).astype(np.float32) for _ in range(2)]


W, U, B = make_weights(4 * UNITS, INPUTS), make_weights(4 * UNITS, UNITS), make_weights(4 * UNITS)
LSTM = make_bilstm(W, U, B)


def run_reference(sequence: Floats, direction: int) -> Floats:
    """Compute the equations of Hochreiter and Schmidhuber step by step; gates in torch's order."""
    hidden, state, states = np.zeros(UNITS), np.zeros(UNITS), []
    for inputs in sequence if direction == 0 else sequence[::-1]:
        gates = W[direction] @ inputs + U[direction] @ hidden + B[direction]
        input_gate, forget_gate, candidate, output_gate = gates.reshape(4, UNITS)
        state = sigmoid(forget_gate) * state + sigmoid(input_gate) * np.tanh(candidate)
        hidden = sigmoid(output_gate) * np.tanh(state)
        states.append(hidden)
    ordered = states if direction == 0 else states[::-1]
    return np.array(ordered, np.float32).reshape(-1, UNITS)


def sigmoid(values: Floats) -> Floats:
    return (1 / (1 + np.exp(-values))).astype(np.float32)


@pytest.mark.parametrize("lengths", [[5], [1, 4, 2], [3, 0], []])
def test_hidden_states_equal_the_equations(lengths: list[int]) -> None:
    random = np.random.default_rng(1)
    sequences = [random.normal(size=(length, INPUTS)).astype(np.float32) for length in lengths]
    outputs = run_bilstm(LSTM, sequences)
    assert [output.shape for output in outputs] == [(length, 2 * UNITS) for length in lengths]
    for output, sequence in zip(outputs, sequences, strict=True):
        expected = np.concatenate([run_reference(sequence, direction) for direction in (0, 1)], 1)
        np.testing.assert_allclose(output, expected, atol=1e-6)
