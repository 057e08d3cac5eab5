"""Shared parts of the papers' tables: word scores of contenders, departures one at a time, and claims of a paper.

The table `sites` names how many test pages are of sites that also have train pages.

Scores of pages are kept in `.training/papers/scores.jsonl`, by the code and the configuration of a contender, so that a
run that was interrupted continues.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import mean
from typing import TypeVar

import numpy as np

import broadsheet
from benchmarks.harness import Data, GoldPage, Table, average_scores, open_peer
from benchmarks.papers.baselines import BASELINES
from broadsheet.corpora import Record
from broadsheet.evaluation.contenders import find_contenders
from broadsheet.evaluation.measures import Score
from broadsheet.methods import Method, load_method
from broadsheet.training.cache import hash_code, make_key

Config = TypeVar("Config")
ExtractText = Callable[[Record], str]


CACHE = Path(".training") / "papers" / "scores.jsonl"
MISSING = "–"  # of an extractor that is not installed
LEFT_OUT = "left out"  # begins the line about rows whose weights are not trained yet
SAMPLES = 1000  # of the bootstrap over pages


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to extract the text of a page. `key` changes with its code and configuration; "" if it is not cached."""

    run: ExtractText | None  # None: it is not installed
    key: str = ""


def extract_by(method: str | Method) -> Contender:
    """Return a contender that extracts the text of a page by a method."""
    loaded = load_method(method) if isinstance(method, str) else method
    code = hash_code(type(loaded).__module__)
    config, weights = getattr(loaded, "config", None), getattr(loaded, "weights_hash", "")
    key = make_key(loaded.name, repr(config), weights, code, hash_code("broadsheet.api"))
    return Contender(lambda record: broadsheet.extract(record.html, record.url, loaded).text, key)


def extract_by_peers(*names: str) -> dict[str, Contender]:
    """Return contenders of other extractors. Those that are not installed are named, and cannot run."""
    lineup = find_contenders((), names)
    for line in lineup.missing:
        print(f"\nnot measured: {line}")
    contenders = dict.fromkeys(names, Contender(None))
    for peer in lineup.contenders:
        contenders[peer.name] = Contender(
            open_peer(peer.name), make_key("peer", peer.name, getattr(peer, "version", ""))
        )
    return contenders


def has_peer(name: str) -> bool:
    """Tell whether an extractor is installed; print which one is not."""
    missing = find_contenders((), (name,)).missing
    for line in missing:
        print(f"\nnot measured: {line}")
    return not missing


def extract_by_baseline(name: str) -> Contender:
    """Return a contender of `benchmarks/papers/baselines`."""
    extract = BASELINES[name]
    return Contender(lambda record: extract(str(record.html)), make_key("baseline", name, read_code(extract)))


def read_code(function: Callable[..., object]) -> str:
    """Return the source of the module of a function, for keys of results that are kept."""
    return Path(inspect.getsourcefile(function) or "").read_text("utf-8")


class _Cache:
    """Scores of pages by key."""

    def __init__(self) -> None:
        self.scores: dict[str, Score] = {}
        if CACHE.exists():
            for line in CACHE.read_text("utf-8").splitlines():
                key, *figures = json.loads(line)
                self.scores[key] = Score(*figures)

    def score(self, page: GoldPage, contender: Contender) -> Score:
        key = make_key(contender.key, page.record.dataset, page.record.id, len(page.record.html))
        if not contender.key or key not in self.scores:
            assert contender.run is not None
            score = page.score(contender.run(page.record))
            if not contender.key:
                return score
            self.scores[key] = score
            CACHE.parent.mkdir(parents=True, exist_ok=True)
            with CACHE.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, score.precision, score.recall]) + "\n")
        return self.scores[key]


@cache
def _open_cache() -> _Cache:
    return _Cache()


def score_pages(pages: Sequence[GoldPage], contender: Contender) -> list[Score]:
    """Return the scores of pages, those that are known from the cache; none if the contender is not installed."""
    return [] if contender.run is None else [_open_cache().score(page, contender) for page in pages]


