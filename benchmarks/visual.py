"""The visual method: its parameters, what its departures are worth, and what looks alone tell of titles and dates.

python benchmarks/visual.py tune          α and β of NCE, by coordinate search on train pages
python benchmarks/visual.py departures    dev sets: one switch off at a time
python benchmarks/visual.py titles        trafilatura.bench: the title by looks alone, and article.title
python benchmarks/visual.py dates         all bench pages with a date: the day by looks alone, by language
python benchmarks/visual.py speed         ms of processor time a page, dev sets
"""

from __future__ import annotations

import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from statistics import mean, median

import numpy as np

import broadsheet
from broadsheet.blocks import Blocks, Labels, segment
from broadsheet.corpora import Record, read_corpus
from broadsheet.corpora.headline import drop_headline, find_headlines
from broadsheet.evaluation.measures.date import score_date
from broadsheet.evaluation.measures.title import score_title
from broadsheet.evaluation.measures.word import score_words
from broadsheet.fields.dates import find_method_date
from broadsheet.fields.evidence import gather_evidence
from broadsheet.fields.written_dates import find_written_date
from broadsheet.methods.visual import Visual, VisualConfig
from broadsheet.methods.visual.comments import find_comments
from broadsheet.methods.visual.nce import TextNodes, find_relevant, read_text_nodes
from broadsheet.page import Page, read_page
from broadsheet.text import fold_words, split_words
from broadsheet.training.pages import label_page

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
TUNED_ON = "aed big5-05 big5-09 chaos cwced daniel dragnet fundus l3s-gn1 wcxb".split()
PAGES_OF_A_SET = 65
DEV = "l3s-gn1 aed fundus chaos dragnet daniel".split()
OTHERS = "wcxb"  # half of its pages are no articles
DATED = "htmldate trafilatura metahtml postlight".split()
GRID: dict[str, list[float]] = {
    "beta_1": [0.05, 0.1, 0.2, 0.3, 0.5, 0.7],
    "beta_2": [200, 400, 600, 900, 1200, 1600, 2400],
    "beta_3": [40, 80, 120, 160, 200, 250, 320],
    "beta_4": [0.2, 0.3, 0.4, 0.5, 0.6, 0.8],
    "alpha_1": [20, 50, 100, 150, 200, 300],
    "alpha_2": [300, 500, 800, 1200, 2000],
    "beta_5": [1, 2, 3, 4, 6, 10],
    "beta_6": [0.7, 0.8, 0.85, 0.9, 0.95],
}
PRINTED, SHIPPED = VisualConfig(), VisualConfig.shipped()
SWITCHES = [each.name for each in fields(VisualConfig) if isinstance(getattr(PRINTED, each.name), bool)]


def main() -> None:
    if not DATA.exists():
        sys.exit(f"{DATA} is missing: the benchmark needs the labelled pages")
    commands: dict[str, Callable[[], None]] = {
        "tune": tune,
        "departures": show_departures,
        "titles": show_titles,
        "dates": show_dates,
        "speed": show_speed,
    }
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]]()


# Tuning.


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    set_name: str
    page: Page
    text: TextNodes
    words: np.ndarray[tuple[int], np.dtype[np.float64]]  # of each block; none for the headline
    in_text: np.ndarray[tuple[int], np.dtype[np.bool_]]
    first: np.ndarray[tuple[int], np.dtype[np.int64]]


def tune() -> None:
    samples = list(_read_samples())
    config = PRINTED
    best = _score_nce(samples, config)
    print(f"{len(samples)} pages; as it is: {best:.4f}")
    is_better = True
    while is_better:
        is_better = False
        for name, values in GRID.items():
            for value in values:
                other = replace(config, **{name: value})  # type: ignore[arg-type]
                if other.alpha_1 < other.alpha_2 and (score := _score_nce(samples, other)) > best:
                    best, config, is_better = score, other, True
        print(f"{best:.4f} {', '.join(f'{name}={getattr(config, name)}' for name in GRID)}", flush=True)


def _read_samples() -> Iterator[Sample]:
    for name in TUNED_ON:
        records = [
            record
            for record in read_corpus(DATA / f"{name}.train.jsonl.xz")
            if record.text and record.page_type in (None, "article") and (record.gold_recall or 1) > 0.8
        ]
        random.Random(0).shuffle(records)
        for record in records[:PAGES_OF_A_SET]:
            labelled = label_page(record)
            if labelled and any(labelled.in_text):
                yield _make_sample(name, record, labelled.page, labelled.blocks, labelled.in_text)


def _make_sample(name: str, record: Record, page: Page, blocks: Blocks, in_text: list[bool]) -> Sample:
    headlines = find_headlines(page, record.title)
    words = [0.0 if fold_words(text) in headlines else float(len(split_words(text))) for text in blocks.text]
    return Sample(name, page, read_text_nodes(page, blocks), np.array(words), np.array(in_text), np.array(blocks.first))


def _score_nce(samples: list[Sample], config: VisualConfig) -> float:
    """F1 of the words of blocks that NCE keeps: mean of pages, then of sets."""
    scores = defaultdict(list)
    for each in samples:
        nodes = each.page.nodes
        roots = find_relevant(nodes, each.text, config)
        end = find_comments(nodes, each.text, roots, config)
        is_in = np.zeros(len(nodes), np.bool_)
        for row in roots:
            is_in[row : nodes.end[row]] = True
        is_in[end if end is not None else len(nodes) :] = False
        kept = is_in[each.first]
        right, all_kept, gold = (each.words[mark].sum() for mark in (kept & each.in_text, kept, each.in_text))
        scores[each.set_name].append(2 * right / max(all_kept + gold, 1))
    return float(mean(mean(values) for values in scores.values()))


