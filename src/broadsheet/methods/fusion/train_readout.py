"""Fine-tune the output layer of a trained network on own labels, in NumPy.

The layers below stay as they are. For each member of the network, the output for article text is a logistic regression
on 64 numbers. It is fitted to the own labels by Newton's method, with a penalty on the squared distance to the old
weights: few pages change little.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.methods.fusion.features import FEATURE_NAMES, read_chars
from broadsheet.methods.fusion.network import BODY, name_member_array, read_network
from broadsheet.methods.fusion.train_data import MeasuredPage
from broadsheet.methods.fusion.train_labels import UNKNOWN, weigh_blocks
from broadsheet.models import Weights

Floats = NDArray[np.float64]
PENALTIES = (np.inf, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)  # infinite: the old weights
FOLDS = 5  # of templates, to choose the penalty
MIN_PROBABILITY = 0.01  # in the loss of a fold: one block that is certain and wrong must not decide
NEWTON_STEPS = 50  # maximum; it converges in fewer
MIN_STEP_SIZE = 1e-4  # share of a Newton step
MIN_GAIN = 1e-4  # share of the loss that a step gains; below it, the fit has converged
MAX_LOGIT = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class PageStates:
    """The labelled blocks of a page: the inputs of the output layer, and its targets."""

    hidden: tuple[NDArray[np.float32], ...]  # of each member: (n, width)
    is_content: NDArray[np.bool_]  # (n,)
    weights: NDArray[np.float32]  # (n,)


def compute_states(pages: Iterable[MeasuredPage], weights: Weights) -> list[PageStates]:
    """Run the network up to its output layer on all pages with gold text."""
    network = read_network(weights, len(FEATURE_NAMES))
    states = []
    for page in pages:
        is_known = page.labels[:, BODY] != UNKNOWN
        if is_known.any():
            hidden = tuple(of_member[is_known] for of_member in network.compute_hidden(page.input))
            block_weights = weigh_blocks(read_chars(page.input.features))
            states.append(PageStates(hidden, page.labels[is_known, BODY] == 1, block_weights[is_known]))
    return states


def choose_penalty(pages: Sequence[PageStates], weights: Weights, templates: Sequence[int]) -> float:
    """Choose the penalty by cross-validation over templates; infinite if no change predicts the others better.

    The output layer acts on every page, so a change must help on templates that it was not learned from. With fewer
    templates than folds nothing can be said about others: the layer stays as it is.
    """
    if len(set(templates)) < FOLDS:
        return np.inf
    folds = [template % FOLDS for template in templates]
    losses = np.zeros((len(PENALTIES), len(pages)))
    for fold in range(FOLDS):
        learned = [page for page, number in zip(pages, folds, strict=True) if number != fold]
        layers = None
        for row, penalty in enumerate(PENALTIES):  # in descending order: each fit starts from the one before
            layers = fit_layers(learned, weights, penalty, layers)
            for number, page in enumerate(pages):
                if folds[number] == fold:
                    losses[row, number] = _measure_loss(page, layers)
    return PENALTIES[choose_fewest_changes(losses)]


def choose_fewest_changes(losses: Floats) -> int:
    """Return the first row, that of the highest penalty, whose loss is within one standard error of the lowest loss.

    Rows: penalties in descending order. Columns: pages. The rule is that of Breiman et al. (1984): a gain on one page
    of ten is not a reason to change anything.
    """
    excess = losses - losses[losses.mean(axis=1).argmin()]
    is_near = excess.mean(axis=1) <= excess.std(axis=1) / np.sqrt(losses.shape[1])
    return int(is_near.argmax())


def fit_readout(pages: Sequence[PageStates], weights: Weights, penalty: float) -> dict[str, NDArray[Any]]:
    """Return the arrays of the weights, with new columns for article text in the output layers."""
    arrays = dict(weights.arrays)
    for member, layer in enumerate(fit_layers(pages, weights, penalty)):
        out, bias = (name_member_array(name, member) for name in ("out", "out_bias"))
        arrays[out] = _replace_column(arrays[out], layer[:-1])
        arrays[bias] = _replace_column(arrays[bias], layer[-1])
    return arrays


def fit_layers(
    pages: Sequence[PageStates], weights: Weights, penalty: float, first_guess: Sequence[Floats] | None = None
) -> list[Floats]:
    """Return the weights and, last, the bias of article text in the output layer of each member."""
    layers = []
    for member in range(len(pages[0].hidden)):
        out, bias = (weights.arrays[name_member_array(name, member)] for name in ("out", "out_bias"))
        start = np.append(out[:, BODY], bias[BODY]).astype(np.float64)
        samples = _Samples(
            np.concatenate([page.hidden[member] for page in pages]),
            np.concatenate([page.is_content for page in pages]),
            np.concatenate([page.weights for page in pages]).astype(np.float64),
        )
        guess = start if first_guess is None else first_guess[member]
        layers.append(_fit_logistic(samples, start, penalty, guess) if np.isfinite(penalty) else start)
    return layers


def _measure_loss(page: PageStates, layers: Sequence[Floats]) -> float:
    """Return the cross entropy of a page, per unit of weight."""
    logits = [hidden @ layer[:-1] + layer[-1] for hidden, layer in zip(page.hidden, layers, strict=True)]
    probability = np.mean([squash(of_member) for of_member in logits], axis=0)
    right = np.where(page.is_content, probability, 1 - probability)
    return float(-(page.weights @ np.log(np.maximum(right, MIN_PROBABILITY))) / page.weights.sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Samples:
    inputs: NDArray[np.float32]  # (n, width)
    targets: NDArray[np.bool_]  # (n,)
    weights: Floats  # (n,)


def _fit_logistic(samples: _Samples, start: Floats, penalty: float, guess: Floats) -> Floats:
    """Minimize the weighted cross entropy plus half the penalty times the squared distance to `start`."""
    inputs = np.hstack((samples.inputs, np.ones((len(samples.inputs), 1)))).astype(np.float64)

    def measure_loss(weights: Floats) -> float:
        logits = inputs @ weights
        entropy = np.logaddexp(0, logits) - samples.targets * logits
        return float(samples.weights @ entropy + penalty / 2 * ((weights - start) ** 2).sum())

    weights, loss = guess, measure_loss(guess)
    for _ in range(NEWTON_STEPS):
        probability = squash(inputs @ weights)
        slope = inputs.T @ (samples.weights * (probability - samples.targets)) + penalty * (weights - start)
        curve = (inputs * (samples.weights * probability * (1 - probability))[:, None]).T @ inputs
        change = np.linalg.solve(curve + penalty * np.eye(len(weights)), slope)
        # A full step diverges where the old weights are certain and wrong: the curve is nearly flat there.
        size, new_loss = 1.0, measure_loss(weights - change)
        while new_loss > loss and size > MIN_STEP_SIZE:
            size /= 2
            new_loss = measure_loss(weights - size * change)
        if loss - new_loss < MIN_GAIN * loss:
            break
        weights, loss = weights - size * change, new_loss
    return weights


def squash(logits: Floats) -> Floats:
    """Return probabilities."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -MAX_LOGIT, MAX_LOGIT))))


def _replace_column(array: NDArray[Any], values: Floats | float) -> NDArray[Any]:
    replaced = array.copy()
    replaced[..., BODY] = values
    return replaced
