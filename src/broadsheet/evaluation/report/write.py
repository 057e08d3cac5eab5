"""Put the report into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from broadsheet.atomic import write_atomically
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
    with write_atomically(folder / "report.json") as file:
        file.write(write_json(digest, results))
    place = folder / "report.html"
    views = view_worst_pages(results, store, paths, limit)
    # Pages may hold lone surrogates, which no file can.
    with write_atomically(place, errors="replace") as file:
        file.write(write_html(digest, views))
    return place
