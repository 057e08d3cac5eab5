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

from broadsheet.training.fusion.batches import Batcher
from broadsheet.training.fusion.labels import ROLES
from broadsheet.training.fusion.network import Batch, Known, Network, Shape
from broadsheet.training.fusion.recipe import Recipe


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One training run: which pages, and where its checkpoint is kept."""

    pages: NDArray[np.intp]
    seed: int
    epochs: int
    checkpoint: Path
    report: Callable[[str], None]


def train_network(batcher: Batcher, known: Known, recipe: Recipe, shape: Shape, run: Run) -> Network:
    """Train a network: the running mean of its weights is what is kept. Goes on after the last whole epoch."""
    torch.set_num_threads(1)
    torch.manual_seed(run.seed)
    network = Network(len(known.mean), known.vocabulary, shape, len(ROLES))
    average = copy.deepcopy(network)
    optimiser = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    steps = -(-len(run.pages) // recipe.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.rate, total_steps=steps * run.epochs, pct_start=0.15
    )
    parts = {"network": network, "average": average, "optimiser": optimiser, "schedule": schedule}
    begins = _resume(run.checkpoint, parts)
    done = begins * steps
    for epoch in range(begins, run.epochs):
        started, total = time.monotonic(), 0.0
        rng = np.random.default_rng((run.seed, epoch))
        network.train()
        order = run.pages[rng.permutation(len(run.pages))]
        for step in range(steps):
            batch = batcher.make(order[step * recipe.batch : (step + 1) * recipe.batch].tolist(), shape, rng)
            if rng.random() >= recipe.keep_convention:
                batch.dataset.zero_()
            loss = measure_loss(network(batch), batch, recipe.f1_share)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            done += 1
            keep = min(recipe.mean_over, (1 + done) / (10 + done))
            with torch.no_grad():
                for kept, new in zip(average.parameters(), network.parameters(), strict=True):
                    kept.lerp_(new, 1 - keep)
            total += float(loss.detach())
        _save(run.checkpoint, epoch + 1, parts)
        run.report(f"epoch {epoch + 1} of {run.epochs}: loss {total / steps:.4f}, {time.monotonic() - started:.0f} s")
    average.eval()
    return average


def measure_loss(logits: Tensor, batch: Batch, f1_share: float) -> Tensor:
    """Cross entropy of blocks, and how far the expected F1 of pages is from one."""
    entropy = nn.functional.binary_cross_entropy_with_logits(logits, batch.target, reduction="none")
    loss = (entropy * batch.weight).sum() / batch.weight.sum().clamp(min=1e-6)
    wanted = batch.target[:, 0]
    found = torch.sigmoid(logits[:, 0]) * batch.chars
    pages = int(batch.page[-1]) + 1
    both, either = (
        logits.new_zeros(pages).index_add(0, batch.page, each)
        for each in (found * wanted, found + wanted * batch.chars)
    )
    return loss + f1_share * (1 - 2 * both / either.clamp(min=1)).mean()


def predict(network: Network, batcher: Batcher, pages: NDArray[np.intp]) -> list[NDArray[np.float32]]:
    """Probabilities of the roles for every block of some pages, with no convention: (n, roles) each."""
    found = []
    with torch.no_grad():
        for page in pages.tolist():
            batch = batcher.make([page])
            batch.dataset.zero_()
            found.append(torch.sigmoid(network(batch)[: int(batch.is_block.sum())]).numpy())
    return found


def _resume(path: Path, parts: dict[str, object]) -> int:
    """Take up what an earlier run left, and tell how many epochs it had done."""
    if not path.exists():
        return 0
    saved = torch.load(path)
    for name, part in parts.items():
        part.load_state_dict(saved[name])  # type: ignore[attr-defined]
    torch.set_rng_state(saved["random"])
    return int(saved["done"])


def _save(path: Path, done: int, parts: dict[str, object]) -> None:
    draft = path.with_suffix(".part")
    states = {name: part.state_dict() for name, part in parts.items()}  # type: ignore[attr-defined]
    torch.save({**states, "random": torch.get_rng_state(), "done": done}, draft)
    draft.rename(path)
