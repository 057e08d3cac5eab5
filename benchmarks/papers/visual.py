"""The visual method: body, title and date as published and as shipped, and the share of CSS that is skipped.

    python -m benchmarks.papers visual          as published and as shipped; α and β of NCE; shares of CSS
    python -m benchmarks.papers.visual trees    number and size of the trees, trained as published (some minutes)
    python -m benchmarks.visual departures      switches one at a time, on dev sets

The chapter that we have prints no results. Its only figures are shares of properties, rules and time of CSS (3.1).
"""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import islice
from pathlib import Path

from benchmarks.harness import Data, Stopwatch, Table, run_command
from benchmarks.papers.figures import print_figure
from benchmarks.papers.tables import Interval, extract_by, extract_by_peers, print_claims, score_pages
from benchmarks.style import SkippedRules
from benchmarks.visual import read_samples, score_fields, score_nce
from broadsheet.methods.visual import PublishedVisual, Visual, VisualConfig
from broadsheet.methods.visual.train import (
    NODE_FOREST,
    PUBLISHED,
    PUBLISHED_DATASETS,
    WEKA_FOREST,
    find_titles,
    fit_date,
    fit_title,
    load_examined,
    measure_fields,
)
from broadsheet.page import read_page
from broadsheet.style.css.cascade import Cascade
from broadsheet.style.css.properties import STYLE_PROPERTIES
from broadsheet.training.options import TrainingOptions
from broadsheet.training.trees import ForestSize

TEXT_SETS = ("big5-13.bench", "cleanportaleval.bench", "dragnet.bench")
FIELD_SET = "trafilatura.bench"
CSS_SETS = ("fundus.dev", "wcxb.dev", "aed.dev", "chaos.dev")
CSS_PAGES = 30  # of each set
TREE_SIZES = {
    "10 trees without a limit (Weka until about 2012)": WEKA_FOREST,
    "100 trees without a limit (Weka later)": ForestSize(trees=100, leaves=None, depth=None),
    "50 trees of 150 leaves, depth 14 (shipped size)": NODE_FOREST,
}
WORK = Path(".training") / "visual-published"
FACTORS = (0.25, 0.5, 0.75, 1, 1.5, 2, 4)
PRINTED_CSS = (0.8, 0.7, 0.4)  # 3.1: properties and rules that are skipped, share of the time that remains


def print_quality(data: Data) -> None:
    """Print the quality of body, title and date."""
    methods = {"as published": PublishedVisual(), "as shipped": Visual()}
    pages = {name: data.read_gold(name) for name in TEXT_SETS}
    records = [record for record in data.read(FIELD_SET) if record.title or record.date]
    contenders = {name: extract_by(method) for name, method in methods.items()} | extract_by_peers("readability")
    counts = (f"{name} ({len(set_pages)})" for name, set_pages in pages.items())
    table = Table("Visual: word F1", *counts, f"title, {FIELD_SET} ({len(records)})", "date")
    bodies: dict[str, list[Interval]] = {}
    for name, contender in contenders.items():
        bodies[name] = [Interval(score_pages(set_pages, contender)) for set_pages in pages.values()]
        fields = score_fields(methods[name], records) if name in methods else ("", "")
        table.add(name, *(body.list_cells()[2] for body in bodies[name]), *fields)
    print_claims(
        {
            f"NCE and its refinement alone find the body (word F1 at least 0.9, {name})": body.f1 >= 0.9
            for name, body in zip(TEXT_SETS, bodies["as published"], strict=True)
        }
    )


def print_css(data: Data) -> None:
    """Print the shares of rules and declarations that are skipped, and the time of the rest relative to all."""
    skipped, watch = SkippedRules(), Stopwatch(time.process_time)
    for name in CSS_SETS:
        for record in islice(data.read(name), CSS_PAGES):
            page = read_page(record.html, url=record.url)
            skipped.add(page)
            for label, group in (("read", STYLE_PROPERTIES), ("all", replace(STYLE_PROPERTIES, substrings=(":",)))):
                with watch.step(label):
                    Cascade(page).match(group)
    if not skipped.rules:
        return
    rules = (skipped.without_style + skipped.without_match) / skipped.rules
    declarations = 1 - skipped.read_declarations / max(skipped.declarations, 1)
    share = sum(watch.times["read"]) / sum(watch.times["all"])
    pages = len(watch.times["all"])
    table = Table(
        f"CSS, {pages} pages of dev sets", "properties skipped", "rules skipped", "time relative to all rules"
    )
    table.add("here", declarations, rules, share, digits=2)
    table.add("paper", *PRINTED_CSS, digits=2)
    print_claims({f"most rules and properties can be skipped ({rules:.2f}, {declarations:.2f})": rules > 0.5})


def print_trees(data: Data) -> None:
    """Train forests of several sizes on the nodes that the published method examines, and print their dev figures."""
    options = TrainingOptions(data.folder, WORK, WORK, limit=data.limit)
    train, dev = (
        [page for pages in load_examined(options, split, PUBLISHED_DATASETS).values() for page in pages]
        for split in ("train", "dev")
    )
    table = Table("correct where visible, dev", "title", "date by nine attributes", "nodes of both forests")
    for name, size in TREE_SIZES.items():
        title = fit_title(train, size, options.seed)
        date = fit_date(find_titles(train, title, PUBLISHED), size, options.seed)
        figures = measure_fields(find_titles(dev, title, PUBLISHED), {"title": title, "date": date})
        table.add(name, *figures.values(), str(len(title.feature) + len(date.feature)))


def print_sensitivity(data: Data) -> None:
    """Draw the word F1 of NCE on train pages over its parameters, one at a time, as multiples of the tuned values."""
    samples = list(read_samples(data))
    lines = {}
    for name in ("alpha_1", "alpha_2", "beta_1", "beta_2", "beta_3", "beta_4"):
        value = getattr(VisualConfig(), name)
        changed = [type(value)(value * factor) for factor in FACTORS]
        lines[name] = [score_nce(samples, replace(VisualConfig(), **{name: number})) for number in changed]
    title = f"word F1 of NCE, {len(samples)} train pages, over one parameter, as a multiple of its value"
    print_figure("visual-parameters", title, FACTORS, lines)


TABLES = {"quality": print_quality}
SLOW_TABLES = {"css": print_css, "parameters": print_sensitivity}

if __name__ == "__main__":
    run_command(__doc__, {"trees": print_trees})
