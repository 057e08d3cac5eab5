"""`broadsheet train gcn`: the graph network of `methods/gcn`.

As published except for the switches in SHIPPED and SHIPPED_FIT, which docs/methods/gcn.md measures. With --classes the
same network predicts several roles: title, date, comment and body, each with its own probability (section 7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from broadsheet.embeddings import load_words
from broadsheet.methods.gcn.config import GcnConfig
from broadsheet.methods.gcn.method import BODY
from broadsheet.methods.gcn.network import GcnNetwork
from broadsheet.models import save_weights
from broadsheet.training.card import Card
from broadsheet.training.gcn.fit import FitConfig, GraphData, NetworkPlan, fit_network, predict_nodes
from broadsheet.training.gcn.graphs import Graphs, load_graphs
from broadsheet.training.gcn.network import export_arrays
from broadsheet.training.gcn.scores import (
    find_threshold_by_nodes,
    find_threshold_by_words,
    measure_word_f1,
    score_blocks,
    score_nodes,
)
from broadsheet.training.gcn.tags import learn_tags
from broadsheet.training.options import TrainingOptions

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
)

NodeScores = Sequence[NDArray[np.float32]]  # of each graph: (nodes, classes)


def train_gcn(options: TrainingOptions) -> None:
    """Train on all train pages with gold text, choose thresholds on dev pages, and write the weights."""
    classes = options.classes or (BODY,)
    config = replace(SHIPPED, classes=classes)
    train, dev = load_graphs(options, "train", classes), load_graphs(options, "dev", classes)
    tags = learn_tags(train, options.seed)
    fitted = fit_network(GraphData(train, dev, tags), NetworkPlan(config, SHIPPED_FIT), options)
    scores = [predict_nodes(fitted.network, graphs, tags, config) for graphs in dev]
    config = replace(config, thresholds=find_thresholds(dev, scores, config))
    figures = measure_dev(dev, scores, config)
    for measure, value in figures.items():
        options.report(f"{measure}: {value}")
    arrays = {"tags": tags.vectors, **export_arrays(fitted.network)}
    GcnNetwork(config, arrays, tags.tags, load_words())  # raises an error if the run time cannot read the arrays
    card = Card(
        model=MODEL,
        summary=f"Graph network over the DOM (`methods/gcn`): {config.layers} layers of {config.hidden} units, "
        f"for {', '.join(classes)}.",
        command="broadsheet train gcn" + (f" --classes {','.join(classes)}" if options.classes else ""),
        seed=options.seed,
        pages=Counter(name for graphs in train for name in graphs.datasets),
        figures=figures,
        notes=(
            f"{len(fitted.losses)} epochs, rate {SHIPPED_FIT.rate}, negative weight {SHIPPED_FIT.negative_weight}",
            "Requires the word vectors in weights/words that it was trained with",
        ),
    )
    save_weights(options.output, MODEL, arrays, {**asdict(config), "tags": tags.tags}, card.write())


def find_thresholds(dev: Sequence[Graphs], scores: NodeScores, config: GcnConfig) -> tuple[float, ...]:
    """Choose the threshold of each class on dev pages: of body text by words, of the other classes by nodes."""
    gap = config.gap if config.refines else None
    thresholds = []
    for number, name in enumerate(config.classes):
        class_scores = [part[:, number] for part in scores]
        if name == BODY and number == 0:
            thresholds.append(find_threshold_by_words(dev, class_scores, gap))
        else:
            thresholds.append(find_threshold_by_nodes(dev, class_scores, number))
    return tuple(round(threshold, 3) for threshold in thresholds)


def measure_dev(dev: Sequence[Graphs], scores: NodeScores, config: GcnConfig) -> dict[str, str]:
    """Measure the network on dev pages, for the card."""
    counts = np.concatenate([_find_counted_texts(graphs) for graphs in dev])
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


def _find_counted_texts(graphs: Graphs) -> NDArray[np.bool_]:
    """Return which nodes are text nodes that count: only their predictions are used."""
    is_text = np.zeros(len(graphs.tag), bool)
    is_text[graphs.text_row] = True
    return is_text & (graphs.counts > 0)
