"""Train the block network: batches of pages with names dropped at random, the loss, and predictions."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from broadsheet.methods.fusion.array_network import find_rows
from broadsheet.methods.fusion.network import MAX_DEVIATIONS, MAX_NAME_LEVELS, NAME_DECAY
from broadsheet.methods.fusion.train_data import FusionPages
from broadsheet.methods.fusion.train_labels import ROLES, UNKNOWN, weigh_blocks
from broadsheet.methods.fusion.train_network import (
    GAP_BLOCKS,
    PageBatch,
    Preprocessing,
    Shape,
    TrainableFusion,
    Vocabulary,
)
from broadsheet.methods.fusion.train_recipe import FusionRecipe
from broadsheet.training.loop import Checkpoint, run_epochs

STATISTICS_STEP = 7  # mean and spread are computed from every seventh block
MAX_GRADIENT_NORM = 1.0
WARM_UP_SHARE = 0.15  # of the steps, in which the learning rate rises
# Page types with conventions of their own, because what is their main content differs from that of an article.
PAGE_KINDS = ("collection", "documentation", "listing", "product", "service")


def fit_preprocessing(pages: FusionPages, recipe: FusionRecipe) -> Preprocessing:
    """Compute the vocabulary, and the mean and spread of every feature."""
    values = pages.values[::STATISTICS_STEP].astype(np.float32)
    return Preprocessing(_find_vocabulary(pages, recipe), values.mean(0), values.std(0) + 1e-3)


def _find_vocabulary(pages: FusionPages, recipe: FusionRecipe) -> Vocabulary:
    """Keep the names and words that enough sites use: the network would memorize the pages of rarer ones."""
    name_starts = pages.name_starts[pages.position_starts]
    names = [np.unique(pages.names[start:end]) for start, end in pairwise(name_starts.tolist())]
    words = [np.unique(pages.words[start:end]) for start, end in pairwise(pages.block_starts.tolist())]
    return Vocabulary(
        names=_find_common_hashes(names, pages.sites, recipe.min_sites, None),
        words=_find_common_hashes(words, pages.sites, recipe.min_word_sites, recipe.max_words),
        tags=tuple(np.unique(pages.tags).tolist()),
        datasets=(*np.unique(pages.datasets).tolist(), *map(name_kind, PAGE_KINDS)),
    )


def name_kind(page_type: str) -> str:
    """Return the name of a kind of pages in the list of datasets."""
    return f"kind {page_type}"


def _find_common_hashes(
    hashes_of_pages: Sequence[NDArray[np.uint32]], sites: NDArray[np.str_], min_sites: int, max_hashes: int | None
) -> NDArray[np.uint32]:
    """Return the hashes that at least `min_sites` sites use, sorted; at most `max_hashes`, the most common ones."""
    site_numbers = np.unique(sites, return_inverse=True)[1].astype(np.uint64)
    pairs = [
        hashes.astype(np.uint64) << np.uint64(32) | site
        for hashes, site in zip(hashes_of_pages, site_numbers, strict=True)
    ]
    hashes, users = np.unique(np.unique(np.concatenate(pairs)) >> np.uint64(32), return_counts=True)
    is_common = (users >= min_sites) & (hashes > 0)
    hashes, users = hashes[is_common], users[is_common]
    most_common = np.argsort(-users, kind="stable")[:max_hashes]
    return np.sort(hashes[most_common]).astype(np.uint32)


@dataclass(frozen=True, slots=True, eq=False)
class _OuterNames:
    """Names of the positions that enclose each position of a page."""

    names: NDArray[np.int32]
    starts: NDArray[np.int64]  # where the names of each position begin
    weights: NDArray[np.float32]  # they decrease outwards


class Batcher:
    """Makes batches of pages."""

    def __init__(
        self, pages: FusionPages, preprocessing: Preprocessing, pseudo_labels: NDArray[np.float16] | None = None
    ) -> None:
        """Prepare pages.

        `pseudo_labels`, (blocks, roles), are targets for the first roles, negative where they are not used.
        """
        vocabulary = preprocessing.vocabulary
        self.pages = pages
        self._preprocessing = preprocessing
        self._pseudo_labels = pseudo_labels
        self._names = find_rows(vocabulary.names, pages.names).astype(np.int32)
        self._words = find_rows(vocabulary.words, pages.words).astype(np.int32)
        tag_numbers = {tag: number for number, tag in enumerate(vocabulary.tags, 1)}
        self._tags = np.array([tag_numbers.get(tag, 0) for tag in pages.tags.tolist()])
        dataset_numbers = {name: number for number, name in enumerate(vocabulary.datasets, 1)}
        self._datasets = np.array([dataset_numbers.get(name, 0) for name in pages.datasets.tolist()])
        kind_numbers = {kind: dataset_numbers.get(name_kind(kind), 0) for kind in PAGE_KINDS}
        self._kinds = np.array([kind_numbers.get(page_type, 0) for page_type in pages.page_types.tolist()])
        self._outer_names = [self._find_outer_names(page) for page in range(len(pages))]

    def set_dataset(self, chosen: NDArray[np.intp], dataset: int) -> None:
        """Show some pages as pages of another dataset, by its number: their labels follow its convention."""
        self._datasets[chosen] = dataset

    def _find_outer_names(self, page: int) -> _OuterNames:
        positions = range(*self.pages.position_starts[page : page + 2].tolist())
        outer, starts = self.pages.outer, self.pages.name_starts
        names_of = [self._names[starts[position] : starts[position + 1]] for position in positions]
        names: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
        weights: list[float] = []
        begins = []
        for position in positions:
            begins.append(len(weights))
            enclosing, weight = int(outer[position]), 1.0
            for _ in range(MAX_NAME_LEVELS):
                if enclosing < 0:
                    break
                names.append(names_of[enclosing])
                weights += [weight] * len(names_of[enclosing])
                enclosing, weight = int(outer[positions.start + enclosing]), weight * NAME_DECAY
        return _OuterNames(np.concatenate(names), np.array(begins, np.int64), np.array(weights, np.float32))

    def make_batch(
        self,
        chosen: list[int],
        shape: Shape | None = None,
        generator: np.random.Generator | None = None,
        kind_share: float = 0.0,
    ) -> PageBatch:
        """Concatenate pages. With a shape and a generator, names are dropped as the shape says.

        `kind_share` of the pages of PAGE_KINDS are shown as pages of their kind, not of their dataset.
        """
        parts = [self._make_part(page, shape, generator) for page in chosen]
        if generator and kind_share:
            for page, part in zip(chosen, parts, strict=True):
                if self._kinds[page] and generator.random() < kind_share:
                    part["dataset"][: len(part["dataset"]) - GAP_BLOCKS] = self._kinds[page]
        block = position = near_name = far_name = 0
        for number, part in enumerate(parts):
            part["page"] += number
            part["first"] += block
            part["after"] += block
            part["position"] += position
            part["near_starts"] += near_name
            part["far_starts"] += far_name
            block += len(part["position"])
            position += len(part["tag"])
            near_name += len(part["near"])
            far_name += len(part["far"])
        columns = {name: torch.from_numpy(np.concatenate([part[name] for part in parts])) for name in parts[0]}
        near = (columns.pop("near"), columns.pop("near_starts"))
        far = (columns.pop("far"), columns.pop("far_starts"), columns.pop("far_weights"))
        return PageBatch(near=near, far=far, **columns)

    def _make_part(
        self, page: int, shape: Shape | None, generator: np.random.Generator | None
    ) -> dict[str, NDArray[Any]]:
        pages, preprocessing = self.pages, self._preprocessing
        vocabulary, rows = preprocessing.vocabulary, pages.rows(page)
        count = rows.stop - rows.start
        words = self._words[rows]
        first_position, last_position = pages.position_starts[page : page + 2].tolist()
        near = self._names[pages.name_starts[first_position] : pages.name_starts[last_position]]
        far = self._outer_names[page].names
        if shape and generator:
            is_dropped = _draw_dropped(len(vocabulary.names), shape.drop_all_names, shape.drop_name, generator)
            near, far = np.where(is_dropped[near], 0, near), np.where(is_dropped[far], 0, far)
            is_dropped = _draw_dropped(len(vocabulary.words), shape.drop_all_words, shape.drop_word, generator)
            words = np.where(is_dropped[words], 0, words)
        outer = pages.outer[first_position:last_position]
        tag = self._tags[first_position:last_position]
        values = (pages.values[rows].astype(np.float32) - preprocessing.mean) / preprocessing.spread
        page_level = np.zeros((count, 1), np.int64), np.full((count, 1), count)
        first, after = (
            np.concatenate((levels, whole), 1).astype(np.int64)
            for levels, whole in zip((pages.first[rows], pages.after[rows]), page_level, strict=True)
        )
        target, weight = self._make_targets(rows)
        return {
            "values": _pad(np.clip(values, -MAX_DEVIATIONS, MAX_DEVIATIONS)),
            "words": _pad(words.astype(np.int64)),
            "word_count": np.maximum(_pad((pages.words[rows] > 0).sum(1, keepdims=True, dtype=np.float32)), 1),
            "is_block": _pad(np.ones((count, 1), np.float32)),
            "first": _pad(first),
            "after": _pad(after),
            "position": _pad(pages.position[rows].astype(np.int64)),
            "near": near.astype(np.int64),
            "near_starts": pages.name_starts[first_position:last_position] - pages.name_starts[first_position],
            "far": far.astype(np.int64),
            "far_starts": self._outer_names[page].starts.copy(),
            "far_weights": self._outer_names[page].weights,
            "tag": tag.astype(np.int64),
            "outer_tag": np.where(outer >= 0, tag[np.maximum(outer, 0)], 0).astype(np.int64),
            "dataset": _pad(np.full(count, self._datasets[page], np.int64)),
            "target": _pad(target),
            "weight": _pad(weight),
            "chars": _pad(np.where(weight[:, 0] == 0, 0, _count_chars(pages, rows))),
            "page": np.zeros(count + GAP_BLOCKS, np.int64),
        }

    def _make_targets(self, rows: slice) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return targets and weights: (n, roles) each."""
        labels = self.pages.labels[rows].astype(np.float32)
        if self._pseudo_labels is not None:
            pseudo_labels = self._pseudo_labels[rows]
            roles = pseudo_labels.shape[1]
            labels[:, :roles] = np.where(pseudo_labels >= 0, pseudo_labels, labels[:, :roles])
        weight = weigh_blocks(_count_chars(self.pages, rows))
        return np.maximum(labels, 0), np.where(labels == UNKNOWN, 0, weight[:, None]).astype(np.float32)