# Departures.


def show_departures() -> None:
    configs = {
        "as shipped": SHIPPED,
        **{f"`{name}` as published": replace(SHIPPED, **{name: False}) for name in SWITCHES},
        "all as published": PRINTED,
    }
    methods = {name: Visual(config) for name, config in configs.items()}
    words: dict[str, list[float]] = {name: [] for name in configs}  # means of sets
    for set_name in (*DEV, OTHERS):
        records = [record for record in read_corpus(DATA / f"{set_name}.dev.jsonl.xz") if record.text]
        heads = [find_headlines(read_page(record.html), record.title) for record in records]
        for name, method in methods.items():
            found = []
            for record, headlines in zip(records, heads, strict=True):
                output = broadsheet.extract(record.html, url=record.url, method=method).text
                sides = [split_words(drop_headline(text, headlines)) for text in (output, record.text or "")]
                found.append(score_words(*sides).f1)
            words[name].append(mean(found))
    print(f"| | word F1 | {OTHERS} | title | date |\n|---|---:|---:|---:|---:|")
    sets = [DATA / f"{name}.dev.jsonl.xz" for name in ("metahtml", "wcxb", "fundus", "postlight", "l3s-gn1")]
    records = [record for path in sets for record in read_corpus(path) if record.title or record.date]
    for name, method in methods.items():
        titles, days = [], []
        for record in records:
            page, blocks, labels = _label(method, record)
            if record.title:
                titles.append(score_title(labels.title, record.title))
            if record.date:
                days.append(score_date(_see_date(page, blocks, labels), record.date))
        *news, others = words[name]
        print(f"| {name} | {mean(news):.3f} | {others:.3f} | {mean(titles):.3f} | {mean(days):.3f} |", flush=True)


# Titles and dates.


def _label(method: Visual, record: Record) -> tuple[Page, Blocks, Labels]:
    page = read_page(record.html, url=record.url)
    blocks = segment(page)
    return page, blocks, method.label(page, blocks)


def show_titles() -> None:
    method = Visual()
    records = [record for record in read_corpus(DATA / "trafilatura.bench.jsonl.xz") if record.title]
    seen = [score_title(_label(method, record)[2].title, record.title or "") for record in records]
    told = [
        score_title(broadsheet.extract(record.html, record.url, method).title, record.title or "") for record in records
    ]
    print(f"trafilatura.bench, {len(records)} titles: looks alone {mean(seen):.3f}, article.title {mean(told):.3f}")


def show_dates() -> None:
    method = Visual()
    rows: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for name in DATED:
        for record in read_corpus(DATA / f"{name}.bench.jsonl.xz"):
            if record.date:
                page, blocks, labels = _label(method, record)
                found = score_date(_see_date(page, blocks, labels), record.date), _is_shown(blocks, page, record.date)
                for key in ("all", f"{name}.bench", record.lang or "?"):
                    rows[key].append(found)
    print("| | pages | day right | day shown | right where shown |\n|---|---:|---:|---:|---:|")
    for key, own in sorted(rows.items(), key=lambda row: -len(row[1])):
        right, shown = mean(row[0] for row in own), mean(row[1] for row in own)
        both = [row[0] for row in own if row[1]]
        print(f"| {key} | {len(own)} | {right:.3f} | {shown:.3f} | {mean(both) if both else 0:.3f} |")


def _see_date(page: Page, blocks: Blocks, labels: Labels) -> str | None:
    """The day that the labelled text says, and nothing else of the page."""
    moment = find_method_date(gather_evidence(page, blocks, labels))
    return moment.isoformat() if moment else None


def _is_shown(blocks: Blocks, page: Page, date: str) -> float:
    """Tell whether any short text of the page says the day: no more can be found by looking."""
    short = [text for text in blocks.text if len(text) <= 160]
    short += [page.nodes.text[row].strip() for _, rows, _, _ in page.nodes.runs for row in rows]
    return float(any(_says(text, date[:10]) for text in short if len(text) <= 160 and any(map(str.isdigit, text))))


def _says(text: str, day: str) -> bool:
    read = (find_written_date(text, is_month_first=is_month_first) for is_month_first in (False, True))
    return any(moment is not None and moment.date().isoformat() == day for moment in read)


# Speed.


def show_speed() -> None:
    method = Visual()
    pages: Iterable[Record] = (
        record
        for name in (*DEV, "wcxb", "metahtml")
        for record in islice(read_corpus(DATA / f"{name}.dev.jsonl.xz"), 20)
    )
    times = defaultdict(list)
    for record in pages:
        start = time.process_time()
        page = read_page(record.html, url=record.url)
        blocks = segment(page)
        parsed = time.process_time()
        method.label(page, blocks)
        labelled = time.process_time()
        broadsheet.extract(record.html, record.url, method)
        done = time.process_time()
        times["parse and segment"].append(parsed - start)
        times["label"].append(labelled - parsed)
        times["extract, all in all"].append(done - labelled)
    for step, found in times.items():
        print(f"{step}: mean {1000 * mean(found):.1f} ms, median {1000 * median(found):.1f} ms")


if __name__ == "__main__":
    main()
