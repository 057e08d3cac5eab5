"""`broadsheet train gcn`: the graph network of `methods/gcn`.

As published except for the switches in SHIPPED and SHIPPED_FIT, which docs/methods/gcn.md measures. With --classes the
same network predicts several roles: title, date, comment and body, each with its own probability (section 7).
`broadsheet train gcn-published` trains the network of the paper, GCN3; with `--layers 2`, GCN2.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import UsageError
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.method import BODY, keep_longest_group
from broadsheet.methods.gcn.network import GcnNetwork
from broadsheet.methods.gcn.train_data import Graphs, load_graphs
from broadsheet.methods.gcn.train_network import (
    FitConfig,
    Fitted,
    GraphData,
    NetworkPlan,
    TagVectors,
    export_arrays,
    fit_network,
    learn_tags,
    predict_nodes,
)
from broadsheet.models import Weights
from broadsheet.models.config import read_config, read_setting
from broadsheet.models.words import load_words
from broadsheet.training.datasets import choose_datasets
from broadsheet.training.finish import Card, finish
from broadsheet.training.options import TrainingOptions, choose_epochs, has_pages, require_pages

MODEL = "gcn"
# Configuration of the shipped weights. docs/methods/gcn.md says what each departure from the paper gains.
SHIPPED = GcnConfig(hidden=32, has_bias=True, gap=2000.0, reads_names=True, has_extra_numbers=True)
SHIPPED_FIT = FitConfig(
    rate=3e-3,
    epochs=6,
    dropout=0.2,
    negative_weight=0.3,
    batch_pages=8,
    decays=True,
    text_only=True,
    length_power=0.25,
    divides_by_weights=True,
)
TUNING_RATE, TUNING_EPOCHS = 1e-3, 10  # of a start from trained weights
# Current news of many publishers, a third of it German, and about as many pages as the paper's 111.
PUBLISHED_DATASETS = frozenset(("fundus",))

NodeScores = Sequence[NDArray[np.float32]]  # of each graph: (nodes, classes)
RUNS = 5
GCN2_LAYERS = 2  # of the method gcn2-published
# Thresholds that are tried: steps of 0.025 (section 6), and finer ones at the end, where the best of networks lies that
# learn with a low weight of negative nodes.
THRESHOLDS = np.array([*np.arange(0.025, 0.98, 0.025), 0.98, 0.985, 0.99, 0.9925, 0.995, 0.9975, 0.999])

Scores = NDArray[np.float32]  # (nodes,) or (blocks,): probability of one class


def train_gcn(options: TrainingOptions) -> None:
    """Train on all train pages with gold text, choose thresholds on dev pages, and write the weights."""
    start = options.load_start(MODEL)
    trained = read_config(start, GcnConfig) if start else replace(SHIPPED, classes=options.classes or (BODY,))
    data, classes = _load_data(options, trained.classes, start)
    if start and options.classes and options.classes != trained.classes:
        raise UsageError(
            f"the weights to start from have other classes: {', '.join(trained.classes)}; leave --classes out"
        )
    if start and classes != trained.classes:
        raise UsageError(f"{options.data} has no labels of a class of the weights ({', '.join(trained.classes)})")
    config = replace(trained, classes=classes)
    fit = _choose_fit(options, pages=sum(map(len, data.train)))
    plan = NetworkPlan(config, fit, start=start.arrays if start else None)
    fitted = fit_network(data, plan, options)
    scores = [predict_nodes(fitted.network, graphs, data.tags, config) for graphs in data.dev]
    config = replace(config, thresholds=find_thresholds(data.dev, scores, config))
    _save(_Model(MODEL, replace(plan, config=config), fitted, data), measure_dev(data.dev, scores, config), options)


def train_published(options: TrainingOptions) -> None:
    """Train as the paper does (section 6), and keep the best of five runs by the F1 of nodes on dev pages."""
    names = choose_datasets(options, "train", PUBLISHED_DATASETS)
    data, _ = _load_data(options, (BODY,), None, names)
    network = GcnConfig(layers=options.layers or GcnConfig().layers)
    plan = NetworkPlan(network, replace(FitConfig(), epochs=options.epochs or FitConfig().epochs))
    best = fit_best_run(data, plan, options)
    config = replace(plan.config, thresholds=(round(best.threshold, 3),))
    scores = [predict_nodes(best.fitted.network, graphs, data.tags, config) for graphs in data.dev]
    method = "gcn2-published" if config.layers == GCN2_LAYERS else "gcn-published"
    model = _Model("gcn-published", replace(plan, config=config), best.fitted, data, method)
    _save(model, measure_dev(data.dev, scores, config), options)


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """A trained network."""

    name: str  # of the trainer
    plan: NetworkPlan
    fitted: Fitted
    data: GraphData
    method: str = MODEL  # that the weights are for


def _save(model: _Model, figures: Mapping[str, str], options: TrainingOptions) -> None:
    config, fit, tags = model.plan.config, model.plan.fit, model.data.tags
    arrays = {"tags": tags.vectors, **export_arrays(model.fitted.network)}
    GcnNetwork(config, arrays, tags.tags, load_words())  # raises an error if the run time cannot read the arrays
    card = Card(
        model=MODEL,
        summary=f"Graph network over the DOM (`methods/gcn`): {config.layers} layers of {config.hidden} units, "
        f"for {', '.join(config.classes)}.",
        pages=Counter(name for graphs in model.data.train for name in graphs.datasets),
        figures=figures,
        notes=(
            f"{len(model.fitted.losses)} epochs, rate {fit.rate}, negative weight {fit.negative_weight}",
            "Requires the word vectors in weights/words that it was trained with",
        ),
        trainer=model.name,
    )
    settings = {**asdict(config), "tags": tags.tags, "method": model.method}
    finish(card, arrays, settings, options)


def _load_data(
    options: TrainingOptions, classes: tuple[str, ...], start: Weights | None, names: frozenset[str] | None = None
) -> tuple[GraphData, tuple[str, ...]]:
    """Load the graphs of both splits, with the classes that have labels. `names` selects datasets."""
    train = load_graphs(options, "train", classes, names=names)
    require_pages(MODEL, "a gold text (`text`)", sum(map(len, train)), options)
    counts = {name: _count_pages(train, number) for number, name in enumerate(classes)}
    labelled = tuple(
        name
        for name, count in counts.items()
        if has_pages(f"class {name}", f"visible labels of {name}", count, options, instead="left out")
    )
    if not labelled:
        raise UsageError(f"gcn has no class to learn: {options.data} has no visible labels of {', '.join(classes)}")
    if labelled != classes:
        train = load_graphs(options, "train", labelled, names=names)
    dev = load_graphs(options, "dev", labelled, names=names)
    require_pages(MODEL, "a gold text (`text`)", sum(map(len, dev)), options, split="dev")
    tags = learn_tags(train, options.seed) if start is None else _read_tags(start)
    return GraphData(train, dev, tags), labelled


def _count_pages(graphs: Sequence[Graphs], class_number: int) -> int:
    """Return the number of pages with a block of a class."""
    return sum(
        int(part.block_label[part.block_start[page] : part.block_start[page + 1], class_number].any())
        for part in graphs
        for page in range(len(part))
    )


def _read_tags(weights: Weights) -> TagVectors:
    tags = read_setting(weights, "tags", kind=tuple[str, ...])
    return TagVectors(list(tags), np.asarray(weights.arrays["tags"], np.float32))


def _choose_fit(options: TrainingOptions, *, pages: int) -> FitConfig:
    fit = SHIPPED_FIT if options.start is None else replace(SHIPPED_FIT, rate=TUNING_RATE, epochs=TUNING_EPOCHS)
    return replace(fit, epochs=choose_epochs(options, fit.epochs, pages=pages, batch=fit.batch_pages))


def find_thresholds(dev: Sequence[Graphs], scores: NodeScores, config: GcnConfig) -> tuple[float, ...]:
    """Choose the threshold of each class on dev pages: of body text by words, of the other classes by nodes."""
    gap = config.gap if config.refines else None
    thresholds = []
    for number, name in enumerate(config.classes):
        class_scores = [part[:, number] for part in scores]
        if name == BODY and number == 0:
            thresholds.append(find_threshold_by_words(dev, class_scores, gap))
        else:
            thresholds.append(find_threshold_by_nodes(dev, class_scores, number, text_only=SHIPPED_FIT.text_only))
    return tuple(round(threshold, 3) for threshold in thresholds)


def measure_dev(dev: Sequence[Graphs], scores: NodeScores, config: GcnConfig) -> dict[str, str]:
    """Measure the network on dev pages, for the card."""
    counts = np.concatenate([find_counted_texts(graphs) for graphs in dev])
    figures = {}
    for number, (name, threshold) in enumerate(zip(config.classes, config.thresholds, strict=True)):
        is_true = np.concatenate([graphs.label[:, number] > 0 for graphs in dev])[counts]
        is_predicted = (np.concatenate([part[:, number] for part in scores]) >= threshold)[counts]
        score = score_nodes(is_true, is_predicted).positive
        figures[f"text nodes of {name}, dev"] = f"P {score.precision:.3f}, R {score.recall:.3f}, F1 {score.f1:.3f}"
    if config.classes[0] == BODY:
        blocks = [score_blocks(graphs, part[:, 0]) for graphs, part in zip(dev, scores, strict=True)]
        gap = config.gap if config.refines else None
        words = measure_word_f1(dev, blocks, config.thresholds[0], gap)
        figures |= {f"word F1 of blocks, {name}.dev": f"{value:.3f}" for name, value in words.items()}
        figures["word F1 of blocks, mean of dev sets"] = f"{mean(words.values()):.3f}"
    return figures


@dataclass(frozen=True, slots=True)
class BestRun:
    """The network of the best run, its threshold, and its F1 of nodes on dev pages."""

    fitted: Fitted
    threshold: float
    f1: float


def fit_best_run(data: GraphData, plan: NetworkPlan, options: TrainingOptions, runs: int = RUNS) -> BestRun:
    """Train with several seeds, and return the run with the best F1 of nodes on dev pages."""
    results = []
    for run in range(runs):
        fitted = fit_network(data, plan, replace(options, seed=options.seed + run))
        scores = [predict_nodes(fitted.network, graphs, data.tags, plan.config)[:, 0] for graphs in data.dev]
        threshold = find_threshold_by_nodes(data.dev, scores)
        results.append(BestRun(fitted, threshold, score_threshold(data.dev, scores, threshold)))
        options.report(f"run {run + 1} of {runs}: {len(fitted.losses)} epochs, F1 of nodes {results[-1].f1:.3f}")
    return max(results, key=lambda result: result.f1)


@dataclass(frozen=True, slots=True)
class ClassScore:
    """Precision, recall and F1 of one class."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class NodeScore:
    """Scores of the positive class, and over both classes."""

    positive: ClassScore
    macro: ClassScore  # mean of both classes
    micro: float  # share of correct nodes: equals micro-averaged precision, recall and F1


