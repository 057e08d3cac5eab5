"""Fit a graph network (section 6): weighted cross entropy, Adam, early stopping by the loss on dev pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import LENGTH_SCALE
from broadsheet.training.cache import make_key
from broadsheet.training.checkpoint import Checkpoint
from broadsheet.training.gcn.graphs import Graphs
from broadsheet.training.gcn.network import Batch, import_arrays, make_batch, make_network
from broadsheet.training.gcn.tags import TagVectors
from broadsheet.training.options import TrainingOptions

PREDICTION_PAGES = 8  # per batch when nothing is learned


@dataclass(frozen=True, slots=True)
class FitConfig:
    """How the network learns. The defaults are as published (section 6)."""

    rate: float = 1e-4  # of Adam
    epochs: int = 40  # at most
    patience: int = 3  # training stops when the loss on dev pages rises in this many consecutive epochs
    dropout: float = 0.3
    negative_weight: float = 0.01
    batch_pages: int = 1  # not stated
    keeps_best: bool = False  # ours: keep the weights of the epoch with the least loss on dev pages, not the last ones
    decays: bool = False  # ours: the rate follows half a cosine down to zero
    text_only: bool = False  # ours: only text nodes count, because only their predictions are used
    length_power: float = 0.0  # ours: a node's weight is a power of its text length; 0: all have the same weight


@dataclass(frozen=True, slots=True, eq=False)
class GraphData:
    """The graphs to learn from, and the vectors of their tags."""

    train: Sequence[Graphs]
    dev: Sequence[Graphs]
    tags: TagVectors


@dataclass(frozen=True, slots=True)
class NetworkPlan:
    """A network and how it learns."""

    config: GcnConfig
    fit: FitConfig
    make: Callable[[GcnConfig, float], Any] = make_network  # its name is part of the checkpoint's name
    start: Mapping[str, NDArray[Any]] | None = None  # arrays of trained weights to start from


@dataclass(frozen=True, slots=True)
class Fitted:
    """A trained network, and its losses."""

    network: Any
    losses: tuple[tuple[float, float], ...]  # on train pages and on dev pages, per epoch


def fit_network(data: GraphData, plan: NetworkPlan, options: TrainingOptions) -> Fitted:
    """Train a network. An interrupted run continues after its last finished epoch."""
    torch = import_extra("torch", "train")
    torch.manual_seed(options.seed)
    torch.use_deterministic_algorithms(True)
    return _Fitter(data, plan, options).run()


class _Fitter:
    """A training run."""

    def __init__(self, data: GraphData, plan: NetworkPlan, options: TrainingOptions) -> None:
        torch = import_extra("torch", "train")
        self.data, self.plan, self.options = data, plan, options
        self.network = plan.make(plan.config, plan.fit.dropout)
        if plan.start is not None:
            import_arrays(self.network, plan.start)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=plan.fit.rate)
        name = f"{plan.make.__name__}-{_make_key(data, plan, options)}"
        self.checkpoint = Checkpoint(options.work, name, {"network": self.network, "optimizer": self.optimizer})
        self.tag_vectors = {id(graphs): data.tags.arrange(graphs.tags) for graphs in (*data.train, *data.dev)}

    def run(self) -> Fitted:
        """Train until the last epoch, or until the loss on dev pages keeps rising."""
        fit, network = self.plan.fit, self.network
        state = {"losses": [], "best": {}, **self.checkpoint.restore()}
        losses: list[tuple[float, float]] = state["losses"]
        while len(losses) < fit.epochs and not has_stopped_improving(losses, fit.patience):
            losses.append((self._train_epoch(len(losses)), self._measure_dev_loss()))
            if losses[-1][1] <= min(loss for _, loss in losses):
                state["best"] = {name: values.clone() for name, values in network.state_dict().items()}
            self.checkpoint.save(**state)
            self.options.report(f"epoch {len(losses)}: loss {losses[-1][0]:.4f}, on dev pages {losses[-1][1]:.4f}")
        if fit.keeps_best and state["best"]:
            network.load_state_dict(state["best"])
        network.eval()
        return Fitted(network, tuple(losses))

    def _train_epoch(self, epoch: int) -> float:
        """Train on all pages once. Returns the mean loss of a batch."""
        fit = self.plan.fit
        starts = [(graphs, first) for graphs in self.data.train for first in range(0, len(graphs), fit.batch_pages)]
        order = np.random.default_rng((self.options.seed, epoch)).permutation(len(starts))
        self.network.train()
        total = 0.0
        for step, number in enumerate(self.options.progress(order.tolist(), f"epoch {epoch + 1}")):
            if fit.decays:
                share = (epoch + step / len(starts)) / fit.epochs
                self.optimizer.param_groups[0]["lr"] = fit.rate * 0.5 * (1 + math.cos(math.pi * share))
            graphs, first = starts[number]
            loss = self._measure_batch_loss(graphs, first, fit.batch_pages)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += float(loss.detach())
        return total / len(starts)

    def _measure_dev_loss(self) -> float:
        torch = import_extra("torch", "train")
        self.network.eval()
        with torch.no_grad():
            losses = [
                float(self._measure_batch_loss(graphs, first, PREDICTION_PAGES))
                for graphs in self.data.dev
                for first in range(0, len(graphs), PREDICTION_PAGES)
            ]
        return float(np.mean(losses)) if losses else 0.0

    def _measure_batch_loss(self, graphs: Graphs, first: int, pages: int) -> Any:
        last = min(first + pages, len(graphs))
        batch = make_batch(graphs, first, last, self.tag_vectors[id(graphs)], self.plan.config)
        return measure_loss(self.network(batch), batch, self.plan.config, self.plan.fit)


def predict_nodes(network: Any, graphs: Graphs, tags: TagVectors, config: GcnConfig) -> NDArray[np.float32]:
    """Return the probabilities of each class for all nodes: (nodes, classes)."""
    torch = import_extra("torch", "train")
    tag_vectors = tags.arrange(graphs.tags)
    probabilities = [np.zeros((0, len(config.classes)), np.float32)]
    network.eval()
    with torch.no_grad():
        for first in range(0, len(graphs), PREDICTION_PAGES):
            last = min(first + PREDICTION_PAGES, len(graphs))
            logits = network(make_batch(graphs, first, last, tag_vectors, config))
            shares = torch.softmax(logits, dim=1)[:, :-1] if config.is_exclusive else torch.sigmoid(logits)
            probabilities.append(shares.numpy())
    return np.concatenate(probabilities)


def measure_loss(logits: Any, batch: Batch, config: GcnConfig, fit: FitConfig) -> Any:
    """Return the cross entropy over the nodes, with a lower weight for negative nodes."""
    torch = import_extra("torch", "train")
    counts = batch.counts
    if fit.text_only:
        is_text = torch.zeros_like(counts).index_fill(0, batch.text_row, 1.0)
        counts = counts * is_text
    if fit.length_power:
        length = batch.numbers[:, 0] / LENGTH_SCALE
        counts = counts * (1 + length) ** fit.length_power
    is_positive = batch.label.amax(dim=1)
    if config.is_exclusive:
        target = torch.where(is_positive > 0, batch.label.argmax(dim=1), batch.label.shape[1])
        losses = torch.nn.functional.cross_entropy(logits, target, reduction="none")
        weights = counts * torch.where(is_positive > 0, 1.0, fit.negative_weight)
    else:
        weights = counts[:, None] * torch.where(batch.label > 0, 1.0, fit.negative_weight)
        losses = torch.nn.functional.binary_cross_entropy_with_logits(logits, batch.label, reduction="none")
    return (weights * losses).sum() / weights.sum().clamp(min=1e-6)


def has_stopped_improving(losses: Sequence[tuple[float, float]], patience: int) -> bool:
    """Return whether the loss on dev pages rose in each of the last `patience` epochs."""
    dev_losses = [loss for _, loss in losses[-patience - 1 :]]
    return len(dev_losses) > patience and all(earlier < later for earlier, later in pairwise(dev_losses))


def _make_key(data: GraphData, plan: NetworkPlan, options: TrainingOptions) -> str:
    pages = [page for graphs in data.train for page in graphs.ids]
    shape = replace(plan.config, gap=0.0, refines=True, thresholds=())  # these apply after the network
    return make_key(shape, plan.fit, options.seed, options.start, pages)
