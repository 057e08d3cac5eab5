"""Write the report: to the terminal, as JSON for programs, or as a folder with an HTML page for readers."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from broadsheet.atomic import write_atomically
from broadsheet.evaluation.figures import Measure, Results
from broadsheet.evaluation.report.as_html import write_html
from broadsheet.evaluation.report.pages import view_worst_pages
from broadsheet.evaluation.report.summary import (
    COST_LABELS,
    TABLE_MEASURES,
    Standing,
    Summary,
    format_costs,
    format_value,
    list_notes,
)
from broadsheet.evaluation.store import AnswerStore
from broadsheet.text import format_count


def write_json(summary: Summary, results: Results) -> str:
    """Return the report as JSON. It contains no text of any page."""
    return json.dumps(to_dict(summary, results), indent=1, sort_keys=True) + "\n"


def to_dict(summary: Summary, results: Results) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "measure": summary.main_measure.name if summary.main_measure else None,
        "pages": summary.pages,
        "datasets": dict(summary.datasets),
        "methods": [asdict(standing) for standing in summary.standings],
        "comparisons": [
            {"ours": comparison.ours, "theirs": comparison.theirs, **asdict(comparison.difference)}
            for comparison in summary.comparisons
        ],
        "groups": {name: [asdict(group) for group in groups] for name, groups in summary.groups.items()},
        "missing": list(summary.missing),
        "unscored": list(summary.unscored),
        "timed_together": summary.is_timed_together,
        "per_page": [
            {
                "id": page.id,
                "dataset": page.dataset,
                "scores": {name: dict(outcome.columns) for name, outcome in page.outcomes.items()},
                "seconds": {name: outcome.seconds for name, outcome in page.outcomes.items()},
                "errors": {name: outcome.error for name, outcome in page.outcomes.items() if outcome.error},
            }
            for page in results.pages
        ],
    }


_WIDE_COLUMNS = ("shingle_f1", *TABLE_MEASURES)
_NARROW_COLUMNS = tuple(name for name in _WIDE_COLUMNS if name != "rouge_lsum")  # fit 90 characters
MIN_WIDE_CHARS = 150  # width of a terminal that fits all intervals


def print_report(summary: Summary, console: Console) -> None:
    """Print the table and the lines below it."""
    console.print(_make_table(summary, is_wide=console.width >= MIN_WIDE_CHARS))
    for line in _list_comparisons(summary):
        console.print(line)
    for note in list_notes(summary):
        console.print(note, style="dim", markup=False, highlight=False)


def _make_table(summary: Summary, *, is_wide: bool) -> Table:
    datasets = ", ".join(
        f"{name} ({count})" if name else format_count(count, "page") for name, count in summary.datasets.items()
    )
    table = Table(
        title=f"{format_count(summary.pages, 'page')}: {datasets}",
        title_justify="left",
        title_style="bold",
        header_style="bold",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("contender", no_wrap=True)
    measures = summary.select_measures(_WIDE_COLUMNS if is_wide else _NARROW_COLUMNS)
    for measure in measures:
        table.add_column(measure.label, justify="right", no_wrap=measure == summary.main_measure)
    for label in COST_LABELS:
        table.add_column(label, justify="right")
    for standing in summary.standings:
        cells = [
            _make_cell(measure, standing, summary, has_interval=is_wide or measure == summary.main_measure)
            for measure in measures
        ]
        name = Text(standing.name, style="" if standing.is_peer else "bold cyan")
        table.add_row(name, *cells, *format_costs(standing))
    return table


def _make_cell(measure: Measure, standing: Standing, summary: Summary, *, has_interval: bool) -> Text:
    estimate = standing.figures.get(measure.name)
    if estimate is None:
        return Text("–", style="dim")
    is_best = estimate.value == summary.find_best(measure)
    text = Text(format_value(estimate.value, measure), style="bold green" if is_best else "")
    if not has_interval:
        return text
    # Half the width of the interval: "0.973 ±0.012" is shorter than two bounds. JSON and HTML have both.
    half_width = (estimate.high - estimate.low) / 2
    return text.append(f" ±{format_value(half_width, measure)}", style="dim")


def _list_comparisons(summary: Summary) -> list[Text]:
    """Return a line for each comparison of the best contender with another."""
    if not summary.comparisons or summary.main_measure is None:
        return []
    best = summary.standings[0].name
    width = max(18, *(len(comparison.theirs) for comparison in summary.comparisons))
    lines = [Text(f"Difference in {summary.main_measure.name_in_text}, {best} minus ...", style="bold")]
    for comparison in summary.comparisons:
        if comparison.ours == best:
            difference = comparison.difference
            interval = f"[{difference.low:+.3f}, {difference.high:+.3f}]"
            figures = f"  {comparison.theirs:<{width}} {difference.value:+.3f} {interval}  p={difference.p_value:.3f}  "
            verdict = "significant" if difference.is_significant else "not significant"
            lines.append(Text(figures) + Text(verdict, style="green" if difference.is_significant else "yellow"))
    return lines


def write_report(folder: Path, summary: Summary, results: Results, store: AnswerStore) -> Path:
    """Write report.json and report.html; return the path of the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    with write_atomically(folder / "report.json") as file:
        file.write(write_json(summary, results))
    path = folder / "report.html"
    with write_atomically(path, errors="replace") as file:  # pages may contain lone surrogates
        file.write(write_html(summary, view_worst_pages(results, store)))
    return path
