"""`broadsheet train title`: the ranker of title candidates. It needs only NumPy, and about a minute for all pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.fields.table import start_evidence
from broadsheet.fields.title_candidates import list_candidates
from broadsheet.fields.title_ranker import FEATURE_NAMES, MODEL, Ranker, Samples, compute_features, load_ranker
from broadsheet.methods import load_method
from broadsheet.methods.apply import label_blocks
from broadsheet.text import fold_words
from broadsheet.training.finish import Card, finish
from broadsheet.training.options import SHIPPED_START, TrainingOptions, require_pages
from broadsheet.training.pages import PageFilter, find_datasets, read_pages

NETWORKS = 12  # trained separately; concatenated, they are one network that averages them
HIDDEN = 16  # units of each network
STEPS = 800
RATE = 0.02
TUNING_STEPS, TUNING_RATE = 200, 0.002  # of a start from trained weights
DECAY = 1e-3
DROPOUT = 0.1  # share of the hidden units that are dropped in a step
MEAN_WEIGHT, SQUARE_WEIGHT, EPSILON = 0.1, 0.001, 1e-8  # of Adam: 1 - beta1, 1 - beta2
LABEL_METHOD = "stadynot"  # labels the blocks around a candidate; it has no weights that these could depend on
PAGES = PageFilter(labels=("title",), page_types=frozenset(("article",)), accepts_silver=False, min_blocks=0)

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TitleSample:
    """The title candidates of a page."""

    id: str
    dataset: str
    features: Samples  # (candidates, features)
    is_title: NDArray[np.bool_]  # all False if no candidate has the words of the gold title


def train_title(options: TrainingOptions) -> None:
    """Train the ranker and write its weights."""
    train, dev = (list(read_samples(options, split)) for split in ("train", "dev"))
    require_pages(MODEL, "a label `title`", len(train), options)
    options.report(f"{len(train)} training pages, {len(dev)} dev pages")
    ranker = tune_ranker(train, options) if options.start else fit_ranker(train, options.seed)
    figures = measure_ranker(ranker, dev)
    card = Card(
        model=MODEL,
        summary="Chooses the title among the candidates of a page (docs/explanation/fields.md).",
        pages=Counter(sample.dataset for sample in train),
        figures=figures,
        notes=(
            _describe_start(options) or f"Mean of {NETWORKS} networks of {HIDDEN} hidden units",
            f"Blocks around a candidate are labelled by `{LABEL_METHOD}`",
        ),
    )
    config = {"columns": list(FEATURE_NAMES), "seed": options.seed}
    finish(card, ranker.arrays(), config, options)


def _describe_start(options: TrainingOptions) -> str:
    return f"Fine-tuned from the `{options.start}` weights" if options.start else ""


def read_samples(options: TrainingOptions, split: str) -> Iterator[TitleSample]:
    """Yield the title candidates of all articles with a gold title."""
    method = load_method(LABEL_METHOD)
    for labelled in read_pages(find_datasets(options.data, split, skipped=options.skipped), PAGES, options):
        page, blocks, record = labelled.page, labelled.blocks, labelled.record
        evidence = start_evidence(page, blocks, label_blocks(method, page, blocks))
        candidates = list_candidates(evidence)
        if len(candidates):
            gold_words = fold_words(record.title or "")
            is_title = np.array([candidate.words == gold_words for candidate in candidates])
            yield TitleSample(record.id, record.dataset, compute_features(evidence, candidates), is_title)


def fit_ranker(samples: Sequence[TitleSample], seed: int) -> Ranker:
    """Fit several networks and concatenate them."""
    pages = _stack_samples(samples)
    networks = [_fit_network(pages, seed + number) for number in range(NETWORKS)]
    return Ranker(
        inner=np.concatenate([network.inner for network in networks], axis=1),
        inner_bias=np.concatenate([network.inner_bias for network in networks]),
        outer=np.concatenate([network.outer for network in networks]) * np.float32(1 / NETWORKS),
        outer_bias=sum(network.outer_bias for network in networks) / NETWORKS,
    )


def tune_ranker(samples: Sequence[TitleSample], options: TrainingOptions) -> Ranker:
    """Continue from trained weights. The decay pulls towards them, so that few pages change little."""
    start = load_ranker(None if options.start == SHIPPED_START else Path(options.start or ""))
    weights = [start.inner, start.inner_bias, start.outer, np.array([start.outer_bias], np.float32)]
    return _minimize(
        _stack_samples(samples), weights, _Schedule(TUNING_STEPS, TUNING_RATE), np.random.default_rng(options.seed)
    )


@dataclass(frozen=True, slots=True)
class _Schedule:
    """Number of steps, and the learning rate of the first one."""

    steps: int = STEPS
    rate: float = RATE


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """The candidates of all pages, concatenated."""

    features: Floats  # (candidates, features)
    is_title: NDArray[np.bool_]  # (candidates,)
    starts: NDArray[np.intp]  # (pages,): first candidate of each page
    page: NDArray[np.intp]  # (candidates,)


def _stack_samples(samples: Sequence[TitleSample]) -> _Candidates:
    sizes = [len(sample.is_title) for sample in samples]
    return _Candidates(
        features=np.concatenate([sample.features for sample in samples]),
        is_title=np.concatenate([sample.is_title for sample in samples]),
        starts=np.cumsum([0, *sizes])[:-1],
        page=np.repeat(np.arange(len(samples)), sizes),
    )


def _fit_network(candidates: _Candidates, seed: int) -> Ranker:
    """Train a network from random weights."""
    generator = np.random.default_rng(seed)
    width = candidates.features.shape[1]
    weights = [
        (generator.standard_normal((width, HIDDEN)) * np.sqrt(2 / width)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        (generator.standard_normal(HIDDEN) * np.sqrt(1 / HIDDEN)).astype(np.float32),
        np.zeros(1, np.float32),
    ]
    return _minimize(candidates, weights, _Schedule(), generator, center=[np.zeros_like(array) for array in weights])


def _minimize(
    candidates: _Candidates,
    weights: Sequence[Floats],
    schedule: _Schedule,
    generator: np.random.Generator,
    center: Sequence[Floats] | None = None,
) -> Ranker:
    """Minimize the cross entropy of each page's softmax with Adam. All pages are one batch.

    The decay pulls the weights towards `center`, by default the first weights.
    """
    weights, center = list(weights), list(weights if center is None else center)
    means, squares = [np.zeros_like(array) for array in weights], [np.zeros_like(array) for array in weights]
    for step in range(1, schedule.steps + 1):
        is_kept = (generator.random(len(weights[1])) >= DROPOUT).astype(np.float32) / np.float32(1 - DROPOUT)
        rate = schedule.rate * (1 - step / (schedule.steps + 1))
        for number, gradient in enumerate(_compute_gradients(candidates, weights, center, is_kept)):
            means[number] = 0.9 * means[number] + MEAN_WEIGHT * gradient
            squares[number] = 0.999 * squares[number] + SQUARE_WEIGHT * gradient**2
            mean, square = means[number] / (1 - 0.9**step), squares[number] / (1 - 0.999**step)
            weights[number] = (weights[number] - rate * mean / (np.sqrt(square) + EPSILON)).astype(np.float32)
    return Ranker(weights[0], weights[1], weights[2], float(weights[3][0]))


def _compute_gradients(
    candidates: _Candidates, weights: Sequence[Floats], center: Sequence[Floats], is_kept: Floats
) -> list[Floats]:
    inner, inner_bias, outer, outer_bias = weights
    hidden = np.maximum(candidates.features @ inner + inner_bias, 0) * is_kept
    scores = hidden @ outer + outer_bias
    error = (_softmax(scores, candidates) - candidates.is_title) / np.float32(len(candidates.starts))
    hidden_error = np.outer(error, outer * is_kept) * (hidden > 0)
    return [
        candidates.features.T @ hidden_error + DECAY * (inner - center[0]),
        hidden_error.sum(axis=0),
        hidden.T @ error + DECAY * (outer - center[2]),
        error.sum(keepdims=True),
    ]


def _softmax(scores: Floats, candidates: _Candidates) -> Floats:
    """Return the softmax over the candidates of each page and "none of them", which has score 0."""
    highest = np.maximum(np.maximum.reduceat(scores, candidates.starts), 0)
    powers = np.exp(scores - highest[candidates.page])
    total = np.add.reduceat(powers, candidates.starts) + np.exp(-highest)
    return np.asarray(powers / total[candidates.page])


def measure_ranker(ranker: Ranker, samples: Sequence[TitleSample]) -> dict[str, str]:
    """Measure on dev pages how often the chosen candidate is the title, and how often any candidate is."""
    figures = {}
    for name in sorted({sample.dataset for sample in samples}):
        pages = [sample for sample in samples if sample.dataset == name]
        right = np.mean([bool(sample.is_title[np.argmax(ranker.predict(sample.features))]) for sample in pages])
        possible = np.mean([bool(sample.is_title.any()) for sample in pages])
        figures[f"{name}.dev: correct titles"] = f"{right:.3f} of {len(pages)} ({possible:.3f} among the candidates)"
    return figures
