"""The report for machines: all figures, and the columns of every page."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from broadsheet.evaluation.report.digest import Digest
from broadsheet.evaluation.results import Results


def write_json(digest: Digest, results: Results) -> str:
    """The whole report as JSON; no text of any page is in it."""
    return json.dumps(to_dict(digest, results), indent=1, sort_keys=True) + "\n"


def to_dict(digest: Digest, results: Results) -> dict[str, Any]:
    """The whole report as plain values."""
    return {
        "measure": digest.leading.name if digest.leading else None,
        "pages": digest.pages,
        "datasets": dict(digest.datasets),
        "methods": [asdict(standing) for standing in digest.standings],
        "comparisons": [
            {"ours": match.ours, "theirs": match.theirs, **asdict(match.difference)} for match in digest.matches
        ],
        "groups": {name: [asdict(group) for group in groups] for name, groups in digest.groups.items()},
        "missing": list(digest.missing),
        "unscored": list(digest.unscored),
        "timed_together": digest.is_timed_together,
        "per_page": [
            {
                "id": page.id,
                "dataset": page.dataset,
                "scores": {name: dict(row.columns) for name, row in page.rows.items()},
                "seconds": {name: row.seconds for name, row in page.rows.items()},
                "errors": {name: row.error for name, row in page.rows.items() if row.error},
            }
            for page in results.pages
        ],
    }
