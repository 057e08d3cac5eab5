"""Shared parts of the papers' tables: word scores of contenders, departures one at a time, and claims of a paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import mean
from typing import TypeVar

import broadsheet
from benchmarks.harness import Data, GoldPage, Means, Table, average_scores, open_peer
from broadsheet.corpora import Record
from broadsheet.methods import Method

Config = TypeVar("Config")
ExtractText = Callable[[Record], str]


def extract_by(method: str | Method) -> ExtractText:
    """Return a function that extracts the text of a page by a method."""
    return lambda record: broadsheet.extract(record.html, record.url, method).text


def extract_by_peers(*names: str) -> dict[str, ExtractText]:
    """Return functions that extract the text of a page by other extractors."""
    return {name: open_peer(name) for name in names}


def score_contenders(pages: Sequence[GoldPage], contenders: Mapping[str, ExtractText]) -> dict[str, Means]:
    """Return the means of word precision, recall and F1 over pages for each contender."""
    return {
        name: average_scores(page.score(extract(page.record)) for page in pages) for name, extract in contenders.items()
    }


def print_scores(title: str, scores: Mapping[str, Means], printed: Mapping[str, tuple[float, float, float]]) -> None:
    """Print measured scores, and the rows that the paper prints."""
    table = Table(title, "word P", "R", "F1")
    for name, score in scores.items():
        table.add(name, *score.list_figures())
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
        method = make_method(config)
        return mean(mean(page.score_method(method) for page in set_pages) for set_pages in pages.values())

    count = sum(map(len, pages.values()))
    table = Table(f"word F1, mean of {len(sets)} dev sets ({count} pages)", "alone as published", "alone as shipped")
    table.add("no switch changed: all as shipped, all as published", measure(shipped), measure(published))
    for name in switches:
        as_published = replace(shipped, **{name: getattr(published, name)})  # type: ignore[type-var]
        as_shipped = replace(published, **{name: getattr(shipped, name)})  # type: ignore[type-var]
        table.add(f"`{name}`", measure(as_published), measure(as_shipped))
