"""Figures of docs/methods/gcn.md.

python benchmarks/gcn.py german      the paper's table on German news, publishers that were not learned from
python benchmarks/gcn.py german-few   the same, learned as published from the few pages of fundus alone
python benchmarks/gcn.py dragnet      the same on dragnet.bench
python benchmarks/gcn.py dragnet-few  the same, learned as published from 111 pages of dragnet.train
python benchmarks/gcn.py shipped      edit distances of the shipped weights, no training
python benchmarks/gcn.py departures   our switches, one at a time: learned from 1,491 pages, four epochs
python benchmarks/gcn.py render       estimated against rendered looks and places: quality and time (needs Chromium)
python benchmarks/gcn.py speed        milliseconds of the steps, one thread
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is there

import runpy
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

import numpy as np

from broadsheet.blocks import CONTENT_ROLES, Blocks, segment
from broadsheet.corpora import Record, read_corpus
from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.evaluation.measures.word import score_words
from broadsheet.methods.gcn import Gcn, GcnConfig
from broadsheet.methods.gcn.features import read_features
from broadsheet.page import Limits, Page, read_page
from broadsheet.style import compute_styles, find_boxes
from broadsheet.style.browser.render import render_page
from broadsheet.text import split_words
from broadsheet.training.gcn.fit import FitConfig, fit, predict
from broadsheet.training.gcn.graphs import load_graphs
from broadsheet.training.gcn.scores import find_threshold_by_words, weigh_blocks
from broadsheet.training.gcn.scores import score_words as score_blocks
from broadsheet.training.gcn.tags import learn_tags
from broadsheet.training.gcn.train import SHIPPED, SHIPPED_FIT
from broadsheet.training.options import TrainingOptions

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
WORK = Path(".training") / "gcn-benchmark"
DEPARTURE_SETS = frozenset("dragnet chaos aed big5-09 fundus".split())
STEPS = ("page and blocks, before the method", "looks", "places", "features", "network", "whole method")
SPEED_PAGES, SPEED_ROUNDS = 20, 3
RENDER_PAGES = 20  # of each of two sets
PATIENT = Limits(max_seconds=3600.0)  # a busy machine is no reason to stop here


def main() -> None:
    commands: dict[str, Callable[[], None]] = {
        **dict.fromkeys(("german", "german-few", "dragnet", "dragnet-few", "shipped"), print_table),
        "departures": measure_departures,
        "render": compare_rendering,
        "speed": measure_speed,
    }
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    if not DATA.exists():
        sys.exit(f"{DATA} is missing: the benchmark needs the labelled pages")
    WORK.mkdir(parents=True, exist_ok=True)
    commands[sys.argv[1]]()


def print_table() -> None:
    """Print one of the paper's tables: the script beside this one, told the same."""
    runpy.run_path(str(Path(__file__).with_name("gcn_tables.py")), run_name="__main__")


def measure_departures() -> None:
    """Word F1 of dev sets (blocks right or wrong as a whole), one switch as published and all others as shipped."""
    options = TrainingOptions(DATA, WORK, WORK, report=lambda line: print("  ", line, file=sys.stderr))
    train = load_graphs(options, "train", ("body",), only=DEPARTURE_SETS)
    dev = load_graphs(options, "dev", ("body",), only=DEPARTURE_SETS | {"big5-05", "daniel", "l3s-gn1", "wcxb"})
    tags = learn_tags(train, options.seed)
    short = replace(SHIPPED_FIT, epochs=4)
    rows = {"as shipped": (SHIPPED, short)}
    for name in ("hidden", "has_bias", "reads_names", "has_extra_numbers", "gap"):
        rows[f"`{name}` as published"] = (replace(SHIPPED, **{name: getattr(GcnConfig(), name)}), short)
    for name in ("negative_weight", "text_only"):
        rows[f"`{name}` as published"] = (SHIPPED, replace(short, **{name: getattr(FitConfig(), name)}))
    rows["not refined at all"] = (replace(SHIPPED, refines=False), short)
    rows["the network and its loss as published"] = (GcnConfig(), FitConfig(3e-3, 4, batch_pages=8, decays=True))
    print("| | word F1 |\n|---|---:|")
    for name, (config, how) in rows.items():
        network = fit(train, dev, tags, config, how, options).network
        scores = [predict(network, each, tags, config)[:, 0] for each in dev]
        gap = config.gap if config.refines else None
        threshold = find_threshold_by_words(dev, scores, gap)
        blocks = [weigh_blocks(each, own) for each, own in zip(dev, scores, strict=True)]
        print(f"| {name} | {mean(score_blocks(dev, blocks, threshold, gap).values()):.3f} |", flush=True)


