"""Train the ranker of title candidates: NumPy alone, a minute for all pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.blocks import segment
from broadsheet.corpora import Record
from broadsheet.errors import LimitReached
from broadsheet.fields.read import start_evidence
from broadsheet.fields.title.candidates import list_candidates
from broadsheet.fields.title.features import FEATURE_NAMES, Samples, compute_features
from broadsheet.fields.title.ranker import MODEL, Ranker
from broadsheet.methods import load_method
from broadsheet.methods.apply import label_blocks
from broadsheet.models import save_weights
from broadsheet.page import read_page
from broadsheet.text import fold_words
from broadsheet.training.card import Card
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import NO_CLOCK, find_sets, read_records

NETWORKS = 12  # trained apart; side by side they are one network that averages them
HIDDEN = 16  # units of each
STEPS = 800
RATE = 0.02
DECAY = 1e-3
DROPPED = 0.1  # share of the hidden units that sit out a step
LABELS = "stadynot"  # whose labels are around a title: they need no weights, so that these do not depend on others
_SILVER = frozenset(("goose3", "gne", "newspaper4k", "readability"))  # titles that another tool found

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TitleSample:
    """The candidates of a page, and which of them is the title."""

    id: str
    dataset: str
    measures: Samples
    is_title: NDArray[np.bool_]  # none, where the page does not have the words of the gold title


def train_title(options: TrainingOptions) -> None:
    """Train the ranker and write its weights."""
    train, dev = (list(gather_samples(options, split)) for split in ("train", "dev"))
    options.report(f"{len(train)} pages to learn from, {len(dev)} to look at")
    ranker = fit_ranker(train, options.seed)
    figures = measure_ranker(ranker, dev)
    for what, figure in figures.items():
        options.report(f"{what}: {figure}")
    pages = {name: sum(sample.dataset == name for sample in train) for name in {sample.dataset for sample in train}}
    card = Card(
        model=MODEL,
        summary="Chooses the headline among what a page states and shows (docs/fields.md).",
        command=f"broadsheet train title --seed {options.seed}",
        seed=options.seed,
        pages=pages,
        figures=figures,
        notes=(f"{NETWORKS} networks of {HIDDEN} hidden units as one", f"labels of `{LABELS}` around it"),
    )
    config = {"columns": list(FEATURE_NAMES), "seed": options.seed}
    save_weights(options.output, MODEL, ranker.arrays(), config, card.write())


def gather_samples(options: TrainingOptions, split: str) -> Iterator[TitleSample]:
    """Measure the candidates of all articles whose title is known."""
    method = load_method(LABELS)
    records = read_records(find_sets(options.data, split), options.limit)
    for record in options.progress(records, f"title, {split} pages"):
        if not is_usable(record):
            continue
        try:
            page = read_page(record.html, url=record.url, limits=NO_CLOCK)
            blocks = segment(page)
            evidence = start_evidence(page, blocks, label_blocks(method, page, blocks))
        except LimitReached:
            continue
        candidates = list_candidates(evidence)
        if len(candidates):
            wanted = fold_words(record.title or "")
            is_title = np.array([known.words == wanted for known in candidates])
            yield TitleSample(record.id, record.dataset, compute_features(evidence, candidates), is_title)


def is_usable(record: Record) -> bool:
    """Tell whether a person has said what the title of this article is."""
    return bool(record.title) and record.page_type in (None, "article") and record.dataset not in _SILVER


def fit_ranker(samples: Sequence[TitleSample], seed: int) -> Ranker:
    """Fit several networks and put them side by side."""
    networks = [_fit_network(samples, seed + number) for number in range(NETWORKS)]
    return Ranker(
        inner=np.concatenate([network.inner for network in networks], axis=1),
        inner_bias=np.concatenate([network.inner_bias for network in networks]),
        outer=np.concatenate([network.outer for network in networks]) * np.float32(1 / NETWORKS),
        outer_bias=sum(network.outer_bias for network in networks) / NETWORKS,
    )


def _fit_network(samples: Sequence[TitleSample], seed: int) -> Ranker:
    """Minimise the cross-entropy of each page's softmax, over all pages at once, with Adam."""
    chance = np.random.default_rng(seed)
    measures = np.concatenate([sample.measures for sample in samples])
    is_title = np.concatenate([sample.is_title for sample in samples])
    starts = np.cumsum([0, *(len(sample.is_title) for sample in samples)])[:-1]
    owner = np.repeat(np.arange(len(samples)), [len(sample.is_title) for sample in samples])
    width = measures.shape[1]
    weights = [
        (chance.standard_normal((width, HIDDEN)) * np.sqrt(2 / width)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        (chance.standard_normal(HIDDEN) * np.sqrt(1 / HIDDEN)).astype(np.float32),
        np.zeros(1, np.float32),
    ]
    first, second = [np.zeros_like(each) for each in weights], [np.zeros_like(each) for each in weights]
    for step in range(1, STEPS + 1):
        inner, inner_bias, outer, outer_bias = weights
        kept = (chance.random(HIDDEN) >= DROPPED).astype(np.float32) / np.float32(1 - DROPPED)
        hidden = np.maximum(measures @ inner + inner_bias, 0) * kept
        scores = hidden @ outer + outer_bias
        error = (_softmax(scores, starts, owner) - is_title) / np.float32(len(samples))
        back = np.outer(error, outer * kept) * (hidden > 0)
        slopes = [
            measures.T @ back + DECAY * inner,
            back.sum(axis=0),
            hidden.T @ error + DECAY * outer,
            error.sum(keepdims=True),
        ]
        rate = RATE * (1 - step / (STEPS + 1))
        for at, slope in enumerate(slopes):
            first[at] = 0.9 * first[at] + 0.1 * slope
            second[at] = 0.999 * second[at] + 0.001 * slope**2
            ahead = first[at] / (1 - 0.9**step)
            weights[at] = (weights[at] - rate * ahead / (np.sqrt(second[at] / (1 - 0.999**step)) + 1e-8)).astype(
                np.float32
            )
    return Ranker(weights[0], weights[1], weights[2], float(weights[3][0]))


def _softmax(scores: Floats, starts: NDArray[np.intp], owner: NDArray[np.intp]) -> Floats:
    """Softmax over the candidates of each page, and none of them."""
    highest = np.maximum(np.maximum.reduceat(scores, starts), 0)
    powers = np.exp(scores - highest[owner])
    total = np.add.reduceat(powers, starts) + np.exp(-highest)
    return np.asarray(powers / total[owner])


def measure_ranker(ranker: Ranker, samples: Sequence[TitleSample]) -> dict[str, str]:
    """Measure on dev pages how often the chosen candidate is the title, and how often one of them is."""
    figures = {}
    for name in sorted({sample.dataset for sample in samples}):
        own = [sample for sample in samples if sample.dataset == name]
        right = np.mean([bool(sample.is_title[np.argmax(ranker.predict(sample.measures))]) for sample in own])
        there = np.mean([bool(sample.is_title.any()) for sample in own])
        figures[f"{name}.dev: title chosen"] = f"{right:.3f} of {len(own)} (among the candidates: {there:.3f})"
    return figures
