"""Train SemText's network, and run it on pages with the same windows, chain and threshold as at run time.

A checkpoint is written after each epoch; the best epoch is that with the best F1 on dev pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from broadsheet.methods.semtext.features import FEATURES
from broadsheet.methods.semtext.network import Window, find_threshold, make_windows, split_evenly
from broadsheet.methods.semtext.sequence import Chain, find_best, find_marginals
from broadsheet.methods.semtext.train_data import Examples, Scores, load_examples, score_units
from broadsheet.methods.semtext.train_network import StringBatch, TrainableSemtext, gather_strings, hide_words
from broadsheet.models.words import load_words
from broadsheet.training.cache import hash_array, make_key
from broadsheet.training.datasets import choose_datasets
from broadsheet.training.loop import Checkpoint, keep_best, run_epochs
from broadsheet.training.options import TrainingOptions

if TYPE_CHECKING:  # it imports this module
    from broadsheet.methods.semtext.train import SemtextRecipe

BATCH_UNITS = 20_000  # in a batch when nothing is learned
VECTOR_WORDS = 5_000  # whose vectors are computed at once
CHARS_SCALE = 6.0  # the feature "chars" is log(1 + characters) / 6
BUCKET_BATCHES = 8  # sorted by length together: less padding, but the batches are still mixed
MAX_GRADIENT_NORM = 1.0
MAX_LOG_CHARS = 1.3  # of the length weight: about 2,400 characters


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """Examples and the vectors of their words."""

    examples: Examples
    vectors: Tensor  # (words, dimensions), half precision


def load_pages(options: TrainingOptions, split: str, recipe: SemtextRecipe) -> Pages:
    """Load the pages of a split that a recipe uses."""
    examples = load_examples(options, split, recipe.config, choose_datasets(options, split, recipe.datasets))
    return Pages(examples, load_vectors(examples.vocabulary))


def load_vectors(vocabulary: Sequence[str]) -> Tensor:
    """Return the vectors of words, in half precision."""
    words = load_words()
    starts = range(0, len(vocabulary), VECTOR_WORDS)
    parts = [words.vectors(vocabulary[start : start + VECTOR_WORDS]) for start in starts]
    return torch.from_numpy(np.concatenate(parts).astype(np.float16))


def run_network(
    network: TrainableSemtext, pages: Pages, units: NDArray[np.int64], lengths: Sequence[int], hidden_share: float = 0.0
) -> Tensor:
    """Return the log-odds of units that form sequences of the given lengths. A share of the words can be hidden."""
    examples = pages.examples
    strings: dict[str, tuple[StringBatch, Tensor]] = {}
    for kind in network.config.strings:
        numbers, of_unit = np.unique(examples.of_unit[kind][units], return_inverse=True)
        batch = gather_strings(examples.strings[kind], numbers, pages.vectors, network.config.max_words)
        if hidden_share:
            batch = hide_words(batch, hidden_share)
        strings[kind] = batch, torch.from_numpy(of_unit.astype(np.int64))
    features = torch.from_numpy(examples.features[units])
    log_odds: Tensor = network(strings, features, lengths)
    return log_odds


def score_network(network: TrainableSemtext, pages: Pages) -> Scores:
    """Label all pages as at run time, and score the labels."""
    examples = pages.examples
    probabilities = find_probabilities(network, pages)
    chars = np.expm1(CHARS_SCALE * examples.features[:, FEATURES.index("chars")])
    is_predicted = np.zeros(len(probabilities), np.bool_)
    for first, end in zip(examples.page_starts[:-1].tolist(), examples.page_starts[1:].tolist(), strict=True):
        rows = slice(first, end)
        is_predicted[rows] = probabilities[rows] > find_threshold(probabilities[rows], chars[rows], network.config)
    return score_units(examples, is_predicted)


@torch.no_grad()  # type: ignore[untyped-decorator]
def find_probabilities(network: TrainableSemtext, pages: Pages) -> NDArray[np.float64]:
    """Return the probability of "main" for all units. With `threshold` 0, the best chain of labels as 0 and 1."""
    network.eval()
    examples = pages.examples
    chain = read_chain(network)
    find_labels = find_marginals if network.config.threshold else find_best
    probabilities = np.zeros(len(examples.gold))
    for numbers in _batch_pages(examples):
        windows = _list_windows(network, examples, numbers)
        log_odds = _run_windows(network, pages, windows)
        if network.config.overlap:  # one chain for each page
            spans = [(int(examples.page_starts[page]), int(examples.page_starts[page + 1])) for page in numbers]
        else:  # one chain for each window
            spans = [(start + window.label_first, start + window.label_end) for start, window in windows]
        for first, end in spans:
            probabilities[first:end] = find_labels(log_odds[first:end].tolist(), chain)
    return probabilities


def _list_windows(network: TrainableSemtext, examples: Examples, pages: Sequence[int]) -> list[tuple[int, Window]]:
    """Return the windows of some pages, each with the first unit of its page."""
    starts = examples.page_starts
    return [
        (int(starts[page]), window)
        for page in pages
        for window in make_windows(int(starts[page + 1] - starts[page]), network.config)
    ]


def _run_windows(network: TrainableSemtext, pages: Pages, windows: Sequence[tuple[int, Window]]) -> NDArray[np.float64]:
    """Return the log-odds of the units that each window labels; 0 for all other units."""
    units = np.concatenate([np.arange(start + window.first, start + window.end) for start, window in windows])
    lengths = [len(window) for _, window in windows]
    scores = run_network(network, pages, units, lengths).numpy()
    log_odds = np.zeros(len(pages.examples.gold))
    for (start, window), window_scores in zip(windows, np.split(scores, np.cumsum(lengths)[:-1]), strict=True):
        skipped = window.label_first - window.first
        size = window.label_end - window.label_first
        log_odds[start + window.label_first : start + window.label_end] = window_scores[skipped : skipped + size]
    return log_odds


def _batch_pages(examples: Examples) -> Iterator[list[int]]:
    batch: list[int] = []
    size = 0
    for page, units in enumerate(np.diff(examples.page_starts).tolist()):
        batch.append(page)
        size += units
        if size > BATCH_UNITS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def read_chain(network: TrainableSemtext) -> Chain:
    """Return the chain of a network as Python numbers."""
    (t00, t01), (t10, t11) = network.transitions.tolist()
    (first, last) = network.ends.tolist()
    return Chain(((t00, t01), (t10, t11)), (first[0], first[1]), (last[0], last[1]))


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """The best network of a run, its scores on dev pages, and its epoch."""

    network: TrainableSemtext
    scores: Scores
    epoch: int


def train_network(
    recipe: SemtextRecipe,
    train: Pages,
    dev: Pages,
    options: TrainingOptions,
    *,
    start: Mapping[str, Tensor] | None = None,
) -> Trained:
    """Train a network, from the weights `start` if given, and return the best one on dev pages.

    An interrupted run continues after its last finished epoch.
    """
    torch.manual_seed(options.seed)
    network = TrainableSemtext(recipe.config, train.vectors.shape[1], recipe.dropout)
    if start is not None:
        network.load_state_dict(start)
    trainer = _Trainer(network, recipe, train, options.seed)
    key = make_key(recipe, options.seed, options.start, start is not None, hash_array(train.examples.gold))
    checkpoint = Checkpoint(options.work, f"semtext-{key}", {"network": network, "optimizer": trainer.optimizer})

    def train_epoch(epoch: int, state: dict[str, Any]) -> str:
        loss, scores = trainer.train_epoch(epoch), score_network(network, dev)
        keep_best(state, epoch if recipe.picks == "last" else getattr(scores, recipe.picks), network)
        if recipe.patience is not None:
            # At first, all blocks may be boilerplate.
            state["is_done"] = state["best"] > 0 and epoch + 1 - state["best_epoch"] >= recipe.patience
        quality = f"P {scores.precision:.4f}, R {scores.recall:.4f}, F1 {scores.f1:.4f}, word F1 {scores.word_f1:.4f}"
        return f"loss {loss:.4f}, on dev pages {quality}"

    state = run_epochs(checkpoint, recipe.epochs, train_epoch, options.report)
    network.load_state_dict(state["best_weights"])
    return Trained(network, score_network(network, dev), state["best_epoch"])


class _Trainer:
    """Trains a network for one epoch at a time."""

    def __init__(self, network: TrainableSemtext, recipe: SemtextRecipe, pages: Pages, seed: int) -> None:
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


def _make_optimizer(network: TrainableSemtext, recipe: SemtextRecipe) -> torch.optim.Optimizer:
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
