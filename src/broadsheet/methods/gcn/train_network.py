"""The graph network in torch, as `network.py` in NumPy; the vectors of tags; the training loop (section 6)."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.extras import import_extra
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.features import EXTRA_NUMBERS, LENGTH_SCALE, NUMBERS, TAG_COLUMNS
from broadsheet.methods.gcn.train_data import Graphs
from broadsheet.training.cache import make_key
from broadsheet.training.loop import Checkpoint, keep_best, run_epochs
from broadsheet.training.options import TrainingOptions

MIN_PAIRS = 20  # a tag in fewer pairs has the zero vector
MIN_PAIRS_PAGES = 200  # with fewer pages, all tags have vectors
MAX_REPEATS = 2_000  # of one pair: <div><div> makes up a third of all pairs
EPOCHS = 5
WORD_COLUMNS = 200
Tensor = Any  # torch is imported when it is used
PREDICTION_PAGES = 8  # per batch when nothing is learned


@dataclass(frozen=True, slots=True, eq=False)
class TagVectors:
    """Tags in alphabetical order, and their vectors."""

    tags: list[str]
    vectors: NDArray[np.float32]  # (tags, 8)

    def arrange(self, tags: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some tags; zeros for a tag without a vector."""
        rows = {tag: row for row, tag in enumerate(self.tags)}
        padded = np.vstack((self.vectors, np.zeros((1, self.vectors.shape[1]), np.float32)))
        return padded[[rows.get(tag, -1) for tag in tags]].astype(np.float32)


def learn_tags(graphs: Sequence[Graphs], seed: int) -> TagVectors:
    """Learn vectors from all pairs of parent and child, each as a sentence of two words."""
    word2vec = import_extra("gensim.models", "train").Word2Vec
    sentences = list(_repeat_pairs(_count_pairs(graphs)))
    np.random.default_rng(seed).shuffle(sentences)
    model = word2vec(
        sentences,
        vector_size=TAG_COLUMNS,
        window=1,
        min_count=MIN_PAIRS if sum(map(len, graphs)) >= MIN_PAIRS_PAGES else 1,
        sg=1,
        negative=5,
        epochs=EPOCHS,
        workers=1,  # with several, the vectors differ between runs
        seed=seed + 1,
        hashfxn=_hash_word,
    )
    tags = sorted(model.wv.index_to_key)
    return TagVectors(tags, np.array([model.wv[tag] for tag in tags], np.float32))


