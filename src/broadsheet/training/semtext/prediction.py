"""Run SemText's torch network on pages, with the same windows, chain and threshold as at run time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from broadsheet.embeddings import load_words
from broadsheet.methods.semtext.features import FEATURES
from broadsheet.methods.semtext.threshold import find_threshold
from broadsheet.methods.semtext.windows import Window, make_windows
from broadsheet.models.chain import Chain, find_best, find_marginals
from broadsheet.training.datasets import choose_datasets
from broadsheet.training.options import TrainingOptions
from broadsheet.training.semtext.data import Examples, load_examples
from broadsheet.training.semtext.network import Network, StringBatch, gather_strings, hide_words
from broadsheet.training.semtext.recipes import Recipe
from broadsheet.training.semtext.scores import Scores, score_units

BATCH_UNITS = 20_000  # in a batch when nothing is learned
VECTOR_WORDS = 5_000  # whose vectors are computed at once
CHARS_SCALE = 6.0  # the feature "chars" is log(1 + characters) / 6


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """Examples and the vectors of their words."""

    examples: Examples
    vectors: Tensor  # (words, dimensions), half precision


def load_pages(options: TrainingOptions, split: str, recipe: Recipe) -> Pages:
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
    network: Network, pages: Pages, units: NDArray[np.int64], lengths: Sequence[int], hidden_share: float = 0.0
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


def score_network(network: Network, pages: Pages) -> Scores:
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
def find_probabilities(network: Network, pages: Pages) -> NDArray[np.float64]:
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


def _list_windows(network: Network, examples: Examples, pages: Sequence[int]) -> list[tuple[int, Window]]:
    """Return the windows of some pages, each with the first unit of its page."""
    starts = examples.page_starts
    return [
        (int(starts[page]), window)
        for page in pages
        for window in make_windows(int(starts[page + 1] - starts[page]), network.config)
    ]


def _run_windows(network: Network, pages: Pages, windows: Sequence[tuple[int, Window]]) -> NDArray[np.float64]:
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


def read_chain(network: Network) -> Chain:
    """Return the chain of a network as Python numbers."""
    (t00, t01), (t10, t11) = network.transitions.tolist()
    (first, last) = network.ends.tolist()
    return Chain(((t00, t01), (t10, t11)), (first[0], first[1]), (last[0], last[1]))
