"""The training loop of SemText: batches of sequences, a checkpoint after each epoch, the best one by F1 on dev."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import cos, pi
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from broadsheet.embeddings import load_words
from broadsheet.methods.semtext.features import FEATURES
from broadsheet.methods.semtext.threshold import find_threshold
from broadsheet.methods.semtext.windows import Window, make_windows, split_evenly
from broadsheet.models.chain import Chain, find_best, find_marginals
from broadsheet.training.semtext.data import Examples
from broadsheet.training.semtext.network import Network, StringBatch, gather_strings, hide_words
from broadsheet.training.semtext.recipes import Recipe
from broadsheet.training.semtext.scores import Scores, score_units

_BUCKET = 8  # batches that are sorted by length together: less padding, and still a mixture
_SCORE_UNITS = 20_000  # units in a batch when nothing is learned


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """Examples and the vectors of their words."""

    examples: Examples
    vectors: Tensor  # words x dimensions, half precision


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """The best network of a run, its scores on dev, and the epoch that it came from."""

    network: Network
    scores: Scores
    epoch: int


def load_vectors(vocabulary: Sequence[str]) -> Tensor:
    """Vectors of words, in half precision."""
    words = load_words()
    parts = [words.vectors(vocabulary[at : at + 5_000]) for at in range(0, len(vocabulary), 5_000)]
    return torch.from_numpy(np.concatenate(parts).astype(np.float16))


def train_network(
    recipe: Recipe,
    train: Pages,
    dev: Pages,
    *,
    seed: int,
    work: Path,
    report: Callable[[str], None],
    start: Mapping[str, Tensor] | None = None,
) -> Trained:
    """Train, or go on with what an earlier run left in `work`; give the best network on dev."""
    torch.manual_seed(seed)
    network = Network(recipe.config, train.vectors.shape[1], recipe.dropout)
    if start is not None:
        network.load_state_dict(start)
    optimizer = _make_optimizer(network, recipe)
    done, best, best_epoch, best_state = 0, -1.0, 0, network.state_dict()
    checkpoint = work / "checkpoint.pt"
    work.mkdir(parents=True, exist_ok=True)
    if checkpoint.exists():
        saved = torch.load(checkpoint)
        network.load_state_dict(saved["network"])
        optimizer.load_state_dict(saved["optimizer"])
        done, best, best_epoch, best_state = (saved[name] for name in ("done", "best", "best_epoch", "best_state"))
    for epoch in range(done, recipe.epochs):
        begun = time.perf_counter()
        loss = _train_epoch(network, optimizer, recipe, train, np.random.default_rng((seed, epoch)), epoch)
        scores = score_network(network, dev)
        figure = epoch if recipe.picks == "last" else getattr(scores, recipe.picks)
        if figure > best:
            best, best_epoch = figure, epoch + 1
            best_state = {name: value.clone() for name, value in network.state_dict().items()}
        state = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "done": epoch + 1}
        _save(checkpoint, {**state, "best": best, "best_epoch": best_epoch, "best_state": best_state})
        report(
            f"| {epoch + 1} | {loss:.4f} | {scores.precision:.4f} | {scores.recall:.4f} | {scores.f1:.4f} "
            f"| {scores.word_f1:.4f} | {time.perf_counter() - begun:.0f} |"
        )
    network.load_state_dict(best_state)
    return Trained(network, score_network(network, dev), best_epoch)


def _save(place: Path, state: Mapping[str, object]) -> None:
    draft = place.with_suffix(".part")
    torch.save(dict(state), draft)
    draft.rename(place)


def _make_optimizer(network: Network, recipe: Recipe) -> torch.optim.Optimizer:
    if recipe.optimizer == "sgd":
        return torch.optim.SGD(network.parameters(), lr=recipe.rate, momentum=0.9)
    return torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=1e-4)


def _train_epoch(
    network: Network,
    optimizer: torch.optim.Optimizer,
    recipe: Recipe,
    train: Pages,
    random: np.random.Generator,
    epoch: int,
) -> float:
    """Go once through all pages; gives the mean loss of a unit."""
    network.train()
    batches = list(_make_batches(list(_split_pages(train.examples, recipe.max_units)), recipe.batch, random))
    losses, counted = 0.0, 0
    for number, batch in enumerate(batches):
        if recipe.optimizer == "adam":
            rate = recipe.rate * _plan_rate((epoch + number / len(batches)) / recipe.epochs)
            for group in optimizer.param_groups:
                group["lr"] = rate
        lengths = [len(units) for units in batch]
        units = np.concatenate([np.arange(own.start, own.stop) for own in batch])
        gold = torch.from_numpy(train.examples.gold[units].astype(np.int64))
        scores = run_network(network, train, units, lengths, recipe.word_dropout)
        total = network.measure_loss(scores, gold, lengths).sum()
        loss = total / len(units)
        if recipe.length_weight:
            loss = loss + recipe.length_weight * _measure_long(scores, gold, train.examples.measures[units, 0])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        losses, counted = losses + float(total.detach()), counted + len(units)
    return losses / max(counted, 1)


def _plan_rate(passed: float) -> float:
    """Share of the learning rate at a point of the run: up quickly, then down along a cosine."""
    return min(1.0, 100 * passed + 0.02) * (0.02 + 0.98 * (1 + cos(pi * passed)) / 2)


def _measure_long(scores: Tensor, gold: Tensor, log_chars: NDArray[np.float32]) -> Tensor:
    """Cross-entropy of each unit by itself, weighted by the root of its length."""
    weight = torch.from_numpy(np.exp(np.minimum(log_chars, 1.3) * 6 / 2)) * (gold >= 0)
    each = torch.nn.functional.binary_cross_entropy_with_logits(scores, gold.clamp_min(0).float(), reduction="none")
    return (each * weight).sum() / weight.sum().clamp_min(1e-6)


def _split_pages(examples: Examples, most: int) -> Iterator[range]:
    for first, beyond in zip(examples.page_starts[:-1].tolist(), examples.page_starts[1:].tolist(), strict=True):
        for part in split_evenly(beyond - first, most):
            yield range(first + part.start, first + part.stop)


def _make_batches(sequences: list[range], size: int, random: np.random.Generator) -> Iterator[list[range]]:
    """Shuffle, then put sequences of like length together."""
    order = random.permutation(len(sequences)).tolist()
    batches = []
    for at in range(0, len(order), size * _BUCKET):
        bucket = sorted((sequences[number] for number in order[at : at + size * _BUCKET]), key=len)
        batches += [bucket[start : start + size] for start in range(0, len(bucket), size)]
    for number in random.permutation(len(batches)).tolist():
        yield batches[number]


def run_network(
    network: Network, pages: Pages, units: NDArray[np.int64], lengths: Sequence[int], hidden: float = 0.0
) -> Tensor:
    """Log-odds of units that make up sequences of the given lengths; a share of the words may be hidden."""
    examples = pages.examples
    strings: dict[str, tuple[StringBatch, Tensor]] = {}
    for kind in network.config.strings:
        numbers, of_unit = np.unique(examples.of_unit[kind][units], return_inverse=True)
        batch = gather_strings(examples.strings[kind], numbers, pages.vectors, network.config.max_words)
        if hidden:
            batch = hide_words(batch, hidden)
        strings[kind] = batch, torch.from_numpy(of_unit.astype(np.int64))
    measures = torch.from_numpy(examples.measures[units])
    found: Tensor = network(strings, measures, lengths)
    return found


def score_network(network: Network, pages: Pages) -> Scores:
    """Label all pages as the run time would, and score them."""
    examples = pages.examples
    found = find_probabilities(network, pages)
    chars = np.expm1(6.0 * examples.measures[:, FEATURES.index("chars")])
    kept = np.zeros(len(found), np.bool_)
    for first, beyond in zip(examples.page_starts[:-1].tolist(), examples.page_starts[1:].tolist(), strict=True):
        own = slice(first, beyond)
        kept[own] = found[own] > find_threshold(found[own], chars[own], network.config)
    return score_units(examples, kept)


@torch.no_grad()  # type: ignore[untyped-decorator]
def find_probabilities(network: Network, pages: Pages) -> NDArray[np.float64]:
    """Probability of "main" for all units; with `threshold` 0 in the configuration the best chain, as 0 and 1."""
    network.eval()
    config, examples = network.config, pages.examples
    chain = read_chain(network)
    found = np.zeros(len(examples.gold))
    for numbers in _gather_pages(examples):
        windows: list[tuple[int, Window]] = [
            (int(examples.page_starts[page]), window)
            for page in numbers
            for window in make_windows(int(examples.page_starts[page + 1] - examples.page_starts[page]), config)
        ]
        units = np.concatenate([np.arange(start + window.first, start + window.end) for start, window in windows])
        lengths = [len(window) for _, window in windows]
        scores = run_network(network, pages, units, lengths).numpy()
        emitted = np.zeros(len(found))
        for (start, window), own in zip(windows, np.split(scores, np.cumsum(lengths)[:-1]), strict=True):
            skipped = window.label_first - window.first
            size = window.label_end - window.label_first
            emitted[start + window.label_first : start + window.label_end] = own[skipped : skipped + size]
        pieces = (
            [(start + window.label_first, start + window.label_end) for start, window in windows]
            if not config.overlap
            else [(int(examples.page_starts[page]), int(examples.page_starts[page + 1])) for page in numbers]
        )
        label = find_marginals if config.threshold else find_best
        for first, beyond in pieces:
            found[first:beyond] = label(emitted[first:beyond].tolist(), chain)
    return found


def _gather_pages(examples: Examples) -> Iterator[list[int]]:
    batch: list[int] = []
    size = 0
    for page, units in enumerate(np.diff(examples.page_starts).tolist()):
        batch.append(page)
        size += units
        if size > _SCORE_UNITS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def read_chain(network: Network) -> Chain:
    """The chain of a network as plain numbers."""
    (t00, t01), (t10, t11) = network.transitions.tolist()
    (first, last) = network.ends.tolist()
    return Chain(((t00, t01), (t10, t11)), (first[0], first[1]), (last[0], last[1]))
