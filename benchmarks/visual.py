"""The visual method: tuning of its parameters, effect of its departures, titles and dates without metadata, speed.

python -m benchmarks.visual tune          α and β of NCE, by coordinate search on train pages
python -m benchmarks.visual departures    dev sets: one switch as published at a time
python -m benchmarks.visual titles        trafilatura.bench: the title by style and position alone, and article.title
python -m benchmarks.visual dates         all bench pages with a date: the day without metadata, by language
python -m benchmarks.visual comments      detection of comment sections over α, β5 and β6, on dragnet
python -m benchmarks.visual speed         milliseconds of processor time per page, dev sets
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import islice
from statistics import mean

import numpy as np

import broadsheet
from benchmarks.harness import Data, Stopwatch, Table, mean_by_set, run_command
from broadsheet.blocks import Blocks, Labels, segment
from broadsheet.corpora import Record, align_text
from broadsheet.corpora.align import find_headlines
from broadsheet.evaluation.measures import score_date, score_title
from broadsheet.fields.dates import find_method_date
from broadsheet.fields.evidence import gather_evidence
from broadsheet.methods.visual import PublishedVisual, Visual, VisualConfig
from broadsheet.methods.visual.nce import TextNodes, find_comments, find_relevant, read_text_nodes
from broadsheet.page import Page, read_page
from broadsheet.text import fold_words, split_words
from broadsheet.training.pages import LabelledPage, has_gold_text, label_page, states_day

TUNING_SETS = "aed big5-05 big5-09 chaos cwced daniel dragnet fundus l3s-gn1 wcxb".split()
TUNING_PAGES = 65  # of each set
COMMENT_PAGES = 160
COMMENT_VALUES = [
    *((200, 800, 4, 0.9), (20, 200, 4, 0.9), (20, 100, 4, 0.8), (20, 200, 4, 0.8)),
    *((100, 400, 1, 0.75), (100, 800, 4, 0.8), (100, 800, 4, 0.6), (50, 800, 4, 0.5)),
]
NEWS_SETS = "l3s-gn1 aed fundus chaos dragnet daniel".split()
MIXED_SET = "wcxb"  # half of its pages are not articles
FIELD_SETS = "metahtml wcxb fundus postlight l3s-gn1".split()
DATED_SETS = "htmldate trafilatura metahtml postlight".split()
SPEED_SETS = (*NEWS_SETS, "wcxb", "metahtml")
SPEED_PAGES = 20  # of each set
MAX_DATE_CHARS = 160  # of a text that can state the date
# The optimum is inside the grid, but for beta_1: values below 0.05 change the score by 0.0001.
GRID: dict[str, list[float]] = {
    "beta_1": [0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7],
    "beta_2": [200, 400, 600, 900, 1200, 1600, 2400, 3200],
    "beta_3": [40, 80, 120, 140, 160, 180, 200, 250, 320],
    "beta_4": [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
    "alpha_1": [20, 50, 100, 150, 200, 250, 300],
    "alpha_2": [300, 500, 800, 1000, 1200, 2000, 4000],
    "beta_5": [1, 2, 3, 4, 6, 10, 20],
    "beta_6": [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95],
}
PUBLISHED, SHIPPED = VisualConfig(), VisualConfig.shipped()
SWITCHES = [field.name for field in fields(VisualConfig) if isinstance(getattr(PUBLISHED, field.name), bool)]


# Tuning


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """A page, prepared for many runs of NCE."""

    set_name: str
    page: Page
    text: TextNodes
    words: np.ndarray[tuple[int], np.dtype[np.float64]]  # of each block; 0 for a headline
    in_text: np.ndarray[tuple[int], np.dtype[np.bool_]]  # of each block
    first: np.ndarray[tuple[int], np.dtype[np.int64]]  # row of the first node of each block


def tune(data: Data) -> None:
    """Change one parameter at a time while the F1 improves."""
    samples = list(read_samples(data))
    config = PUBLISHED
    best = score_nce(samples, config)
    print(f"{len(samples)} pages; default parameters: {best:.4f}")
    is_improving = True
    while is_improving:
        is_improving = False
        for name, values in GRID.items():
            for value in values:
                other = replace(config, **{name: value})  # type: ignore[arg-type]
                if other.alpha_1 < other.alpha_2 and (score := score_nce(samples, other)) > best:
                    best, config, is_improving = score, other, True
        print(f"{best:.4f} {', '.join(f'{name}={getattr(config, name)}' for name in GRID)}", flush=True)


def read_samples(data: Data) -> Iterator[Sample]:
    """Yield train pages with gold text, prepared for many runs of NCE."""
    for name in TUNING_SETS:
        records = [
            record
            for record in data.read(f"{name}.train")
            if has_gold_text(record) and record.page_type in (None, "article")
        ]
        random.Random(0).shuffle(records)
        for record in records[:TUNING_PAGES]:
            labelled = label_page(record)
            if labelled and any(labelled.in_text):
                yield _make_sample(name, labelled)


def _make_sample(set_name: str, labelled: LabelledPage) -> Sample:
    page, blocks = labelled.page, labelled.blocks
    headlines = find_headlines(page, labelled.record.title)
    words = [0.0 if fold_words(text) in headlines else float(len(split_words(text))) for text in blocks.text]
    return Sample(
        set_name=set_name,
        page=page,
        text=read_text_nodes(page, blocks),
        words=np.array(words),
        in_text=np.array(labelled.in_text),
        first=np.array(blocks.first),
    )


def score_nce(samples: list[Sample], config: VisualConfig) -> float:
    """Return the F1 of the words of blocks that NCE keeps: mean of pages, then of sets."""
    scores = defaultdict(list)
    for sample in samples:
        nodes = sample.page.nodes
        roots = find_relevant(nodes, sample.text, config)
        end = find_comments(nodes, sample.text, roots, config)
        is_relevant = np.zeros(len(nodes), np.bool_)
        for row in roots:
            is_relevant[row : nodes.end[row]] = True
        is_relevant[end if end is not None else len(nodes) :] = False
        is_kept = is_relevant[sample.first]
        common, kept, gold = (sample.words[rows].sum() for rows in (is_kept & sample.in_text, is_kept, sample.in_text))
        scores[sample.set_name].append(2 * common / max(kept + gold, 1))
    return float(mean_by_set(scores))


# Departures


def show_departures(data: Data) -> None:
    """Print word F1, titles and dates with one switch at a time as published."""
    configs = {
        "as shipped": SHIPPED,
        **{f"`{name}` as published": replace(SHIPPED, **{name: False}) for name in SWITCHES},
        "all as published": PUBLISHED,
    }
    sets = {name: data.read_gold(f"{name}.dev") for name in (*NEWS_SETS, MIXED_SET)}
    records = [record for name in FIELD_SETS for record in data.read(f"{name}.dev") if record.title or record.date]
    table = Table("", "word F1", MIXED_SET, "title", "date")
    for name, config in configs.items():
        method = PublishedVisual() if config is PUBLISHED else Visual(config)
        words = {set_name: mean(page.score_method(method) for page in pages) for set_name, pages in sets.items()}
        mixed = words.pop(MIXED_SET)
        title, date = score_fields(method, records)
        table.add(name, mean(words.values()), mixed, title, date)


def score_fields(method: Visual, records: list[Record]) -> tuple[float, float]:
    """Return the shares of correct titles and dates."""
    titles, dates = [], []
    for record in records:
        labelled = _label_page(method, record)
        if record.title:
            titles.append(score_title(labelled.labels.title, record.title))
        if record.date:
            dates.append(score_date(labelled.find_date(), record.date))
    return mean(titles), mean(dates)


# Titles and dates


@dataclass(frozen=True, slots=True, eq=False)
class MethodLabels:
    """A page, and the labels that the method gives its blocks."""

    page: Page
    blocks: Blocks
    labels: Labels

    def find_date(self) -> str | None:
        """Return the date in the text that is labelled as date. Nothing else of the page is used."""
        moment = find_method_date(gather_evidence(self.page, self.blocks, self.labels))
        return moment.isoformat() if moment else None

    def shows_day(self, day: str) -> bool:
        """Return whether any short text of the page states the day: an upper bound for the method."""
        nodes = self.page.nodes
        texts = [*self.blocks.text, *(nodes.text[row].strip() for _, rows, _, _ in nodes.runs for row in rows)]
        return any(
            states_day(text, day) for text in texts if len(text) <= MAX_DATE_CHARS and any(map(str.isdigit, text))
        )


def _label_page(method: Visual, record: Record) -> MethodLabels:
    page = read_page(record.html, url=record.url)
    blocks = segment(page)
    return MethodLabels(page, blocks, method.label(page, blocks))


def show_titles(data: Data) -> None:
    """Print the share of correct titles, by the method alone and with the page's metadata."""
    method = Visual()
    records = [record for record in data.read("trafilatura.bench") if record.title]
    by_method = [score_title(_label_page(method, record).labels.title, record.title or "") for record in records]
    articles = [broadsheet.extract(record.html, record.url, method) for record in records]
    by_article = [
        score_title(article.title, record.title or "") for article, record in zip(articles, records, strict=True)
    ]
    table = Table("trafilatura.bench", "titles", "style and position alone", "article.title")
    table.add("correct", str(len(records)), mean(by_method), mean(by_article))


