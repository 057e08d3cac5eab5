"""Put the report into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from broadsheet.evaluation.report.as_html import write_html
from broadsheet.evaluation.report.as_json import write_json
from broadsheet.evaluation.report.digest import Digest
from broadsheet.evaluation.report.views import view_worst_pages
from broadsheet.evaluation.results import Results
from broadsheet.evaluation.store import Store


def write_report(
    folder: Path, digest: Digest, results: Results, store: Store, paths: Sequence[Path], limit: int | None = None
) -> Path:
    """Write report.json and report.html; give back the latter's place."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(write_json(digest, results), encoding="utf-8")
    place = folder / "report.html"
    views = view_worst_pages(results, store, paths, limit)
    # Pages may hold lone surrogates, which no file can.
    place.write_text(write_html(digest, views), encoding="utf-8", errors="replace")
    return place
