"""Numbers and words as all reports write them."""

from __future__ import annotations

from broadsheet.evaluation.measure_table import Measure
from broadsheet.evaluation.report.summary import Standing, Summary
from broadsheet.text import format_count

# Measures that tables show beside those of shingles.
TABLE_MEASURES = (
    "word_f1",
    "rouge_lsum",
    "block_f1",
    "snippet_f1",
    "edit_distance",
    "title",
    "date",
    "authors",
)
COST_LABELS = ("ms median", "ms p95", "MB", "failed")
TIMING_NOTE = (
    "Some times come from earlier runs and are not comparable; use --no-cache to time all contenders in one run."
)


def format_value(value: float, measure: Measure) -> str:
    """Return a figure with the digits that its measure needs."""
    return f"{value:,.0f}" if measure.is_lower_better else f"{value:.3f}"


def format_costs(standing: Standing) -> tuple[str, ...]:
    """Return median and 95th percentile of milliseconds, peak MB and failed pages of a contender (`COST_LABELS`)."""
    speed = standing.speed
    return (
        f"{speed.median:.1f}" if speed else "–",
        f"{speed.p95:.1f}" if speed else "–",
        f"{standing.memory:.0f}" if standing.memory else "–",
        str(sum(standing.failures.values()) or "–"),
    )


def list_notes(summary: Summary) -> list[str]:
    """Return a sentence for each contender that was skipped, each kind of failure, and pages without scores."""
    notes = list(summary.missing)
    for standing in summary.standings:
        notes += [
            f"{standing.name} failed on {format_count(count, 'page')}, which count as empty answers: {error}"
            for error, count in standing.failures.items()
        ]
    if summary.unscored:
        ids = ", ".join(summary.unscored[:10])
        notes.append(f"{format_count(len(summary.unscored), 'page')} could not be scored: {ids}")
    if not summary.is_timed_together:
        notes.append(TIMING_NOTE)
    return notes
