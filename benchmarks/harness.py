"""Shared parts of the benchmarks: command line, labelled pages, word F1, tables and timing."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from statistics import linear_regression, mean, median

import broadsheet
from broadsheet.corpora import Record, read_corpus
from broadsheet.corpora.align import drop_headline, find_headlines
from broadsheet.evaluation.contenders import Contender, find_contenders, open_extractor
from broadsheet.evaluation.measures import Score, score_words
from broadsheet.methods import Method
from broadsheet.page import read_page
from broadsheet.text import split_words

PROJECT_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass(frozen=True, slots=True)
class Data:
    """The folder of labelled pages. A set is named as its file: wcxb.dev for wcxb.dev.jsonl.xz."""

    folder: Path
    limit: int | None = None  # pages per set

    def path(self, name: str) -> Path:
        """Return the file of a set."""
        path = self.folder / f"{name}.jsonl.xz"
        if not path.exists():
            sys.exit(f"{path} does not exist: this benchmark needs the labelled pages; name their folder with --data")
        return path

    def read(self, name: str) -> Iterator[Record]:
        """Yield the pages of a set."""
        return islice(read_corpus(self.path(name)), self.limit)

    def read_gold(self, name: str) -> list[GoldPage]:
        """Return the pages of a set that have gold text."""
        return [GoldPage(record) for record in self.read(name) if record.text]


@dataclass(frozen=True)
class GoldPage:
    """A page with gold text. The headline is removed from both sides before texts are compared."""

    record: Record

    @cached_property
    def headlines(self) -> frozenset[str]:
        """Texts that count as the headline."""
        return find_headlines(read_page(self.record.html, url=self.record.url), self.record.title)

    def split(self, text: str) -> list[str]:
        """Return the words of a text without its headline."""
        return split_words(drop_headline(text, self.headlines))

    def score(self, text: str) -> Score:
        """Compare the words of a text with those of the gold text."""
        return score_words(self.split(text), self.split(self.record.text or ""))

    def score_method(self, method: str | Method) -> float:
        """Return the word F1 of the text that a method extracts."""
        return self.score(broadsheet.extract(self.record.html, url=self.record.url, method=method).text).f1


@dataclass(frozen=True, slots=True)
class Means:
    """Means over pages. The mean F1 is not the F1 of the means."""

    precision: float
    recall: float
    f1: float

    def list_figures(self) -> list[float]:
        """Return the cells of a table."""
        return [self.precision, self.recall, self.f1]


def average_scores(scores: Iterable[Score]) -> Means:
    """Return the means of precision, recall and F1."""
    rows = [(score.precision, score.recall, score.f1) for score in scores]
    return Means(*(mean(column) for column in zip(*rows, strict=True)))


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that all benchmarks have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=PROJECT_DATA, metavar="DIR", help="folder of labelled pages")
    parser.add_argument("--pages", type=int, metavar="N", help="only the first N pages of each set")
    return parser


def parse_data(options: argparse.Namespace) -> Data:
    """Return the labelled pages that the options name."""
    return Data(options.data, options.pages)


def run_command(description: str | None, commands: Mapping[str, Callable[[Data], None]]) -> None:
    """Run the command that is named on the command line."""
    parser = make_parser(description)
    parser.add_argument("command", choices=list(commands))
    options = parser.parse_args()
    commands[options.command](parse_data(options))


class Table:
    """A Markdown table that is printed row by row. The first column is text, the others are numbers."""

    def __init__(self, *header: str) -> None:
        self.text = ""
        self._print(f"| {' | '.join(header)} |\n|---|{'---:|' * (len(header) - 1)}", before="\n")

    def add(self, *cells: str | float, digits: int = 3) -> None:
        """Print a row."""
        self._print(f"| {' | '.join(_write_cell(cell, digits) for cell in cells)} |")

    def _print(self, line: str, before: str = "") -> None:
        print(before + line, flush=True)
        self.text += line + "\n"


def _write_cell(cell: str | float, digits: int) -> str:
    return f"{cell:.{digits}f}" if isinstance(cell, float) else str(cell)


class Stopwatch:
    """Processor time of named steps, in milliseconds per page."""

    def __init__(self, clock: Callable[[], float] = time.process_time) -> None:
        self.times: dict[str, list[float]] = {}
        self._clock = clock

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure a step of one page."""
        start = self._clock()
        yield
        self.times.setdefault(name, []).append(1000 * (self._clock() - start))

    def print(self) -> None:
        """Print the median and the mean of each step."""
        pages = max(map(len, self.times.values()))
        table = Table(f"ms of processor time, {pages} pages", "median", "mean")
        for name, values in self.times.items():
            table.add(name, median(values), mean(values), digits=2)


def find_exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return b of time = a * size ** b, by least squares over the logarithms."""
    return linear_regression([math.log(size) for size in sizes], [math.log(value) for value in times]).slope


def find_peer(name: str) -> Contender:
    """Return another extractor. Exits with a message if it is not installed."""
    lineup = find_contenders((), (name,))
    if lineup.missing:
        sys.exit(lineup.missing[0])
    return lineup.contenders[0]


def open_peer(name: str) -> Callable[[Record], str]:
    """Return a function that extracts the text of a page with another extractor."""
    extract = open_extractor(find_peer(name))

    def run(record: Record) -> str:
        html = record.html if isinstance(record.html, str) else record.html.decode("utf-8", "replace")
        return extract(html, record.url, record.lang).text or ""

    return run


def mean_by_set(scores: Mapping[str, Sequence[float]]) -> float:
    """Return the mean of the sets' means: each set counts the same."""
    return mean(mean(values) for values in scores.values())
