"""`broadsheet train gcn`: the graph network of methods/gcn, from labelled pages to weights.

As published but for the switches in SHIPPED and SHIPPED_FIT, which are measured in docs/methods/gcn.md. With --classes
the same network learns other roles, too: title, date, comment and body, each a probability of its own (section 7).
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
from broadsheet.training.gcn.fit import FitConfig, Fitted, fit, predict
from broadsheet.training.gcn.graphs import Graphs, load_graphs
from broadsheet.training.gcn.network import export_arrays
from broadsheet.training.gcn.scores import (
    find_threshold_by_nodes,
    find_threshold_by_words,
    score_nodes,
    score_words,
    weigh_blocks,
)
from broadsheet.training.gcn.tags import TagVectors, learn_tags
from broadsheet.training.options import TrainingOptions

MODEL = "gcn"
# What the weights that are shipped were made with; what each departure is worth is in docs/methods/gcn.md.
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


def train_gcn(options: TrainingOptions) -> None:
    """Learn from all train pages with a gold text, choose thresholds on dev pages, write the weights."""
    classes = options.classes or (BODY,)
    config = replace(SHIPPED, classes=classes)
    train, dev = load_graphs(options, "train", classes), load_graphs(options, "dev", classes)
    tags = learn_tags(train, options.seed)
    fitted = fit(train, dev, tags, config, SHIPPED_FIT, options)
    config = replace(config, thresholds=find_thresholds(fitted, dev, tags, config))
    figures = measure(fitted, dev, tags, config)
    for what, figure in figures.items():
        options.report(f"{what}: {figure}")
    arrays = {"tags": tags.vectors, **export_arrays(fitted.network)}
    GcnNetwork(config, arrays, tags.tags, load_words())  # fails here rather than at the user's
    card = Card(
        model=MODEL,
        summary=f"Graph network over the DOM (`methods/gcn`): {config.layers} layers, {config.hidden} wide, "
        f"for {', '.join(classes)}.",
        command="broadsheet train gcn" + (f" --classes {','.join(classes)}" if options.classes else ""),
        seed=options.seed,
        pages=count_pages(train),
        figures=figures,
        notes=(
            f"{len(fitted.losses)} epochs; rate {SHIPPED_FIT.rate}; negative nodes weigh {SHIPPED_FIT.negative_weight}",
            "Needs the word vectors in weights/words that it was trained with",
        ),
    )
    save_weights(options.output, MODEL, arrays, {**asdict(config), "tags": tags.tags}, card.write())


def count_pages(graphs: Sequence[Graphs]) -> Counter[str]:
    """Pages by dataset."""
    return Counter(page["dataset"] for each in graphs for page in each.pages)


def find_thresholds(fitted: Fitted, dev: Sequence[Graphs], tags: TagVectors, config: GcnConfig) -> tuple[float, ...]:
    """Choose the threshold of each class on dev pages: of body text by words, of the others by nodes."""
    scores = [predict(fitted.network, each, tags, config) for each in dev]
    gap = config.gap if config.refines else None
    found = []
    for place, kind in enumerate(config.classes):
        own = [each[:, place] for each in scores]
        is_body = kind == BODY and place == 0
        found.append(find_threshold_by_words(dev, own, gap) if is_body else find_threshold_by_nodes(dev, own, place))
    return tuple(round(threshold, 3) for threshold in found)


def _find_judged(graphs: Graphs) -> NDArray[np.bool_]:
    """Text nodes that count: only their answers are used."""
    is_text = np.zeros(len(graphs.tag), bool)
    is_text[graphs.text_row] = True
    return is_text & (graphs.counts > 0)


def measure(fitted: Fitted, dev: Sequence[Graphs], tags: TagVectors, config: GcnConfig) -> dict[str, str]:
    """Figures on dev pages, for the card."""
    scores = [predict(fitted.network, each, tags, config) for each in dev]
    counted = np.concatenate([_find_judged(each) for each in dev])
    figures = {}
    for place, (kind, threshold) in enumerate(zip(config.classes, config.thresholds, strict=True)):
        is_true = np.concatenate([each.label[:, place] > 0 for each in dev])[counted]
        is_found = (np.concatenate([each[:, place] for each in scores]) >= threshold)[counted]
        score = score_nodes(is_true, is_found)
        figures[f"text nodes of {kind}, dev"] = f"P {score.precision:.3f}, R {score.recall:.3f}, F1 {score.f1:.3f}"
    if config.classes[0] == BODY:
        blocks = [weigh_blocks(each, own[:, 0]) for each, own in zip(dev, scores, strict=True)]
        gap = config.gap if config.refines else None
        words = score_words(dev, blocks, config.thresholds[0], gap)
        figures |= {f"words of blocks, F1, {name}.dev": f"{value:.3f}" for name, value in words.items()}
        figures["words of blocks, F1, mean of dev sets"] = f"{mean(words.values()):.3f}"
    return figures