def show_dates(data: Data) -> None:
    """Print the share of correct dates by set and by language."""
    method = Visual()
    results: dict[str, list[tuple[float, float]]] = defaultdict(list)  # is the day correct, is it visible
    for name in DATED_SETS:
        for record in data.read(f"{name}.bench"):
            if record.date:
                labelled = _label_page(method, record)
                result = score_date(labelled.find_date(), record.date), float(labelled.shows_day(record.date[:10]))
                for group in ("all", f"{name}.bench", record.lang or "unknown language"):
                    results[group].append(result)
    table = Table("", "pages", "day correct", "day visible", "correct where visible")
    for group, pairs in sorted(results.items(), key=lambda item: -len(item[1])):
        visible = [correct for correct, is_visible in pairs if is_visible]
        correct_share, visible_share = (float(mean(values)) for values in zip(*pairs, strict=True))
        table.add(group, str(len(pairs)), correct_share, visible_share, float(mean(visible)) if visible else 0.0)


# Comments


def show_comments(data: Data) -> None:
    """Print how often comment sections are found, and how often all article text comes before them."""
    pages: list[CommentPage] = []
    for name in ("dragnet.dev", "dragnet.train"):
        for record in data.read(name):
            if record.text and len(pages) < COMMENT_PAGES:
                pages.append(_read_comments(record))
    with_comments = sum(page.has_comments for page in pages)
    table = Table(f"α1, α2, β5, β6; {len(pages)} pages, {with_comments} with comments", "found", "right", "P", "R")
    for values in COMMENT_VALUES:
        alpha_1, alpha_2, beta_5, beta_6 = values
        config = VisualConfig(alpha_1=alpha_1, alpha_2=alpha_2, beta_5=beta_5, beta_6=beta_6)
        rows = [page.find(config) for page in pages]
        right = sum(
            row is not None and page.has_comments and row > page.last_text
            for page, row in zip(pages, rows, strict=True)
        )
        count = sum(row is not None for row in rows)
        table.add(str(values), str(count), str(right), right / max(count, 1), right / max(with_comments, 1), digits=2)