def score_contenders(pages: Sequence[GoldPage], contenders: Mapping[str, Contender]) -> dict[str, Interval]:
    """Return the means of word precision, recall and F1 over pages for each contender, with an interval of F1."""
    return {name: Interval(score_pages(pages, contender)) for name, contender in contenders.items()}


def measure_half_interval(values: Sequence[float]) -> float:
    """Return half of the 95 % interval of the mean of values by a bootstrap."""
    samples = np.random.default_rng(0).choice(np.array(values), (SAMPLES, len(values))).mean(axis=1)
    return float(np.diff(np.quantile(samples, (0.025, 0.975)))[0] / 2)


class Interval:
    """Means over pages, and half of the 95 % interval of the mean F1 by a bootstrap over pages; NaN without scores."""

    def __init__(self, scores: Sequence[Score]) -> None:
        self.precision = self.recall = self.f1 = self.half = math.nan
        if not scores:
            return
        means = average_scores(scores)
        self.precision, self.recall, self.f1 = means.precision, means.recall, means.f1
        self.half = measure_half_interval([score.f1 for score in scores])

    def list_cells(self) -> list[str]:
        """Return the cells of a table: three decimals, or two if the interval is wider than 0.03; dashes for NaN."""
        if math.isnan(self.f1):
            return [MISSING] * 3
        digits = 3 if self.half <= 0.015 else 2
        precision, recall, f1, half = (
            f"{value:.{digits}f}" for value in (self.precision, self.recall, self.f1, self.half)
        )
        return [precision, recall, f"{f1} ± {half}"]


def print_scores(title: str, scores: Mapping[str, Interval], printed: Mapping[str, tuple[float, float, float]]) -> None:
    """Print measured scores, and the rows that the paper prints."""
    table = Table(title, "word P", "R", "F1, 95 % interval")
    for name, score in scores.items():
        table.add(name, *score.list_cells())
    for name, figures in printed.items():
        table.add(f"paper: {name}", *figures)


def print_claims(claims: Mapping[str, bool]) -> None:
    """Print which claims of a paper hold."""
    print()
    for sentence, holds in claims.items():
        print(f"- {'holds' if holds else 'does not hold'}: {sentence}")


def print_departures(
    data: Data,
    sets: Sequence[str],
    configs: tuple[Config, Config],
    make_method: Callable[[Config], Method],
    switches: Sequence[str],
) -> None:
    """Print the word F1 on dev sets with one switch changed: as published in the shipped one, and the reverse.

    `configs` are the published and the shipped configuration.
    """
    published, shipped = configs
    pages = {name: data.read_gold(f"{name}.dev") for name in sets}

    def measure(config: Config) -> float:
        contender = extract_by(make_method(config))
        return mean(mean(score.f1 for score in score_pages(set_pages, contender)) for set_pages in pages.values())

    count = sum(map(len, pages.values()))
    table = Table(f"word F1, mean of {len(sets)} dev sets ({count} pages)", "alone as published", "alone as shipped")
    table.add("no switch changed: all as shipped, all as published", measure(shipped), measure(published))
    for name in switches:
        as_published = replace(shipped, **{name: getattr(published, name)})  # type: ignore[type-var]
        as_shipped = replace(published, **{name: getattr(shipped, name)})  # type: ignore[type-var]
        table.add(f"`{name}`", measure(as_published), measure(as_shipped))


TEST_SETS = (
    "dragnet.bench",
    "big5-13.bench",
    "cleanportaleval.bench",
    "cleaneval.bench",
    "trafilatura.bench",
    "fundus.dev",
)


def print_shared_sites(data: Data) -> None:
    """Print how many pages of the test sets are of sites that have pages in a train set."""
    train = {
        record.site for path in sorted(data.folder.glob("*.train.jsonl.xz")) for record in data.read(path.name[:-9])
    }
    table = Table("test set", "pages", "with a site", "of a site with train pages")
    for name in TEST_SETS:
        sites = [record.site for record in data.read(name)]
        counts = (len(sites), sum(map(bool, sites)), sum(bool(site) and site in train for site in sites))
        table.add(name, *map(str, counts))


TABLES: dict[str, Callable[[Data], None]] = {}
SLOW_TABLES = {"sites": print_shared_sites}
