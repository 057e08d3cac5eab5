"""Write the report into a folder."""

from __future__ import annotations

from pathlib import Path

from broadsheet.evaluation.report.as_html import write_html
from broadsheet.evaluation.report.as_json import write_json
from broadsheet.evaluation.report.summary import Summary
from broadsheet.evaluation.report.views import view_worst_pages
from broadsheet.evaluation.results import Results
from broadsheet.evaluation.store import Store


def write_report(folder: Path, summary: Summary, results: Results, store: Store) -> Path:
    """Write report.json and report.html; return the path of the latter."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(write_json(summary, results), encoding="utf-8")
    path = folder / "report.html"
    html = write_html(summary, view_worst_pages(results, store))
    path.write_text(html, encoding="utf-8", errors="replace")  # pages may hold lone surrogates
    return path