def score_nodes(is_true: NDArray[np.bool_], is_predicted: NDArray[np.bool_]) -> NodeScore:
    """Compare predicted with true labels of nodes."""
    hits = int((is_true & is_predicted).sum())
    missed, wrong = int(is_true.sum()) - hits, int(is_predicted.sum()) - hits
    true_negatives = len(is_true) - hits - missed - wrong
    positive, negative = _score_class(hits, wrong, missed), _score_class(true_negatives, missed, wrong)
    macro = ClassScore(
        (positive.precision + negative.precision) / 2,
        (positive.recall + negative.recall) / 2,
        (positive.f1 + negative.f1) / 2,
    )
    return NodeScore(positive, macro, micro=(hits + true_negatives) / max(len(is_true), 1))


def _score_class(hits: int, wrong: int, missed: int) -> ClassScore:
    precision = hits / (hits + wrong) if hits + wrong else 0.0
    recall = hits / (hits + missed) if hits + missed else 0.0
    return ClassScore(precision, recall, 2 * hits / (2 * hits + wrong + missed) if hits + wrong + missed else 0.0)


def find_threshold_by_nodes(
    graphs: Sequence[Graphs], scores: Sequence[Scores], class_number: int = 0, *, text_only: bool = False
) -> float:
    """Return the threshold with the best F1 of nodes (section 6), of text nodes alone if only they were trained."""
    counts = np.concatenate([find_counted_texts(part) if text_only else part.counts > 0 for part in graphs])
    is_true = np.concatenate([part.label[:, class_number] > 0 for part in graphs])[counts]
    node_scores = np.concatenate(scores)[counts]
    return float(max(THRESHOLDS, key=lambda threshold: score_nodes(is_true, node_scores >= threshold).positive.f1))


