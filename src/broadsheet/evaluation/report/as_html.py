"""The report for readers: one HTML file that loads nothing from the network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files

from broadsheet.evaluation.report.figures_html import (
    write_calibrations,
    write_errors,
    write_histograms,
    write_scatter,
)
from broadsheet.evaluation.report.formats import format_count, list_notes
from broadsheet.evaluation.report.pages_html import write_pages
from broadsheet.evaluation.report.summary import Summary
from broadsheet.evaluation.report.tables_html import write_comparisons, write_groups, write_overall
from broadsheet.evaluation.report.views import PageView


def write_html(summary: Summary, views: Sequence[PageView] = ()) -> str:
    """Return the report as HTML. All texts of pages are escaped."""
    sections: tuple[tuple[str, str, Callable[[], str]], ...] = (
        ("overall", "Overall", lambda: write_overall(summary)),
        ("speed", "Quality and speed", lambda: write_scatter(summary)),
        ("significance", "Significance", lambda: write_comparisons(summary)),
        ("groups", "Results by group", lambda: write_groups(summary)),
        ("distribution", "Distribution over pages", lambda: write_histograms(summary)),
        ("errors", "Errors by kind", lambda: write_errors(summary)),
        ("confidence", "Calibration of confidence", lambda: write_calibrations(summary)),
        ("pages", "Lowest-scoring pages", lambda: write_pages(views, summary.names)),
        ("notes", "Notes", lambda: _write_notes(summary)),
    )
    written = [(name, title, body) for name, title, write in sections if (body := write())]
    links = "".join(f'<a href="#{name}">{escape(title)}</a>' for name, title, _ in written)
    bodies = "".join(f'<section id="{name}"><h2>{escape(title)}</h2>{body}</section>' for name, title, body in written)
    datasets = ", ".join(f"{name} ({count})" for name, count in summary.datasets.items() if name)
    return _PAGE.format(
        style=_read_resource("report.css"),
        script=_read_resource("report.js"),
        lead=_write_lead(summary),
        tiles=_write_tiles(summary),
        links=links,
        bodies=bodies,
        date=_format_today(),
        datasets=escape(datasets) or "unnamed dataset",
    )


# The browser must not load anything, even if markup of a page slipped through.
_CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"

_PAGE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_CONTENT_POLICY}">
<title>Broadsheet evaluation</title><style>{{style}}</style></head><body>
<header class="masthead"><div class="brand">Broadsheet</div>
<div class="edition"><span>Evaluation report</span><span>{{date}}</span><span>{{datasets}}</span>
<button type="button" id="theme" aria-label="Switch between light and dark">◐</button></div></header>
<main><p class="lead">{{lead}}</p><div class="tiles">{{tiles}}</div>
<nav class="contents">{{links}}</nav>{{bodies}}</main>
<footer>Made by <code>broadsheet eval</code>. The headline is removed from both texts before they are compared.
Intervals are 95 % bootstrap intervals over pages. A failure counts as an empty answer.</footer>
<script>{{script}}</script></body></html>
"""


def _format_today() -> str:
    now = datetime.now(UTC)
    return f"{now.day} {now:%B %Y}"


def _read_resource(name: str) -> str:
    return files("broadsheet.evaluation.report").joinpath(name).read_text(encoding="utf-8")


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


def _write_tiles(summary: Summary) -> str:
    count = len(summary.standings)
    ranks = [(rank, standing.name) for rank, standing in enumerate(summary.standings, 1) if not standing.is_peer]
    failed = sum(sum(standing.failures.values()) for standing in summary.standings)
    tiles = [
        (f"{summary.pages:,}", f"pages from {format_count(len(summary.datasets), 'dataset')}"),
        (f"{count}", "contenders"),
        *((f"{rank} of {count}", f"rank of {name}") for rank, name in ranks[:1]),
        (f"{failed:,}", "failed answers"),
    ]
    return "".join(f"<div><strong>{escape(value)}</strong><span>{escape(text)}</span></div>" for value, text in tiles)


def _write_notes(summary: Summary) -> str:
    notes = list_notes(summary)
    return f"<ul>{''.join(f'<li>{escape(note)}</li>' for note in notes)}</ul>" if notes else ""
