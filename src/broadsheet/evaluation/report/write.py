"""Write the report into a folder."""

from __future__ import annotations

from pathlib import Path

from broadsheet.atomic import write_atomically
from broadsheet.evaluation.report.as_html import write_html
from broadsheet.evaluation.report.as_json import write_json
from broadsheet.evaluation.report.summary import Summary
from broadsheet.evaluation.report.views import view_worst_pages
from broadsheet.evaluation.results import Results
from broadsheet.evaluation.store import Store


def write_report(folder: Path, summary: Summary, results: Results, store: Store) -> Path:
    """Write report.json and report.html; return the path of the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    with write_atomically(folder / "report.json") as file:
        file.write(write_json(summary, results))
    path = folder / "report.html"
    with write_atomically(path, errors="replace") as file:  # pages may contain lone surrogates
        file.write(write_html(summary, view_worst_pages(results, store)))
    return path
