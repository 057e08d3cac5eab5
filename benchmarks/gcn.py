"""The graph network: the figures of docs/methods/gcn.md.

    python -m benchmarks.gcn german        the paper's table on German news, on publishers that are not in training
    python -m benchmarks.gcn german-few    the same, trained as published on the few pages of fundus alone
    python -m benchmarks.gcn dragnet       the same on dragnet.bench
    python -m benchmarks.gcn dragnet-few   the same, trained as published on 111 pages of dragnet.train
    python -m benchmarks.gcn shipped       edit distances of the shipped weights, without training
    python -m benchmarks.gcn departures    our switches, one at a time, trained on 1,491 pages for four epochs
    python -m benchmarks.gcn render        estimated against rendered styles and boxes: quality, time (needs Chromium)
    python -m benchmarks.gcn speed         milliseconds of the steps, on one thread

Cached features and checkpoints are in .training/gcn-benchmark: an interrupted run continues.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import sys
import time
from collections import defaultdict
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import mean, median

import numpy as np

from benchmarks import gcn_tables
from benchmarks.harness import Data, GoldPage, Stopwatch, Table, run_command
from broadsheet.blocks import CONTENT_ROLES, segment
from broadsheet.corpora import Record
from broadsheet.methods.gcn import Gcn, GcnConfig
from broadsheet.methods.gcn.features import read_features
from broadsheet.methods.gcn.train import SHIPPED, SHIPPED_FIT, find_threshold_by_words, measure_word_f1, score_blocks
from broadsheet.methods.gcn.train_data import load_graphs
from broadsheet.methods.gcn.train_network import (
    FitConfig,
    GraphData,
    NetworkPlan,
    fit_network,
    learn_tags,
    predict_nodes,
)
from broadsheet.page import Page, read_page
from broadsheet.style import compute_styles, find_boxes
from broadsheet.style.browser import render_page
from broadsheet.training.options import TrainingOptions
from broadsheet.training.pages import NO_TIME_LIMIT

WORK = Path(".training") / "gcn-benchmark"
DEPARTURE_SETS = frozenset("dragnet chaos aed big5-09 fundus".split())
DEPARTURE_DEV_SETS = DEPARTURE_SETS | {"big5-05", "daniel", "l3s-gn1", "wcxb"}
DEPARTURE_EPOCHS = 4
SPEED_SETS = ("dragnet.dev", "big5-09.dev", "chaos.dev", "aed.dev", "fundus.dev", "wcxb.dev")
SPEED_PAGES = 20  # of each set
SPEED_ROUNDS = 3
RENDER_PAGES = 20  # of each period


def make_options(data: Data) -> TrainingOptions:
    """Return training options that log to standard error."""
    return TrainingOptions(
        data.folder, WORK, WORK, limit=data.limit, report=lambda line: print("  ", line, file=sys.stderr)
    )


def print_table(name: str, data: Data) -> None:
    """Print one of the paper's tables."""
    gcn_tables.print_table(name, data, make_options(data))


# Departures


def measure_departures(data: Data) -> None:
    """Print the word F1 on dev sets with one switch as published and all others as shipped."""
    options = make_options(data)
    train = load_graphs(options, "train", ("body",), names=DEPARTURE_SETS)
    dev = load_graphs(options, "dev", ("body",), names=DEPARTURE_DEV_SETS)
    graph_data = GraphData(train, dev, learn_tags(train, options.seed))
    table = Table("", "word F1")
    for name, plan in list_departures().items():
        network = fit_network(graph_data, plan, options).network
        scores = [predict_nodes(network, graphs, graph_data.tags, plan.config)[:, 0] for graphs in dev]
        gap = plan.config.gap if plan.config.refines else None
        threshold = find_threshold_by_words(dev, scores, gap)
        blocks = [score_blocks(graphs, part) for graphs, part in zip(dev, scores, strict=True)]
        table.add(name, mean(measure_word_f1(dev, blocks, threshold, gap).values()))


