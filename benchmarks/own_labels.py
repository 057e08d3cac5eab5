"""The gain from labels of your own: the figures of docs/howto/train.md.

    python -m benchmarks.own_labels sites    word F1 on other pages of a site, before and after fine-tuning on ten
    python -m benchmarks.own_labels curve    quality against the number of labelled pages, from scratch and fine-tuned

`MODEL` in the environment chooses the model: fusion (the default of `sites`), title (the default of `curve`), visual,
gcn or semtext. The weights to start from must not have seen the pages, so they are trained first, without the sites or
the dataset that is used as own labels; for sites of dev pages they are the shipped ones. For fusion, these weights are
one network that learns from articles of nine sets in six epochs. Weights and features are in .training/own-labels: an
interrupted run continues.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from zlib import crc32

import numpy as np

import broadsheet
from benchmarks.harness import Data, GoldPage, Table, run_command
from broadsheet.corpora import Record
from broadsheet.evaluation.measures import score_title
from broadsheet.methods import load_method
from broadsheet.methods.fusion.page_features import HEAD_NAMES, OUTCOME_NAMES, read_forests
from broadsheet.methods.fusion.train import collect_weights, find_convention
from broadsheet.methods.fusion.train_data import PAGES, FusionPages, gather_pages
from broadsheet.methods.fusion.train_forests import find_labelled_pages
from broadsheet.methods.fusion.train_recipe import FusionRecipe
from broadsheet.models import load_weights, save_weights
from broadsheet.models.weights import CONFIG
from broadsheet.training.options import SHIPPED_START, TrainingOptions, load_trainer
from broadsheet.training.pages import label_page

SETS = "aed big5-05 big5-09 chaos cwced daniel dragnet fundus l3s-gn1 wcxb".split()
TITLE_SETS = "aed fundus l3s-gn1 postlight".split()  # of the weights to start from
BASE_SETS = "aed chaos cwced daniel desk dragnet fundus l3s-gn1 wcxb".split()  # the same, of fusion
BASE_EPOCHS = 6
MAX_BASE_CHARS = 400_000  # of HTML
SITE_PAGES = 10  # to learn from
MIN_OTHER_PAGES = 5  # of the same site, to measure on
MAX_OTHER_PAGES = 15
MIN_CHANGE = 0.0005  # of word F1, for a site to count as better or worse
SAME_TEXT_CHARS = 300  # texts that start alike are the same page
CURVE_SET = "wcxb"
CURVE_PAGES = (20, 50, 100, 200, 500)
ROUNDS = 2_000  # of the bootstrap


@dataclass(frozen=True, slots=True)
class Experiment:
    """A model, and the folder of its weights and features."""

    model: str

    @property
    def work(self) -> Path:
        """The folder of everything that is kept between runs."""
        return Path(".training") / "own-labels" / self.model

    def train(self, name: str, pages: Iterable[dict[str, object]], *, start: str | None = None) -> Path:
        """Train on pages, unless it was done before; return the folder of weights."""
        weights, work = self.work / "weights" / name, self.work / name
        if (weights / CONFIG).exists():
            return weights
        work.mkdir(parents=True, exist_ok=True)
        with (work / "pages.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(page) + "\n" for page in pages)
        options = TrainingOptions(
            work / "pages.jsonl", weights, work, start=start, report=lambda line: print("  ", line, file=sys.stderr)
        )
        load_trainer(self.model)(options)
        (work / "pages.jsonl").unlink()
        return weights

    def measure(self, weights: Path | None, records: Sequence[Record]) -> float:
        """Return the mean word F1 of pages; for title, the share of titles that are found."""
        if self.model == "title":
            articles = (broadsheet.extract(record.html, url=record.url, weights=weights or ()) for record in records)
            return mean(
                score_title(article.title, record.title or "")
                for article, record in zip(articles, records, strict=True)
            )
        method = load_method(self.model, weights.absolute() if weights else None)
        return mean(GoldPage(record).score_method(method) for record in records)


def measure_sites(data: Data) -> None:
    """Print the word F1 on other pages of sites, before and after fine-tuning on some of their pages."""
    experiment = Experiment(os.environ.get("MODEL", "fusion"))
    dev_sites = read_sites(data, ("dev",)).keys()
    by_site = read_sites(data, ("train", "dev"))
    sites = [site for site in sorted(by_site) if len(by_site[site]) >= SITE_PAGES + MIN_OTHER_PAGES]
    base = train_base("sites", experiment, data, skipped_sites=frozenset(sites))
    table = Table(f"{experiment.model}, {SITE_PAGES} pages of a site", "split", "other pages", "before", "after")
    gains: dict[str, list[float]] = {"train": [], "dev": []}
    for site in sites:
        split = "dev" if site in dev_sites else "train"
        start = None if split == "dev" else base
        learned = by_site[site][:SITE_PAGES]
        others = by_site[site][SITE_PAGES : SITE_PAGES + MAX_OTHER_PAGES]
        # All pages of the site are learned from; thresholds are chosen on the same pages.
        pages = [*mark(learned, "train"), *mark(learned, "dev")]
        weights = experiment.train(f"site-{site}", pages, start=str(start) if start else SHIPPED_START)
        before, after = experiment.measure(start, others), experiment.measure(weights, others)
        table.add(site, split, len(others), before, after, digits=4)
        gains[split].append(after - before)
    print_gains("all", gains["train"] + gains["dev"])
    for split, values in gains.items():
        print_gains(split, values)


def print_gains(name: str, gains: Sequence[float]) -> None:
    """Print the mean gain of sites with its interval."""
    low, high = estimate_interval(gains)
    better, worse = (sum(sign * gain > MIN_CHANGE for gain in gains) for sign in (1, -1))
    print(
        f"\n{name}, {len(gains)} sites: mean gain {mean(gains):+.4f}, 95 % interval {low:+.4f} to {high:+.4f}, "
        f"better {better}, worse {worse}"
    )


def read_sites(data: Data, splits: Sequence[str]) -> dict[str, list[Record]]:
    """Return the articles of each site in a random order, so that learned and other pages are of the same datasets.

    A text that several datasets contain is used once.
    """
    by_site: dict[str, dict[str, Record]] = defaultdict(dict)
    for name in SETS:
        for split in splits:
            for record in data.read(f"{name}.{split}"):
                if record.text and record.site and record.page_type in {None, "article"}:
                    by_site[record.site].setdefault(record.text[:SAME_TEXT_CHARS], record)
    return {
        site: sorted(records.values(), key=lambda record: crc32(record.id.encode()))
        for site, records in by_site.items()
    }


def measure_curve(data: Data) -> None:
    """Print the quality on dev pages of a dataset, by the number of its train pages."""
    experiment = Experiment(os.environ.get("MODEL", "title"))
    train_pages, dev_pages = (
        [record for record in data.read(f"{CURVE_SET}.{split}") if is_labelled(record, experiment.model)]
        for split in ("train", "dev")
    )
    order = np.random.default_rng(0).permutation(len(train_pages)).tolist()
    base = train_base("curve", experiment, data, skipped_sets=frozenset((CURVE_SET,)))
    table = Table(f"{experiment.model}, pages of {CURVE_SET}", "from nothing", "fine-tuned")
    table.add("0", "", experiment.measure(base, dev_pages))
    for count in CURVE_PAGES:
        pages = [*mark((train_pages[number] for number in order[:count]), "train"), *mark(dev_pages, "dev")]
        new = experiment.train(f"new{count}", pages)
        tuned = experiment.train(f"tuned{count}", pages, start=str(base))
        table.add(str(count), experiment.measure(new, dev_pages), experiment.measure(tuned, dev_pages))


def is_labelled(record: Record, model: str) -> bool:
    """Return whether a model can learn from a page."""
    if model == "title":
        return bool(record.title) and record.page_type in {None, "article"}
    return bool(record.text)


def train_base(
    name: str,
    experiment: Experiment,
    data: Data,
    *,
    skipped_sets: frozenset[str] = frozenset(),
    skipped_sites: frozenset[str] = frozenset(),
) -> Path:
    """Train the weights to start from, without some datasets or sites."""
    if experiment.model == "fusion":
        weights = experiment.work / "weights" / f"base-{name}"
        if not (weights / CONFIG).exists():
            train_network(weights, read_base_pages(data, skipped_sets, skipped_sites))
        return weights
    pages = (
        row
        for dataset in (TITLE_SETS if experiment.model == "title" else SETS)
        if dataset not in skipped_sets
        for split in ("train", "dev")
        for row in mark(
            (record for record in data.read(f"{dataset}.{split}") if record.site not in skipped_sites), split
        )
    )
    return experiment.train(f"base-{name}", pages)


def read_base_pages(data: Data, skipped_sets: frozenset[str], skipped_sites: frozenset[str]) -> FusionPages:
    """Compute the features of articles of several sets. A page that `desk` labels again is used once."""
    replaced = {record.origin for record in data.read("desk.train")}

    def list_records() -> Iterator[Record]:
        for name in BASE_SETS:
            if name not in skipped_sets:
                for record in data.read(f"{name}.train"):
                    is_new = record.id not in replaced and record.site not in skipped_sites
                    if is_new and record.text and len(record.html) <= MAX_BASE_CHARS:
                        yield record

    labelled = map(label_page, list_records())
    return gather_pages(page for page in labelled if PAGES.accepts_blocks(page.blocks))


def train_network(output: Path, pages: FusionPages) -> None:
    """Train one block network, without teachers, and save it with the shipped forests."""
    from broadsheet.methods.fusion.train_loop import Batcher, NetworkRun, NetworkTrainer, fit_preprocessing
    from broadsheet.methods.fusion.train_network import Shape, export_networks

    recipe = FusionRecipe(epochs=BASE_EPOCHS)
    trainer = NetworkTrainer(fit_preprocessing(pages, recipe), recipe, Shape())
    run = NetworkRun(find_labelled_pages(pages), 0, recipe.epochs, output.parent, f"{output.name}-network", print)
    network = trainer.train(Batcher(pages, trainer.preprocessing), run)
    convention = find_convention(pages, trainer.preprocessing.vocabulary.datasets)
    forests = read_forests(load_weights("fusion"), len(HEAD_NAMES) + len(OUTCOME_NAMES))
    weights = collect_weights(export_networks([network], trainer.preprocessing, convention), forests)
    save_weights(output, "fusion", weights.arrays, weights.config, "Trained by benchmarks/own_labels.py.\n")


def mark(records: Iterable[Record], split: str) -> Iterable[dict[str, object]]:
    """Return records as JSON values with a split."""
    for record in records:
        values = {key.rstrip("_"): value for key, value in asdict(record).items() if value is not None}
        yield {**values, "split": split}


def estimate_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean."""
    array = np.array(values)
    draws = array[np.random.default_rng(0).integers(len(array), size=(ROUNDS, len(array)))].mean(axis=1)
    low, high = np.percentile(draws, (2.5, 97.5))
    return float(low), float(high)


if __name__ == "__main__":
    run_command(__doc__, {"sites": measure_sites, "curve": measure_curve})
