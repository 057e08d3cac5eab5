"""The training loop of the block network."""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from broadsheet.training.fusion import Recipe
from broadsheet.training.fusion_batches import ROLES, Batcher, find_vocabulary
from broadsheet.training.fusion_network import Network, Shape, Vocabulary
from broadsheet.training.fusion_pages import FusionPages
from broadsheet.training.options import TrainingOptions


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """A trained network with all that it needs."""

    network: Network
    vocabulary: Vocabulary
    mean: NDArray[np.float32]
    spread: NDArray[np.float32]


def train_network(pages: FusionPages, recipe: Recipe, shape: Shape, options: TrainingOptions, on_epoch=None) -> Trained:
    """Train the network; an interrupted run goes on after its last whole epoch."""
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    vocabulary = find_vocabulary(
        pages, min_sites_names=recipe.min_sites_names, min_sites_phrases=recipe.min_sites_phrases
    )
    sample = pages.values[::7].astype(np.float32)
    mean, spread = sample.mean(0), sample.std(0) + 1e-3
    batcher = Batcher(pages, vocabulary, mean, spread)
    network = Network(pages.values.shape[1], vocabulary, shape, len(ROLES))
    average = copy.deepcopy(network)
    optimiser = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    steps = -(-len(pages) // recipe.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.rate, total_steps=steps * recipe.epochs, pct_start=0.15
    )
    done = 0
    for epoch in range(recipe.epochs):
        started, total = time.monotonic(), 0.0
        network.train()
        order = rng.permutation(len(pages))
        for step in range(steps):
            chosen = order[step * recipe.batch : (step + 1) * recipe.batch].tolist()
            batch = batcher.make(chosen, shape, rng)
            if rng.random() >= recipe.keep_convention:
                batch.dataset.zero_()
            loss = nn.functional.binary_cross_entropy_with_logits(network(batch), batch.target, reduction="none")
            loss = (loss * batch.weight).sum() / batch.weight.sum()
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
        options.report(f"epoch {epoch + 1}: loss {total / steps:.4f}, {time.monotonic() - started:.0f} s")
        if on_epoch:
            on_epoch(epoch, Trained(average, vocabulary, mean, spread))
    return Trained(average.eval(), vocabulary, mean, spread)