@dataclass(frozen=True, slots=True, eq=False)
class CommentPage:
    """A page, whether it has at least three comment blocks, and the row of its last article text."""

    page: Page
    text: TextNodes
    has_comments: bool
    last_text: int

    def find(self, config: VisualConfig) -> int | None:
        """Return the row where comments begin by 3.4.1."""
        forest = find_relevant(self.page.nodes, self.text, config)
        return find_comments(self.page.nodes, self.text, forest, config)


def _read_comments(record: Record) -> CommentPage:
    page = read_page(record.html)
    blocks = segment(page)
    is_comment = align_text(blocks.text, record.comments) if record.comments else [False] * len(blocks)
    is_text = align_text(blocks.text, record.text or "")
    rows = [row for row, text, comment in zip(blocks.first, is_text, is_comment, strict=True) if text and not comment]
    return CommentPage(page, read_text_nodes(page, blocks), sum(is_comment) >= 3, max(rows, default=0))


# Speed


def show_speed(data: Data) -> None:
    """Print the processor time of the steps."""
    method, watch = Visual(), Stopwatch()
    for name in SPEED_SETS:
        for record in islice(data.read(f"{name}.dev"), SPEED_PAGES):
            with watch.step("parse and segment"):
                page = read_page(record.html, url=record.url)
                blocks = segment(page)
            with watch.step("method"):
                method.label(page, blocks)
            with watch.step("extract, in total"):
                broadsheet.extract(record.html, record.url, method)
    watch.print()


if __name__ == "__main__":
    run_command(
        __doc__,
        {
            "tune": tune,
            "departures": show_departures,
            "titles": show_titles,
            "dates": show_dates,
            "comments": show_comments,
            "speed": show_speed,
        },
    )
