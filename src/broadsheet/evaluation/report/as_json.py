"""The report for programs: all figures, and the columns of every page."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from broadsheet.evaluation.report.summary import Summary
from broadsheet.evaluation.results import Results


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