def list_departures() -> dict[str, NetworkPlan]:
    fit = replace(SHIPPED_FIT, epochs=DEPARTURE_EPOCHS)
    published_fit = FitConfig(rate=3e-3, epochs=DEPARTURE_EPOCHS, batch_pages=8, decays=True)
    plans = {"as shipped": NetworkPlan(SHIPPED, fit)}
    for name in ("hidden", "has_bias", "reads_names", "has_extra_numbers", "gap"):
        config = replace(SHIPPED, **{name: getattr(GcnConfig(), name)})
        plans[f"`{name}` as published"] = NetworkPlan(config, fit)
    for name in ("negative_weight", "text_only"):
        published = replace(fit, **{name: getattr(FitConfig(), name)})
        plans[f"`{name}` as published"] = NetworkPlan(SHIPPED, published)
    plans["without refinement"] = NetworkPlan(replace(SHIPPED, refines=False), fit)
    plans["network and loss as published"] = NetworkPlan(GcnConfig(), published_fit)
    return plans


# Rendering


def read_dev_pages(data: Data) -> dict[str, list[GoldPage]]:
    """Return pages of two periods that the weights were not trained on."""
    recent = [page for name in ("fundus", "aed") for page in data.read_gold(f"{name}.dev")]
    return {"2023 and later": recent[:RENDER_PAGES], "2012": data.read_gold("dragnet.dev")[:RENDER_PAGES]}


def compare_rendering(data: Data) -> None:
    """Print word F1 and time with styles and boxes that are estimated, and with those of Chromium.

    Scripts and network are off. The method's time is processor time; the browser's is elapsed time.
    """
    method = Gcn()
    results: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    pages = read_dev_pages(data)
    label_text(method, read_without_clock(pages["2012"][0].record))  # loads the weights
    for period, gold_pages in pages.items():
        for gold in gold_pages:
            page = read_without_clock(gold.record)
            start = time.perf_counter()
            rendered = render_page(str(gold.record.html), page)
            results[period, "browser ms"].append(1000 * (time.perf_counter() - start))
            for name, variant in (("estimated", page), ("rendered", rendered)):
                start = time.process_time()
                text = label_text(method, variant)
                results[period, f"{name} ms"].append(1000 * (time.process_time() - start))
                results[period, f"{name} F1"].append(gold.score(text).f1)
    table = Table("", "pages", "mean", "median")
    for (period, name), values in results.items():
        table.add(f"pages of {period}: {name}", str(len(values)), mean(values), median(values))


def read_without_clock(record: Record) -> Page:
    return read_page(record.html, url=record.url, limits=NO_TIME_LIMIT)


def label_text(method: Gcn, page: Page) -> str:
    """Return the text of the blocks that the method labels as article text."""
    blocks = segment(page)
    roles = method.label(page, blocks).roles
    return "\n".join(text for text, role in zip(blocks.text, roles, strict=True) if role in CONTENT_ROLES)


# Speed


def measure_speed(data: Data) -> None:
    """Print the processor time of the steps, the best of several rounds for each page."""
    method = Gcn()
    records = [record for name in SPEED_SETS for record in islice(data.read(name), SPEED_PAGES)]
    time_steps(method, records[0], Stopwatch())  # loads the weights
    rounds = []
    for _ in range(SPEED_ROUNDS):
        watch = Stopwatch()
        for record in records:
            time_steps(method, record, watch)
        rounds.append(list(watch.times.values()))
    best = np.array(rounds).min(axis=0)  # (steps, pages)
    table = Table(f"ms of processor time, {len(records)} pages", "median", "mean", "90th percentile")
    for name, values in zip(watch.times, best, strict=True):
        table.add(name, np.median(values), values.mean(), np.quantile(values, 0.9), digits=2)


def time_steps(method: Gcn, record: Record, watch: Stopwatch) -> None:
    with watch.step("parse and segment, before the method"):
        page = read_without_clock(record)
        blocks = segment(page)
    with watch.step("styles"):
        styles = compute_styles(page)
        styles.is_shown(0)
    with watch.step("boxes"):
        boxes = find_boxes(page, styles)
    with watch.step("features"):
        features = read_features(page, styles, boxes, method.network.config)
    with watch.step("network"):
        method.network.predict_texts(features)
    with watch.step("whole method"):
        method.label(page, blocks)


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    run_command(
        __doc__,
        {
            **{name: partial(print_table, name) for name in gcn_tables.TABLES},
            "departures": measure_departures,
            "render": compare_rendering,
            "speed": measure_speed,
        },
    )
