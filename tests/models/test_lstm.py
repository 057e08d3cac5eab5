from __future__ import annotations

import numpy as np
import pytest

from broadsheet.models.lstm import Floats, make_bilstm, run_bilstm

UNITS, INPUTS = 3, 2


def draw(*shape: int) -> list[Floats]:
    random = np.random.default_rng(7)
    return [random.normal(size=shape).astype(np.float32) for _ in range(2)]


W, U, B = draw(4 * UNITS, INPUTS), draw(4 * UNITS, UNITS), draw(4 * UNITS)
LSTM = make_bilstm(W, U, B)


def run_slowly(sequence: Floats, direction: int) -> Floats:
    """Hochreiter and Schmidhuber, line by line; gates in torch's order."""
    hidden, state, found = np.zeros(UNITS), np.zeros(UNITS), []
    for inputs in sequence if direction == 0 else sequence[::-1]:
        gates = W[direction] @ inputs + U[direction] @ hidden + B[direction]
        entered, kept, candidate, shown = gates.reshape(4, UNITS)
        state = squash(kept) * state + squash(entered) * np.tanh(candidate)
        hidden = squash(shown) * np.tanh(state)
        found.append(hidden)
    ordered = found if direction == 0 else found[::-1]
    return np.array(ordered, np.float32).reshape(-1, UNITS)


def squash(values: Floats) -> Floats:
    return (1 / (1 + np.exp(-values))).astype(np.float32)


@pytest.mark.parametrize("lengths", [[5], [1, 4, 2], [3, 0], []])
def test_like_the_equations(lengths: list[int]) -> None:
    random = np.random.default_rng(1)
    sequences = [random.normal(size=(length, INPUTS)).astype(np.float32) for length in lengths]
    found = run_bilstm(LSTM, sequences)
    assert [own.shape for own in found] == [(length, 2 * UNITS) for length in lengths]
    for own, sequence in zip(found, sequences, strict=True):
        wanted = np.concatenate([run_slowly(sequence, direction) for direction in (0, 1)], 1)
        np.testing.assert_allclose(own, wanted, atol=1e-6)