def _count_pairs(graphs: Sequence[Graphs]) -> Counter[tuple[str, str]]:
    pairs: Counter[tuple[str, str]] = Counter()
    for part in graphs:
        child = np.flatnonzero(part.parent >= 0)
        width = len(part.tags)
        codes = part.tag[part.parent[child]].astype(np.int64) * width + part.tag[child]
        for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
            pairs[part.tags[code // width], part.tags[code % width]] += int(count)
    return pairs


def _repeat_pairs(pairs: Counter[tuple[str, str]]) -> Iterator[list[str]]:
    for pair, count in sorted(pairs.items()):
        for _ in range(min(count, MAX_REPEATS)):
            yield list(pair)


def _hash_word(text: str) -> int:
    """Hash a word: Python's own hash differs between processes."""
    return zlib.crc32(text.encode())


@dataclass(frozen=True, slots=True, eq=False)
class GraphBatch:
    """Some pages as one graph of several trees. Rows are counted from 0."""

    tag: Tensor  # (nodes, 8)
    numbers: Tensor  # (nodes, 7 or 12)
    text_row: Tensor
    text_vector: Tensor  # (texts, 200)
    name_row: Tensor
    name_index: Tensor
    name_vector: Tensor  # (distinct names, 200)
    child: Tensor
    parent: Tensor
    norm: Tensor  # (edges, 1)
    label: Tensor  # (nodes, classes)
    counts: Tensor  # (nodes,)


def make_batch(
    graphs: Graphs, first: int, last: int, tag_vectors: NDArray[np.float32], config: GcnConfig
) -> GraphBatch:
    """Make a batch of pages first to last - 1. `tag_vectors` are those of graphs.tags."""
    torch = import_extra("torch", "train")
    nodes = slice(int(graphs.node_start[first]), int(graphs.node_start[last]))
    texts = slice(int(graphs.text_start[first]), int(graphs.text_start[last]))
    names = slice(int(graphs.name_start[first]), int(graphs.name_start[last]))
    if not config.reads_names:
        names = slice(0, 0)
    parents = np.where(graphs.parent[nodes] < 0, -1, graphs.parent[nodes] - nodes.start)
    child = np.flatnonzero(parents >= 0)
    parent = parents[child]
    degree = 1.0 + np.bincount(parent, minlength=len(parents))
    norm = (1 / np.sqrt(degree[parent] * degree[child])).astype(np.float32)
    distinct_names, name_index = np.unique(graphs.name_index[names], return_inverse=True)
    columns = len(NUMBERS) + (len(EXTRA_NUMBERS) if config.has_extra_numbers else 0)
    as_tensor = torch.from_numpy
    return GraphBatch(
        tag=as_tensor(tag_vectors[graphs.tag[nodes]]),
        numbers=as_tensor(graphs.numbers[nodes, :columns].copy()),
        text_row=as_tensor(graphs.text_row[texts].astype(np.int64) - nodes.start),
        text_vector=as_tensor(graphs.text_vector[texts].astype(np.float32)),
        name_row=as_tensor(graphs.name_row[names].astype(np.int64) - nodes.start),
        name_index=as_tensor(name_index.astype(np.int64)),
        name_vector=as_tensor(graphs.name_vector[distinct_names].astype(np.float32)),
        child=as_tensor(child.astype(np.int64)),
        parent=as_tensor(parent.astype(np.int64)),
        norm=as_tensor(norm[:, np.newaxis]),
        label=as_tensor(graphs.label[nodes].astype(np.float32)),
        counts=as_tensor(graphs.counts[nodes].astype(np.float32)),
    )


def make_network(config: GcnConfig, dropout: float) -> Any:
    """Make a network with random weights (Equations 2 to 5)."""
    torch = import_extra("torch", "train")

    class TrainableGcn(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            width = count_columns(config)
            for layer in range(config.layers):
                self._add_layer(f"layer{layer}_0", 3 * width, config.hidden)
                self._add_layer(f"layer{layer}_1", config.hidden, config.hidden)
                width = config.hidden
            outputs = len(config.classes) + config.is_exclusive
            self._add_layer("classes", width, outputs)

        def _add_layer(self, name: str, rows: int, columns: int) -> None:
            weights = torch.empty(rows, columns)
            torch.nn.init.kaiming_uniform_(weights.T, nonlinearity="relu")
            self.register_parameter(f"{name}_w", torch.nn.Parameter(weights))
            if config.has_bias:
                self.register_parameter(f"{name}_b", torch.nn.Parameter(torch.zeros(columns)))

        def forward(self, batch: GraphBatch) -> Tensor:
            hidden = project_features(batch, _arrange_products(self.layer0_0_w), config)
            for layer in range(config.layers):
                if layer:
                    hidden = hidden @ _arrange_products(self._get(f"layer{layer}_0_w"))
                hidden = torch.relu(self._add_bias(_convolve(batch, hidden), f"layer{layer}_0"))
                hidden = torch.relu(self._add_bias(hidden @ self._get(f"layer{layer}_1_w"), f"layer{layer}_1"))
                hidden = torch.nn.functional.dropout(hidden, dropout, self.training)
            return self._add_bias(hidden @ self.classes_w, "classes")

        def _get(self, name: str) -> Tensor:
            return getattr(self, name)

        def _add_bias(self, values: Tensor, name: str) -> Tensor:
            return values + self._get(f"{name}_b") if config.has_bias else values

    return TrainableGcn()


def count_columns(config: GcnConfig) -> int:
    """Return the number of features of a node: 215 as published."""
    words = WORD_COLUMNS * (2 if config.reads_names else 1)
    return TAG_COLUMNS + words + len(NUMBERS) + (len(EXTRA_NUMBERS) if config.has_extra_numbers else 0)


def import_arrays(network: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Set the weights of a network from the arrays that `export_arrays` returns."""
    torch = import_extra("torch", "train")
    names = {_rename(name): name for name in network.state_dict()}
    network.load_state_dict(
        {name: torch.from_numpy(np.asarray(arrays[key], np.float32).copy()) for key, name in names.items()}
    )


def export_arrays(network: Any) -> dict[str, NDArray[np.float32]]:
    """Return the weights under the names of the NumPy network: layer0_0_w becomes layer0.w0."""
    arrays = {}
    for name, values in network.state_dict().items():
        arrays[_rename(name)] = values.detach().numpy().astype(np.float32).copy()
    return arrays


def _rename(name: str) -> str:
    parts = name.split("_")
    return f"{parts[0]}.{parts[-1]}" + (parts[1] if len(parts) == 3 else "")


def _arrange_products(weights: Tensor) -> Tensor:
    """Put Wa, Wb and Wc side by side, so that one product computes H Wa, H Wb and H Wc."""
    torch = import_extra("torch", "train")
    return torch.cat(torch.chunk(weights, 3), dim=1)


def project_features(batch: GraphBatch, weights: Tensor, config: GcnConfig) -> Tensor:
    """Return X times weights, from the parts of the feature matrix X: (nodes, columns of the weights)."""
    names = WORD_COLUMNS if config.reads_names else 0
    sizes = [TAG_COLUMNS, WORD_COLUMNS, names, len(weights) - TAG_COLUMNS - WORD_COLUMNS - names]
    of_tag, of_text, of_names, of_numbers = weights.split(sizes)
    projected = batch.tag @ of_tag + batch.numbers @ of_numbers
    projected = projected.index_add(0, batch.text_row, batch.text_vector @ of_text)
    if names:
        projected = projected.index_add(0, batch.name_row, (batch.name_vector @ of_names)[batch.name_index])
    return projected


def _convolve(batch: GraphBatch, projected: Tensor) -> Tensor:
    """Return H Wa + Â(H Wb) + Âᵀ(H Wc), given the three products side by side."""
    node, children, parents = projected.chunk(3, dim=1)
    convolved = node.index_add(0, batch.parent, children[batch.child] * batch.norm)
    return convolved.index_add(0, batch.child, parents[batch.parent] * batch.norm)


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
    divides_by_weights: bool = False  # ours: the loss is divided by the sum of the weights, not by the number of nodes


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
    torch.set_num_threads(1)  # pages are small: with two threads a run takes four times as long
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
        name = f"gcn-{plan.make.__name__}-{_make_key(data, plan, options)}"
        self.checkpoint = Checkpoint(options.work, name, {"network": self.network, "optimizer": self.optimizer})
        self.tag_vectors = {id(graphs): data.tags.arrange(graphs.tags) for graphs in (*data.train, *data.dev)}

    def run(self) -> Fitted:
        """Train until the last epoch, or until the loss on dev pages keeps rising."""
        state = run_epochs(self.checkpoint, self.plan.fit.epochs, self._run_epoch, self.options.report)
        if self.plan.fit.keeps_best:
            self.network.load_state_dict(state["best_weights"])
        self.network.eval()
        return Fitted(self.network, tuple(state["losses"]))

    def _run_epoch(self, epoch: int, state: dict[str, Any]) -> str:
        loss, dev_loss = self._train_epoch(epoch), self._measure_dev_loss()
        losses = state.setdefault("losses", [])
        losses.append((loss, dev_loss))
        keep_best(state, -dev_loss, self.network)
        state["is_done"] = has_stopped_improving(losses, self.plan.fit.patience)
        return f"loss {loss:.4f}, on dev pages {dev_loss:.4f}"

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


def measure_loss(logits: Any, batch: GraphBatch, config: GcnConfig, fit: FitConfig) -> Any:
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
    divisor = weights.sum() if fit.divides_by_weights else counts.sum()
    return (weights * losses).sum() / divisor.clamp(min=1e-6)


def has_stopped_improving(losses: Sequence[tuple[float, float]], patience: int) -> bool:
    """Return whether the loss on dev pages rose in each of the last `patience` epochs."""
    dev_losses = [loss for _, loss in losses[-patience - 1 :]]
    return len(dev_losses) > patience and all(earlier < later for earlier, later in pairwise(dev_losses))


def _make_key(data: GraphData, plan: NetworkPlan, options: TrainingOptions) -> str:
    pages = [page for graphs in data.train for page in graphs.ids]
    shape = replace(plan.config, gap=0.0, refines=True, thresholds=())  # these apply after the network
    return make_key(shape, plan.fit, options.seed, options.start, pages)
