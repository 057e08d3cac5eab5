"""The graph network: Table 1 of the paper with the shipped weights, those as published and ours.

python -m benchmarks.papers gcn             as published, as shipped, and as printed; peers; the gap t of Equation 6
python -m benchmarks.gcn same-publishers    classifiers trained as published, on publishers that are in the test too
python -m benchmarks.gcn dragnet-few        the same on 111 pages of dragnet; german-few: on German news
python -m benchmarks.gcn departures         switches one at a time
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, median

import numpy as np

from benchmarks.gcn import make_options
from benchmarks.gcn_tables import Comparison, Row, Rows, measure_shipped
from benchmarks.harness import Data, Table
from benchmarks.papers.figures import print_figure
from benchmarks.papers.tables import extract_by, measure_half_interval, print_claims, score_pages
from broadsheet.methods.gcn import Gcn, GcnConfig, PublishedGcn
from broadsheet.methods.gcn.train import score_nodes

# Table 1: F1 over both classes, macro; mean edit distance.
PRINTED: dict[str, tuple[str | float, str]] = {
    "SVC": (0.86, "80.6"),
    "MLP": (0.81, "92.0"),
    "GCN2": (0.92, "51.1"),
    "GCN3": (0.92, "53.0"),
    "jusText": ("", "325.7"),
    "Boilerpipe": ("", "233.6"),
}
PRINTED_RATIO = 0.23  # of the edit distances of GCN3 and of Boilerpipe, 53.0 / 233.6; of GCN2: 0.22
GAPS = (125, 250, 500, 1000, 2000, 4000)  # pixels
GAP_SETS = ("fundus.dev", "dragnet.dev")


def print_table(data: Data) -> None:
    """Print Table 1 on German news and on dragnet.bench, and the claims of section 6."""
    for set_name, rows in measure_shipped(Comparison(data, make_options(data))).items():
        pages = len(rows["as shipped"].distances)
        table = Table(f"{set_name}, {pages} pages", "F1 macro", "article nodes F1", "mean edit distance", "median")
        for name, row in rows.items():
            table.add(name, *list_cells(row))
        for name, (f1, distance) in PRINTED.items() if "German" in set_name else ():
            table.add(f"paper: {name}", f1, "", distance, "", digits=2)
        if "Boilerpipe" in rows:
            print_claims(list_claims(rows))


def list_cells(row: Row) -> list[str | float]:
    """Return the cells of a contender; an extractor does not label nodes."""
    cells: list[str | float] = ["", ""]
    if row.is_true:
        score = score_nodes(np.concatenate(row.is_true), np.concatenate(row.is_predicted))
        cells = [score.macro.f1, score.positive.f1]
    half = measure_half_interval(row.distances)
    return [*cells, f"{mean(row.distances):.0f} ± {half:.0f}", f"{median(row.distances):.0f}"]


def list_claims(rows: Rows) -> dict[str, bool]:
    """Return the claims of section 6 and whether they hold here."""
    claims = {}
    boilerpipe, justext = mean(rows["Boilerpipe"].distances), mean(rows["jusText"].distances)
    for name in ("as published (GCN3)", "as published (GCN2)", "as shipped"):
        ratio = mean(rows[name].distances) / max(boilerpipe, 1e-9)
        claims[f"{name}: edit distance at most {PRINTED_RATIO} of Boilerpipe's ({ratio:.2f})"] = (
            round(ratio, 2) <= PRINTED_RATIO
        )
        macro = measure_macro(rows[name])
        claims[f"{name}: macro F1 at least the printed 0.92 ({macro:.3f})"] = round(macro, 2) >= 0.92
    claims["Boilerpipe closer than jusText"] = boilerpipe < justext
    return claims


def measure_macro(row: Row) -> float:
    """Return the F1 over both classes."""
    return score_nodes(np.concatenate(row.is_true), np.concatenate(row.is_predicted)).macro.f1


def print_gaps(data: Data) -> None:
    """Draw the word F1 over the gap t of Equation 6, and without refinement."""
    pages = {name: data.read_gold(name) for name in GAP_SETS}

    def measure(make: type[Gcn], configs: Sequence[GcnConfig], name: str) -> list[float]:
        contenders = [extract_by(make(config)) for config in configs]
        return [mean(score.f1 for score in score_pages(pages[name], contender)) for contender in contenders]

    lines: dict[str, list[float]] = {}
    for label, make, config in (("published", PublishedGcn, GcnConfig()), ("shipped", Gcn, GcnConfig.shipped())):
        configs = [*(replace(config, gap=float(gap)) for gap in GAPS), replace(config, refines=False)]
        lines |= {
            f"{label}, {name.partition('.')[0]} ({len(pages[name])})": measure(make, configs, name) for name in GAP_SETS
        }
    print_figure(
        "gcn-gap", "word F1 on dev pages over the gap t in pixels; none: without refinement", (*GAPS, "none"), lines
    )


TABLES = {"shipped": print_table}
SLOW_TABLES = {"gap": print_gaps}