def _draw_dropped(count: int, all_share: float, each_share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    """Draw the names or words that a page is shown without: all of them, or a share. Row 0 is for unknown ones."""
    numbers = generator.random(count + 1)
    return numbers < (1 if generator.random() < all_share else each_share)


def _count_chars(pages: FusionPages, rows: slice) -> NDArray[np.float32]:
    """Return the lengths of blocks: the first feature is log(1 + characters)."""
    chars: NDArray[np.float32] = np.expm1(pages.values[rows, 0].astype(np.float32))
    return chars


def _pad(rows: NDArray[Any]) -> NDArray[Any]:
    padded = np.zeros((len(rows) + GAP_BLOCKS, *rows.shape[1:]), rows.dtype)
    padded[: len(rows)] = rows
    return padded


@dataclass(frozen=True, slots=True, eq=False)
class NetworkRun:
    """One network to train: its pages, and the name of its checkpoint."""

    pages: NDArray[np.intp]
    seed: int
    epochs: int
    folder: Path  # of the checkpoint
    name: str  # of the checkpoint
    report: Callable[[str], None]
    start: TrainableFusion | None = None  # continue from this network; None: random weights


class NetworkTrainer:
    """Trains networks of one shape with one recipe."""

    def __init__(self, preprocessing: Preprocessing, recipe: FusionRecipe, shape: Shape) -> None:
        self.preprocessing, self.recipe, self.shape = preprocessing, recipe, shape

    def train(self, batcher: Batcher, run: NetworkRun) -> TrainableFusion:
        """Train a network and return the running mean of its weights. An interrupted run continues after an epoch."""
        torch.set_num_threads(1)
        torch.manual_seed(run.seed)
        vocabulary = self.preprocessing.vocabulary
        network = TrainableFusion(len(self.preprocessing.mean), vocabulary, self.shape, len(ROLES))
        if run.start is not None:
            network.load_state_dict(run.start.state_dict())
        state = _State(network, self.recipe, run)

        def train_epoch(epoch: int, _: dict[str, Any]) -> str:
            return f"loss {self._train_epoch(state, batcher, run, epoch):.4f}"

        run_epochs(state.checkpoint, run.epochs, train_epoch, run.report)
        state.average.eval()
        return state.average

    def _train_epoch(self, state: _State, batcher: Batcher, run: NetworkRun, epoch: int) -> float:
        """Train on every page once. Returns the mean loss of a step."""
        recipe = self.recipe
        generator = np.random.default_rng((run.seed, epoch))
        order = run.pages[generator.permutation(len(run.pages))]
        state.network.train()
        total = 0.0
        for step in range(state.epoch_steps):
            chosen = order[step * recipe.batch : (step + 1) * recipe.batch].tolist()
            batch = batcher.make_batch(chosen, self.shape, generator, recipe.kind_share)
            if generator.random() >= recipe.dataset_share:
                batch.dataset.zero_()
            loss = measure_loss(state.network(batch), batch, recipe)
            state.update(loss, epoch * state.epoch_steps + step + 1)
            total += float(loss.detach())
        return total / state.epoch_steps


class _State:
    """Everything that changes during a run."""

    def __init__(self, network: TrainableFusion, recipe: FusionRecipe, run: NetworkRun) -> None:
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


def measure_loss(logits: Tensor, batch: PageBatch, recipe: FusionRecipe) -> Tensor:
    """Return the cross entropy of blocks, plus shares of 1 minus the expected F1 of pages and of the flat error.

    The flat error of a page is the sum of the cross entropies of its blocks for article text, all with the same weight,
    over the square root of their number: short blocks, which decide whether a text is exact, count as much as long
    ones.
    """
    entropy = nn.functional.binary_cross_entropy_with_logits(logits, batch.target, reduction="none")
    loss = (entropy * batch.weight).sum() / batch.weight.sum().clamp(min=1e-6)
    target, is_known = batch.target[:, 0], (batch.weight[:, 0] > 0).to(logits.dtype)
    predicted_chars = torch.sigmoid(logits[:, 0]) * batch.chars
    pages = int(batch.page[-1]) + 1
    common, both_sides, flat, known = (
        logits.new_zeros(pages).index_add(0, batch.page, values)
        for values in (
            predicted_chars * target,
            predicted_chars + target * batch.chars,
            entropy[:, 0] * is_known,
            is_known,
        )
    )
    f1_loss = (1 - 2 * common / both_sides.clamp(min=1)).mean()
    flat_loss = (flat / known.clamp(min=1).sqrt()).mean()
    return loss + recipe.f1_share * f1_loss + recipe.flat_share * flat_loss


def predict_roles(
    network: TrainableFusion, batcher: Batcher, pages: NDArray[np.intp], convention: int
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
