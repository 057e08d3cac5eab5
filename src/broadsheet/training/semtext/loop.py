"""The training loop of SemText: batches of sequences, a checkpoint after each epoch, the best epoch by F1 on dev."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import cos, pi
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from broadsheet.methods.semtext.windows import split_evenly
from broadsheet.training.cache import hash_array, make_key
from broadsheet.training.checkpoint import Checkpoint
from broadsheet.training.options import TrainingOptions
from broadsheet.training.semtext.data import Examples
from broadsheet.training.semtext.network import Network
from broadsheet.training.semtext.prediction import CHARS_SCALE, Pages, run_network, score_network
from broadsheet.training.semtext.recipes import Recipe
from broadsheet.training.semtext.scores import Scores

BUCKET_BATCHES = 8  # sorted by length together: less padding, but the batches are still mixed
MAX_GRADIENT_NORM = 1.0
MAX_LOG_CHARS = 1.3  # of the length weight: about 2,400 characters


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """The best network of a run, its scores on dev pages, and its epoch."""

    network: Network
    scores: Scores
    epoch: int


def train_network(
    recipe: Recipe, train: Pages, dev: Pages, options: TrainingOptions, *, start: Mapping[str, Tensor] | None = None
) -> Trained:
    """Train a network, from the weights `start` if given, and return the best one on dev pages.

    An interrupted run continues after its last finished epoch.
    """
    torch.manual_seed(options.seed)
    network = Network(recipe.config, train.vectors.shape[1], recipe.dropout)
    if start is not None:
        network.load_state_dict(start)
    trainer = _Trainer(network, recipe, train, options.seed)
    key = make_key(recipe, options.seed, options.start, start is not None, hash_array(train.examples.gold))
    checkpoint = Checkpoint(options.work, f"semtext-{key}", {"network": network, "optimizer": trainer.optimizer})
    state: dict[str, Any] = {"epochs": 0, "best": -1.0, "best_epoch": 0, "best_weights": network.state_dict()}
    state |= checkpoint.restore()
    for epoch in range(state["epochs"], recipe.epochs):
        begin = time.perf_counter()
        loss = trainer.train_epoch(epoch)
        scores = score_network(network, dev)
        value = epoch if recipe.picks == "last" else getattr(scores, recipe.picks)
        if value > state["best"]:
            weights = {name: tensor.clone() for name, tensor in network.state_dict().items()}
            state |= {"best": value, "best_epoch": epoch + 1, "best_weights": weights}
        state["epochs"] = epoch + 1
        checkpoint.save(**state)
        options.report(
            f"| {epoch + 1} | {loss:.4f} | {scores.precision:.4f} | {scores.recall:.4f} | {scores.f1:.4f} "
            f"| {scores.word_f1:.4f} | {time.perf_counter() - begin:.0f} |"
        )
    network.load_state_dict(state["best_weights"])
    return Trained(network, score_network(network, dev), state["best_epoch"])


class _Trainer:
    """Trains a network for one epoch at a time."""

    def __init__(self, network: Network, recipe: Recipe, pages: Pages, seed: int) -> None:
        self.network, self.recipe, self.pages, self.seed = network, recipe, pages, seed
        self.optimizer = _make_optimizer(network, recipe)

    def train_epoch(self, epoch: int) -> float:
        """Train on all pages once. Returns the mean loss of a unit."""
        self.network.train()
        recipe = self.recipe
        generator = np.random.default_rng((self.seed, epoch))
        sequences = list(_split_pages(self.pages.examples, recipe.max_units))
        batches = list(_make_batches(sequences, recipe.batch, generator))
        losses, units = 0.0, 0
        for number, batch in enumerate(batches):
            if recipe.optimizer == "adam":
                self._set_rate((epoch + number / len(batches)) / recipe.epochs)
            losses += self._train_batch(batch)
            units += sum(map(len, batch))
        return losses / max(units, 1)

    def _train_batch(self, batch: list[range]) -> float:
        """Take one step. Returns the loss, summed over the sequences."""
        examples, recipe = self.pages.examples, self.recipe
        lengths = [len(sequence) for sequence in batch]
        units = np.concatenate([np.arange(sequence.start, sequence.stop) for sequence in batch])
        gold = torch.from_numpy(examples.gold[units].astype(np.int64))
        scores = run_network(self.network, self.pages, units, lengths, recipe.word_dropout)
        total = self.network.measure_loss(scores, gold, lengths).sum()
        loss = total / len(units)
        if recipe.length_weight:
            loss = loss + recipe.length_weight * _measure_length_loss(scores, gold, examples.features[units, 0])
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRADIENT_NORM)
        self.optimizer.step()
        return float(total.detach())

    def _set_rate(self, progress: float) -> None:
        """Set the learning rate at a point of the run, from 0 to 1: a short rise, then a cosine."""
        share = min(1.0, 100 * progress + 0.02) * (0.02 + 0.98 * (1 + cos(pi * progress)) / 2)
        for group in self.optimizer.param_groups:
            group["lr"] = self.recipe.rate * share


def _make_optimizer(network: Network, recipe: Recipe) -> torch.optim.Optimizer:
    if recipe.optimizer == "sgd":
        return torch.optim.SGD(network.parameters(), lr=recipe.rate, momentum=0.9)
    return torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=1e-4)


def _measure_length_loss(scores: Tensor, gold: Tensor, log_chars: NDArray[np.float32]) -> Tensor:
    """Return the cross entropy of units without the chain, weighted by the square root of their length."""
    weight = torch.from_numpy(np.exp(np.minimum(log_chars, MAX_LOG_CHARS) * CHARS_SCALE / 2)) * (gold >= 0)
    losses = torch.nn.functional.binary_cross_entropy_with_logits(scores, gold.clamp_min(0).float(), reduction="none")
    return (losses * weight).sum() / weight.sum().clamp_min(1e-6)


def _split_pages(examples: Examples, max_units: int) -> Iterator[range]:
    for first, end in zip(examples.page_starts[:-1].tolist(), examples.page_starts[1:].tolist(), strict=True):
        for part in split_evenly(end - first, max_units):
            yield range(first + part.start, first + part.stop)


def _make_batches(sequences: list[range], size: int, generator: np.random.Generator) -> Iterator[list[range]]:
    """Shuffle the sequences, then put sequences of similar length into the same batch."""
    order = generator.permutation(len(sequences)).tolist()
    batches = []
    for first in range(0, len(order), size * BUCKET_BATCHES):
        bucket = sorted((sequences[number] for number in order[first : first + size * BUCKET_BATCHES]), key=len)
        batches += [bucket[start : start + size] for start in range(0, len(bucket), size)]
    for number in generator.permutation(len(batches)).tolist():
        yield batches[number]