def score_threshold(graphs: Sequence[Graphs], scores: Sequence[Scores], threshold: float) -> float:
    """Return the F1 of article nodes at a threshold."""
    counts = np.concatenate([part.counts > 0 for part in graphs])
    is_true = np.concatenate([part.label[:, 0] > 0 for part in graphs])[counts]
    return score_nodes(is_true, np.concatenate(scores)[counts] >= threshold).positive.f1


def find_counted_texts(graphs: Graphs) -> NDArray[np.bool_]:
    """Return which nodes are text nodes that count."""
    is_text = np.zeros(len(graphs.tag), bool)
    is_text[graphs.text_row] = True
    return is_text & (graphs.counts > 0)


def find_threshold_by_words(graphs: Sequence[Graphs], scores: Sequence[Scores], gap: float | None) -> float:
    """Return the threshold with the best word F1 of pages, each dataset with the same weight (ours)."""
    blocks = [score_blocks(part, part_scores) for part, part_scores in zip(graphs, scores, strict=True)]
    return float(max(THRESHOLDS, key=lambda threshold: mean(measure_word_f1(graphs, blocks, threshold, gap).values())))


def score_blocks(graphs: Graphs, scores: Scores) -> Scores:
    """Return the scores of blocks: means of their text nodes, weighted by length."""
    is_in_block = graphs.text_block >= 0
    block, length = graphs.text_block[is_in_block], graphs.text_length[is_in_block].astype(np.float64)
    count = len(graphs.block_words)
    sums = np.bincount(block, weights=length * scores[graphs.text_row[is_in_block]], minlength=count)
    return (sums / np.maximum(np.bincount(block, weights=length, minlength=count), 1)).astype(np.float32)


