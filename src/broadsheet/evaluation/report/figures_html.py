"""The figures of the HTML report: speed, distribution over pages, errors by kind, calibration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from broadsheet.evaluation.error_kinds import ERROR_KINDS, EXTRA, MISSED
from broadsheet.evaluation.report.charts import NARROW_CHART, WIDE_CHART, draw_calibration, draw_histogram, draw_scatter
from broadsheet.evaluation.report.formats import TIMING_NOTE
from broadsheet.evaluation.report.summary import Standing, Summary


def write_scatter(summary: Summary) -> str:
    """Return the chart of quality against speed."""
    if summary.main_measure is None:
        return ""
    sizes = (WIDE_CHART, NARROW_CHART)  # the style sheet shows one of them
    chart = "".join(draw_scatter(summary.standings, summary.main_measure, size) for size in sizes)
    note = "Each dot is a contender, with its 95 % interval. Higher is better; further left is faster."
    if not summary.is_timed_together:
        note += f" {TIMING_NOTE}"
    return f'<figure class="wide">{chart}<figcaption>{note}</figcaption></figure>' if chart else ""


def write_histograms(summary: Summary) -> str:
    """Return the number of pages by quality, one chart per contender."""
    figures = [
        f'<figure class="{standing.kind}"><figcaption>{escape(standing.name)}</figcaption>{chart}</figure>'
        for standing in summary.standings
        if (chart := draw_histogram(standing))
    ]
    if not figures:
        return ""
    return (
        "<p>Number of pages by quality, from 0 to 1. Heights are on a square-root scale, so that a few bad pages are "
        f'visible.</p><div class="multiples">{"".join(figures)}</div>'
    )


def write_errors(summary: Summary) -> str:
    """Return the table of the words of wrong blocks by kind."""
    standings = [
        standing for standing in summary.standings if standing.error_words[MISSED] or standing.error_words[EXTRA]
    ]
    if not standings:
        return ""
    max_words = max(
        count for standing in standings for kinds in standing.error_words.values() for count in kinds.values()
    )
    head = "".join(f"<th>{escape(standing.name)}</th>" for standing in standings)
    rows = []
    for kind in _sort_kinds(standings):
        cells = "".join(f"<td>{_write_bars(standing, kind, max_words)}</td>" for standing in standings)
        rows.append(f'<tr><th scope="row">{escape(kind)}</th>{cells}</tr>')
    return (
        '<p>Words of wrong blocks by kind: <span class="key missed">missed</span> article text, and '
        '<span class="key extra">extra</span> text that is not part of the article.</p>'
        f'<div class="scroll"><table class="errors"><thead><tr><th>Kind</th>{head}'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _sort_kinds(standings: Sequence[Standing]) -> Iterator[str]:
    """Return the kinds that occur, those with the most words first."""

    def count_words(kind: str) -> int:
        return sum(kinds.get(kind, 0) for standing in standings for kinds in standing.error_words.values())

    return (kind for kind in sorted(ERROR_KINDS, key=count_words, reverse=True) if count_words(kind))


def _write_bars(standing: Standing, kind: str, max_words: int) -> str:
    bars = []
    for error in (MISSED, EXTRA):
        count = standing.error_words[error].get(kind, 0)
        # On a square-root scale one very long bar does not hide the others.
        width = (count / max_words) ** 0.5 * 100
        bars.append(
            f'<span class="bar {error}" title="{count:,} words {error}"><i style="width:{width:.1f}%"></i>'
            f"<b>{_abbreviate(count)}</b></span>"
        )
    return "".join(bars)


def _abbreviate(count: int) -> str:
    if count >= 10_000:
        return f"{count / 1000:.0f}k"
    return f"{count / 1000:.1f}k" if count >= 1000 else str(count or "")


def write_calibrations(summary: Summary) -> str:
    """Return the reliability curves of the contenders that state a confidence."""
    figures = [
        f'<figure class="{standing.kind}"><figcaption>{escape(standing.name)} '
        f"<small>calibration error {standing.calibration.error:.3f}</small></figcaption>"
        f"{draw_calibration(standing.calibration)}</figure>"
        for standing in summary.standings
        if standing.calibration
    ]
    if not figures:
        return ""
    return (
        "<p>Mean word F1 of pages with similar confidence. On the dashed line, confidence equals word F1.</p>"
        f'<div class="multiples tall">{"".join(figures)}</div>'
    )
