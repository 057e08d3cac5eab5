"""The report for readers: one HTML file that loads nothing from the network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from broadsheet.evaluation.report.figures_html import (
    write_calibrations,
    write_errors,
    write_histograms,
    write_scatter,
)
from broadsheet.evaluation.report.formats import list_notes
from broadsheet.evaluation.report.pages_html import write_pages
from broadsheet.evaluation.report.summary import Summary
from broadsheet.evaluation.report.tables_html import write_comparisons, write_groups, write_overall
from broadsheet.evaluation.report.views import PageView
from broadsheet.report.page import ReportPage, Section, Tile, render_page
from broadsheet.text import format_count


def write_html(summary: Summary, views: Sequence[PageView] = ()) -> str:
    """Return the report as HTML. All texts of pages are escaped."""
    datasets = ", ".join(f"{name} ({count})" for name, count in summary.datasets.items() if name)
    return render_page(
        ReportPage(
            title="Broadsheet evaluation",
            edition=("Evaluation report", datasets or "unnamed dataset"),
            lead=_write_lead(summary),
            tiles=_make_tiles(summary),
            sections=(
                Section("overall", "Overall", write_overall(summary)),
                Section("speed", "Quality and speed", write_scatter(summary)),
                Section("significance", "Significance", write_comparisons(summary)),
                Section("groups", "Results by group", write_groups(summary)),
                Section("distribution", "Distribution over pages", write_histograms(summary)),
                Section("errors", "Errors by kind", write_errors(summary)),
                Section("confidence", "Calibration of confidence", write_calibrations(summary)),
                Section("pages", "Lowest-scoring pages", write_pages(views, summary.names)),
                Section("notes", "Notes", _write_notes(summary)),
            ),
            footer=_FOOTER,
        )
    )


_FOOTER = """\
Made by <code>broadsheet eval</code>. The headline is removed from both texts before they are compared.
Intervals are 95 % bootstrap intervals over pages. A failure counts as an empty answer."""


def _write_lead(summary: Summary) -> str:
    """Return the main result in one or two sentences."""
    if not summary.standings or summary.main_measure is None:
        return "No page has labels for the fields that these contenders extract: there is nothing to compare."
    best = summary.standings[0]
    value = best.figures[summary.main_measure.name].value
    lead = f"<b>{escape(best.name)}</b> has the highest {summary.main_measure.name_in_text}, <b>{value:.3f}</b>"
    return f"{lead}{_write_significance(summary, best.name)}.{_write_speed(summary, best.name)}"


def _write_significance(summary: Summary, best: str) -> str:
    differences = [comparison.difference for comparison in summary.comparisons if comparison.ours == best]
    if not differences:
        return ""
    count = sum(difference.is_significant for difference in differences)
    if not count:
        return "; no difference is significant"
    others = "all others" if count == len(differences) else f"{count} of {len(differences)} others"
    return f", significantly higher than {others}"


def _write_speed(summary: Summary, best: str) -> str:
    times = {standing.name: standing.speed.median for standing in summary.standings if standing.speed}
    if not times:
        return ""
    fastest = min(times, key=times.__getitem__)
    text = f" <b>{escape(fastest)}</b> is the fastest with {times[fastest]:.1f} ms per page"
    if fastest != best and best in times:
        factor = times[best] / times[fastest]
        text += f", {factor:.{0 if factor >= 2 else 1}f} times as fast as {escape(best)}"
    return f"{text}."


def _make_tiles(summary: Summary) -> tuple[Tile, ...]:
    count = len(summary.standings)
    ranks = [(rank, standing.name) for rank, standing in enumerate(summary.standings, 1) if not standing.is_peer]
    failed = sum(sum(standing.failures.values()) for standing in summary.standings)
    return (
        Tile(f"{summary.pages:,}", f"pages from {format_count(len(summary.datasets), 'dataset')}"),
        Tile(f"{count}", "contenders"),
        *(Tile(f"{rank} of {count}", f"rank of {name}") for rank, name in ranks[:1]),
        Tile(f"{failed:,}", "failed answers"),
    )


def _write_notes(summary: Summary) -> str:
    notes = list_notes(summary)
    return f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>" if notes else ""
