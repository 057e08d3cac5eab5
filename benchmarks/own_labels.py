"""What own labels are worth: the figures of docs/howto/train.md.

    python -m benchmarks.own_labels sites    word F1 on other pages of a site, before and after fine-tuning on ten
    python -m benchmarks.own_labels curve    word F1 against the number of labelled pages, from nothing and fine-tuned

The weights to start from must not have seen the pages, so they are trained first, without the sites or the dataset that
is used as own labels. `MODEL=visual` in the environment chooses the model (fusion, visual, gcn or semtext). Weights and
features are in .training/own-labels: an interrupted run continues.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from zlib import crc32

import numpy as np

from benchmarks.harness import Data, GoldPage, Table, run_command
from broadsheet.corpora import Record
from broadsheet.methods import load_method
from broadsheet.models.weights import CONFIG
from broadsheet.training.options import TrainingOptions
from broadsheet.training.trainers import load_trainer

MODEL = os.environ.get("MODEL", "visual")
WORK = Path(".training") / "own-labels" / MODEL
SETS = "aed big5-05 big5-09 chaos cwced daniel dragnet fundus l3s-gn1 wcxb".split()
SITE_PAGES = 10  # to learn from
MIN_OTHER_PAGES = 5  # of the same site, to measure on
MAX_OTHER_PAGES = 15
MAX_SITES = 30
SAME_TEXT_CHARS = 300  # texts that start alike are the same page
CURVE_SET = "wcxb"
CURVE_PAGES = (20, 50, 100, 200, 500)
ROUNDS = 2_000  # of the bootstrap


def measure_sites(data: Data) -> None:
    """Print the word F1 on other pages of sites, before and after fine-tuning on some of their pages."""
    by_site = read_sites(data)
    sites = [site for site in sorted(by_site) if len(by_site[site]) >= SITE_PAGES + MIN_OTHER_PAGES][:MAX_SITES]
    base = train_base("sites", data, skipped_sites=frozenset(sites))
    table = Table(f"{MODEL}, {SITE_PAGES} pages of a site", "other pages", "before", "after")
    gains = []
    for number, site in enumerate(sites):
        learned = by_site[site][:SITE_PAGES]
        others = by_site[site][SITE_PAGES : SITE_PAGES + MAX_OTHER_PAGES]
        # All pages of the site are learned from; thresholds are chosen on the same pages.
        weights = train(f"site{number}", [*mark(learned, "train"), *mark(learned, "dev")], start=base)
        before, after = measure(base, others), measure(weights, others)
        table.add(site, len(others), before, after)
        gains.append(after - before)
    low, high = estimate_interval(gains)
    print(f"\n{len(sites)} sites: mean gain {mean(gains):+.4f}, 95 % interval {low:+.4f} to {high:+.4f}")


def read_sites(data: Data) -> dict[str, list[Record]]:
    """Return the articles of each site in a random order, so that learned and other pages are of the same datasets.

    A text that several datasets contain is used once.
    """
    by_site: dict[str, dict[str, Record]] = defaultdict(dict)
    for name in SETS:
        for split in ("train", "dev"):
            for record in data.read(f"{name}.{split}"):
                if record.text and record.site and record.page_type in {None, "article"}:
                    by_site[record.site].setdefault(record.text[:SAME_TEXT_CHARS], record)
    return {
        site: sorted(records.values(), key=lambda record: crc32(record.id.encode()))
        for site, records in by_site.items()
    }


def measure_curve(data: Data) -> None:
    """Print the word F1 on dev pages of a dataset, by the number of its train pages."""
    train_pages = [record for record in data.read(f"{CURVE_SET}.train") if record.text]
    dev_pages = [record for record in data.read(f"{CURVE_SET}.dev") if record.text]
    order = np.random.default_rng(0).permutation(len(train_pages)).tolist()
    base = train_base("curve", data, skipped_sets=frozenset((CURVE_SET,)))
    table = Table(f"{MODEL}, pages of {CURVE_SET}", "from nothing", "fine-tuned")
    table.add("0", "", measure(base, dev_pages))
    for count in CURVE_PAGES:
        pages = [*mark((train_pages[number] for number in order[:count]), "train"), *mark(dev_pages, "dev")]
        new, tuned = train(f"new{count}", pages), train(f"tuned{count}", pages, start=base)
        table.add(str(count), measure(new, dev_pages), measure(tuned, dev_pages))


def train_base(
    name: str,
    data: Data,
    *,
    skipped_sets: frozenset[str] = frozenset(),
    skipped_sites: frozenset[str] = frozenset(),
) -> Path:
    """Train the weights to start from, without some datasets or sites."""
    pages = (
        row
        for dataset in SETS
        if dataset not in skipped_sets
        for split in ("train", "dev")
        for row in mark(
            (record for record in data.read(f"{dataset}.{split}") if record.site not in skipped_sites), split
        )
    )
    return train(f"base-{name}", pages)


def mark(records: Iterable[Record], split: str) -> Iterable[dict[str, object]]:
    """Return records as JSON values with a split."""
    for record in records:
        values = {key.rstrip("_"): value for key, value in asdict(record).items() if value is not None}
        yield {**values, "split": split}


def train(name: str, pages: Iterable[dict[str, object]], *, start: Path | None = None) -> Path:
    """Train on pages, unless it was done before; return the folder of weights."""
    weights, work = WORK / "weights" / name, WORK / name
    if (weights / CONFIG).exists():
        return weights
    work.mkdir(parents=True, exist_ok=True)
    with (work / "pages.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(page) + "\n" for page in pages)
    load_trainer(MODEL)(
        TrainingOptions(
            work / "pages.jsonl",
            weights,
            work,
            start=str(start) if start else None,
            report=lambda line: print("  ", line, file=sys.stderr),
        )
    )
    (work / "pages.jsonl").unlink()
    return weights


def measure(weights: Path, records: Sequence[Record]) -> float:
    """Return the mean word F1 of pages."""
    method = load_method(MODEL, weights.absolute())
    return mean(GoldPage(record).score_method(method) for record in records)


def estimate_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean."""
    array = np.array(values)
    draws = array[np.random.default_rng(0).integers(len(array), size=(ROUNDS, len(array)))].mean(axis=1)
    low, high = np.percentile(draws, (2.5, 97.5))
    return float(low), float(high)


if __name__ == "__main__":
    run_command(__doc__, {"sites": measure_sites, "curve": measure_curve})
