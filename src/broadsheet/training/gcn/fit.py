"""Fit a graph network (section 6): weighted cross entropy, Adam, an early stop by the loss on dev pages."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import LENGTH_SCALE
from broadsheet.training.gcn.graphs import Graphs
from broadsheet.training.gcn.network import Batch, make_batch, make_network
from broadsheet.training.gcn.tags import TagVectors
from broadsheet.training.options import TrainingOptions


@dataclass(frozen=True, slots=True)
class FitConfig:
    """How the network learns. The defaults are as published (section 6)."""

    rate: float = 1e-4  # of Adam
    epochs: int = 40  # at most
    patience: int = 3  # epochs in which the loss on dev pages rises, one after the other; then it ends
    dropout: float = 0.3
    negative_weight: float = 0.01
    batch_pages: int = 1  # not stated
    keeps_best: bool = False  # ours: the weights of the epoch with the least loss on dev pages, not the last ones
    decays: bool = False  # ours: the rate falls along a half cosine to nothing
    text_only: bool = False  # ours: only text nodes count, since only their answers are used
    length_power: float = 0.0  # ours: a node counts by a power of its text's length; 0: all alike


@dataclass(frozen=True, slots=True)
class Fitted:
    """A network that has learned, and how its loss went."""

    network: Any
    losses: tuple[tuple[float, float], ...]  # on train and on dev pages, of each epoch


def fit(
    train: Sequence[Graphs],
    dev: Sequence[Graphs],
    tags: TagVectors,
    config: GcnConfig,
    how: FitConfig,
    options: TrainingOptions,
    *,
    make: Callable[[GcnConfig, float], Any] = make_network,
) -> Fitted:
    """Train a network; goes on from the last epoch that was finished, where there is one."""
    torch = import_extra("torch", "train")
    torch.manual_seed(options.seed)
    torch.use_deterministic_algorithms(True)
    network = make(config, how.dropout)
    optimizer = torch.optim.Adam(network.parameters(), lr=how.rate)
    state = _Progress(options.work / f"{make.__name__}-{_key(train, config, how, options)}.pt", network, optimizer)
    batches = [(each, first) for each in train for first in range(0, len(each), how.batch_pages)]
    vectors = {id(each): arrange_tags(each, tags) for each in (*train, *dev)}
    for epoch in range(len(state.losses), how.epochs):
        if _has_ended(state.losses, how):
            break
        order = np.random.default_rng((options.seed, epoch)).permutation(len(batches))
        network.train()
        total = 0.0
        for step, at in enumerate(options.progress(order.tolist(), f"Epoch {epoch + 1}")):
            graphs, first = batches[at]
            if how.decays:
                share = (epoch + step / len(batches)) / how.epochs
                optimizer.param_groups[0]["lr"] = how.rate * 0.5 * (1 + math.cos(math.pi * share))
            last = min(first + how.batch_pages, len(graphs))
            batch = make_batch(graphs, first, last, vectors[id(graphs)], config)
            loss = measure_loss(network(batch), batch, config, how)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += float(loss.detach())
        state.finish_epoch(total / len(batches), _measure_all(network, dev, vectors, config, how))
        options.report(f"epoch {epoch + 1}: loss {state.losses[-1][0]:.4f}, on dev pages {state.losses[-1][1]:.4f}")
    if how.keeps_best:
        state.restore_best()
    network.eval()
    return Fitted(network, tuple(state.losses))


def predict(network: Any, graphs: Graphs, tags: TagVectors, config: GcnConfig) -> NDArray[np.float32]:
    """Probabilities of each class for all nodes: (nodes, classes)."""
    torch = import_extra("torch", "train")
    vectors = arrange_tags(graphs, tags)
    found = []
    network.eval()
    with torch.no_grad():
        for page in range(0, len(graphs), 8):
            logits = network(make_batch(graphs, page, min(page + 8, len(graphs)), vectors, config))
            shares = torch.softmax(logits, dim=1)[:, :-1] if config.is_exclusive else torch.sigmoid(logits)
            found.append(shares.numpy())
    return np.concatenate(found) if found else np.zeros((0, len(config.classes)), np.float32)


def arrange_tags(graphs: Graphs, tags: TagVectors) -> NDArray[np.float32]:
    """Vectors of graphs.tags; null for a tag that has none."""
    place = {tag: at for at, tag in enumerate(tags.tags)}
    padded = np.vstack((tags.vectors, np.zeros((1, tags.vectors.shape[1]), np.float32)))
    return padded[[place.get(tag, -1) for tag in graphs.tags]].astype(np.float32)


def measure_loss(logits: Any, batch: Batch, config: GcnConfig, how: FitConfig) -> Any:
    """Cross entropy over the nodes, negative ones weighted down."""
    torch = import_extra("torch", "train")
    counts = batch.counts
    if how.text_only:
        is_text = torch.zeros_like(counts).index_fill(0, batch.text_row, 1.0)
        counts = counts * is_text
    if how.length_power:
        length = batch.numbers[:, 0] / LENGTH_SCALE
        counts = counts * (1 + length) ** how.length_power
    is_positive = batch.label.amax(dim=1)
    if config.is_exclusive:
        kind = torch.where(is_positive > 0, batch.label.argmax(dim=1), batch.label.shape[1])
        losses = torch.nn.functional.cross_entropy(logits, kind, reduction="none")
        weights = counts * torch.where(is_positive > 0, 1.0, how.negative_weight)
    else:
        weights = counts[:, None] * torch.where(batch.label > 0, 1.0, how.negative_weight)
        losses = torch.nn.functional.binary_cross_entropy_with_logits(logits, batch.label, reduction="none")
    return (weights * losses).sum() / weights.sum().clamp(min=1e-6)


def _measure_all(
    network: Any, graphs: Sequence[Graphs], vectors: dict[int, NDArray[np.float32]], config: GcnConfig, how: FitConfig
) -> float:
    torch = import_extra("torch", "train")
    network.eval()
    losses = []
    with torch.no_grad():
        for each in graphs:
            for first in range(0, len(each), 8):
                batch = make_batch(each, first, min(first + 8, len(each)), vectors[id(each)], config)
                losses.append(float(measure_loss(network(batch), batch, config, how)))
    return float(np.mean(losses)) if losses else 0.0


def _has_ended(losses: Sequence[tuple[float, float]], how: FitConfig) -> bool:
    """Tell whether the loss on dev pages rose in so many epochs, one after the other."""
    own = [loss for _, loss in losses[-how.patience - 1 :]]
    return len(own) > how.patience and all(one < other for one, other in pairwise(own))


def _key(train: Sequence[Graphs], config: GcnConfig, how: FitConfig, options: TrainingOptions) -> str:
    pages = [page["id"] for each in train for page in each.pages]
    shape = replace(config, gap=0.0, refines=True, thresholds=())  # what comes after the network does not matter
    told = f"{asdict(shape)} {asdict(how)} {options.seed} {pages}"
    return hashlib.blake2b(told.encode(), digest_size=6).hexdigest()


class _Progress:
    """What is kept after each epoch, so that an interrupted run can go on."""

    def __init__(self, path: Path, network: Any, optimizer: Any) -> None:
        self.path, self.network, self.optimizer = path, network, optimizer
        self.losses: list[tuple[float, float]] = []
        self.best: dict[str, Any] = {}
        if path.exists():
            torch = import_extra("torch", "train")
            kept = torch.load(path, weights_only=True)
            network.load_state_dict(kept["network"])
            optimizer.load_state_dict(kept["optimizer"])
            torch.set_rng_state(kept["random"])
            self.losses, self.best = [tuple(pair) for pair in kept["losses"]], kept["best"]

    def finish_epoch(self, train_loss: float, dev_loss: float) -> None:
        torch = import_extra("torch", "train")
        self.losses.append((train_loss, dev_loss))
        if dev_loss <= min(loss for _, loss in self.losses):
            self.best = {name: values.clone() for name, values in self.network.state_dict().items()}
        kept = {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "losses": self.losses,
            "best": self.best,
        }
        draft = self.path.with_suffix(".part")
        torch.save(kept, draft)
        draft.rename(self.path)

    def restore_best(self) -> None:
        if self.best:
            self.network.load_state_dict(self.best)