def measure_word_f1(
    graphs: Sequence[Graphs], blocks: Sequence[Scores], threshold: float, gap: float | None
) -> dict[str, float]:
    """Return the mean word F1 of pages for each dataset, a block being right or wrong as a whole.

    `gap` None means that the blocks are not refined.
    """
    by_dataset: dict[str, list[float]] = defaultdict(list)
    for part, scores in zip(graphs, blocks, strict=True):
        for page in range(len(part)):
            rows = slice(int(part.block_start[page]), int(part.block_start[page + 1]))
            by_dataset[part.datasets[page]].append(_score_page(part, rows, scores[rows] >= threshold, gap))
    return {name: mean(values) for name, values in sorted(by_dataset.items())}


def _score_page(graphs: Graphs, rows: slice, is_predicted: NDArray[np.bool_], gap: float | None) -> float:
    words, is_true = graphs.block_words[rows], graphs.block_label[rows, 0] > 0
    if gap is not None:
        is_predicted = refine_blocks(graphs, rows, is_predicted, gap)
    common = int(words[is_true & is_predicted].sum())
    return 2 * common / max(int(words[is_true].sum() + words[is_predicted].sum()), 1)


def refine_blocks(graphs: Graphs, rows: slice, is_predicted: NDArray[np.bool_], gap: float) -> NDArray[np.bool_]:
    """Keep one group of a page's predicted blocks (section 5)."""
    predicted = np.flatnonzero(is_predicted)
    top, bottom, length = graphs.block_extent[rows][predicted].T.tolist() if len(predicted) else ([], [], [])
    is_kept = np.zeros(len(is_predicted), bool)
    is_kept[keep_longest_group(predicted.tolist(), top, bottom, [int(value) for value in length], gap)] = True
    return is_kept