def sample_pages() -> list[Record]:
    """Pages of today and of 2012 that were not learned from."""
    today, others = (
        [record for name in names for record in read_corpus(DATA / f"{name}.dev.jsonl.xz") if record.text]
        for names in (("fundus", "aed"), ("dragnet",))
    )
    return [*today[:RENDER_PAGES], *others[:RENDER_PAGES]]


def compare_rendering() -> None:
    """Word F1 and milliseconds, looks and places estimated and taken from Chromium (scripts and network off).

    The method's milliseconds are processor time of this process; the browser's are those that pass.
    """

    method = Gcn()
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    method.label(*_open(sample_pages()[0]))  # loads the weights
    for record in sample_pages():
        kind = "dragnet" if record.dataset == "dragnet" else "today"
        html = str(record.html)
        page = read_page(html, url=record.url, limits=PATIENT)
        headlines = find_headlines(page, record.title)
        began = time.perf_counter()
        rendered = render_page(html, page)
        found[kind, "browser ms"].append(1000 * (time.perf_counter() - began))
        for name, own in (("estimated", page), ("rendered", rendered)):
            began = time.process_time()
            output = read_text(method, own)
            found[kind, f"{name} ms"].append(1000 * (time.process_time() - began))
            words = [split_words(drop_headline(text, headlines)) for text in (output, record.text or "")]
            found[kind, f"{name} F1"].append(score_words(*words).f1)
    for (dataset, name), values in sorted(found.items()):
        print(f"{dataset}: {name}: mean {mean(values):.3f}, median {median(values):.3f} ({len(values)} pages)")


def read_text(method: Gcn, page: Page) -> str:

    blocks = segment(page)
    roles = method.label(page, blocks).roles
    return "\n".join(text for text, role in zip(blocks.text, roles, strict=True) if role in CONTENT_ROLES)


def measure_speed() -> None:
    """Milliseconds of a page's steps and of the method as a whole: processor time, the best of some rounds."""
    method = Gcn()
    names = ("dragnet.dev", "big5-09.dev", "chaos.dev", "aed.dev", "fundus.dev", "wcxb.dev")
    records = [record for name in names for record in list(read_corpus(DATA / f"{name}.jsonl.xz"))[:SPEED_PAGES]]
    method.label(*_open(records[0]))
    rounds = np.array([[_time_steps(method, record) for record in records] for _ in range(SPEED_ROUNDS)])
    for name, values in zip(STEPS, rounds.min(axis=0).T, strict=True):
        most = np.quantile(values, 0.9)
        print(f"{name}: mean {values.mean():.2f}, median {np.median(values):.2f}, 90 % under {most:.2f} ms")


def _time_steps(method: Gcn, record: Record) -> list[float]:
    marks = [time.process_time()]
    page, blocks = _open(record)
    marks.append(time.process_time())
    styles = compute_styles(page)
    styles.is_shown(0)
    marks.append(time.process_time())
    boxes = find_boxes(page, styles)
    marks.append(time.process_time())
    features = read_features(page, styles, boxes, method.network.config)
    marks.append(time.process_time())
    method.network.predict_texts(features)
    marks.append(time.process_time())
    method.label(page, blocks)
    marks.append(time.process_time())
    return [1000 * (last - first) for first, last in pairwise(marks)]


def _open(record: Record) -> tuple[Page, Blocks]:
    page = read_page(record.html, url=record.url, limits=PATIENT)
    return page, segment(page)


if __name__ == "__main__":
    main()
