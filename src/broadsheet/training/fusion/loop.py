"""The training loop of the block network."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from broadsheet.training.checkpoint import Checkpoint
from broadsheet.training.fusion.batches import Batcher
from broadsheet.training.fusion.labels import ROLES
from broadsheet.training.fusion.network import Batch, Network, Preprocessing, Shape
from broadsheet.training.fusion.recipe import Recipe

MAX_GRADIENT_NORM = 1.0
WARM_UP_SHARE = 0.15  # of the steps, in which the learning rate rises


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One network to train: its pages, and the name of its checkpoint."""

    pages: NDArray[np.intp]
    seed: int
    epochs: int
    folder: Path  # of the checkpoint
    name: str  # of the checkpoint
    report: Callable[[str], None]
    start: Network | None = None  # continue from this network; None: random weights


class Trainer:
    """Trains networks of one shape with one recipe."""

    def __init__(self, preprocessing: Preprocessing, recipe: Recipe, shape: Shape) -> None:
        self.preprocessing, self.recipe, self.shape = preprocessing, recipe, shape

    def train(self, batcher: Batcher, run: Run) -> Network:
        """Train a network and return the running mean of its weights. An interrupted run continues after an epoch."""
        torch.set_num_threads(1)
        torch.manual_seed(run.seed)
        vocabulary = self.preprocessing.vocabulary
        network = Network(len(self.preprocessing.mean), vocabulary, self.shape, len(ROLES))
        if run.start is not None:
            network.load_state_dict(run.start.state_dict())
        state = _State(network, self.recipe, run)
        done = state.checkpoint.restore().get("epochs", 0)
        for epoch in range(done, run.epochs):
            start = time.monotonic()
            loss = self._train_epoch(state, batcher, run, epoch)
            state.checkpoint.save(epochs=epoch + 1)
            seconds = time.monotonic() - start
            run.report(f"epoch {epoch + 1} of {run.epochs}: loss {loss:.4f}, {seconds:.0f} s")
        state.average.eval()
        return state.average

    def _train_epoch(self, state: _State, batcher: Batcher, run: Run, epoch: int) -> float:
        """Train on every page once. Returns the mean loss of a step."""
        recipe = self.recipe
        generator = np.random.default_rng((run.seed, epoch))
        order = run.pages[generator.permutation(len(run.pages))]
        state.network.train()
        total = 0.0
        for step in range(state.epoch_steps):
            chosen = order[step * recipe.batch : (step + 1) * recipe.batch].tolist()
            batch = batcher.make_batch(chosen, self.shape, generator)
            if generator.random() >= recipe.dataset_share:
                batch.dataset.zero_()
            loss = measure_loss(state.network(batch), batch, recipe.f1_share)
            state.update(loss, epoch * state.epoch_steps + step + 1)
            total += float(loss.detach())
        return total / state.epoch_steps


class _State:
    """Everything that changes during a run."""

    def __init__(self, network: Network, recipe: Recipe, run: Run) -> None:
        self.network = network
        self.average = copy.deepcopy(network)
        self.epoch_steps = -(-len(run.pages) // recipe.batch)
        self._average_decay = recipe.average_decay
        self._optimizer = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._optimizer, recipe.rate, total_steps=self.epoch_steps * run.epochs, pct_start=WARM_UP_SHARE
        )
        parts = {"network": network, "average": self.average, "optimizer": self._optimizer, "schedule": self._schedule}
        self.checkpoint = Checkpoint(run.folder, run.name, parts)

    def update(self, loss: Tensor, steps: int) -> None:
        """Take one optimization step, the `steps`-th of the run, and update the running mean."""
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRADIENT_NORM)
        self._optimizer.step()
        self._schedule.step()
        decay = min(self._average_decay, (1 + steps) / (10 + steps))
        with torch.no_grad():
            for mean, new in zip(self.average.parameters(), self.network.parameters(), strict=True):
                mean.lerp_(new, 1 - decay)


def measure_loss(logits: Tensor, batch: Batch, f1_share: float) -> Tensor:
    """Return the cross entropy of blocks, plus a share of 1 minus the expected F1 of pages."""
    entropy = nn.functional.binary_cross_entropy_with_logits(logits, batch.target, reduction="none")
    loss = (entropy * batch.weight).sum() / batch.weight.sum().clamp(min=1e-6)
    target = batch.target[:, 0]
    predicted_chars = torch.sigmoid(logits[:, 0]) * batch.chars
    pages = int(batch.page[-1]) + 1
    common, both_sides = (
        logits.new_zeros(pages).index_add(0, batch.page, chars)
        for chars in (predicted_chars * target, predicted_chars + target * batch.chars)
    )
    return loss + f1_share * (1 - 2 * common / both_sides.clamp(min=1)).mean()


def predict_roles(
    network: Network, batcher: Batcher, pages: NDArray[np.intp], convention: int
) -> list[NDArray[np.float32]]:
    """Return the probabilities of the roles for the blocks of each page: (blocks, roles).

    `convention` is the number of the dataset whose labelling convention is used; 0 for none.
    """
    probabilities = []
    with torch.no_grad():
        for page in pages.tolist():
            batch = batcher.make_batch([page])
            batch.dataset.fill_(convention)
            probabilities.append(torch.sigmoid(network(batch)[: int(batch.is_block.sum())]).numpy())
    return probabilities
