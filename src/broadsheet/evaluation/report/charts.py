"""Charts as SVG, and the sections of the report that show them. Colours come from the style sheet of the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from broadsheet.evaluation.figures import Estimate, Measure
from broadsheet.evaluation.measures import Calibration
from broadsheet.evaluation.report.summary import TIMING_NOTE, Standing, Summary
from broadsheet.evaluation.scores import ERROR_KINDS, EXTRA, MISSED


def draw_whisker(estimate: Estimate, low: float, high: float) -> str:
    """Draw a value with its interval, on an axis from `low` to `high`."""
    width, middle = 132, 9
    scale = (width - 10) / max(high - low, 1e-9)

    def x(value: float) -> float:
        return 5 + (value - low) * scale

    return (
        f'<svg class="whisker" viewBox="0 0 {width} 18" width="{width}" height="18" aria-hidden="true">'
        f'<line class="rule" x1="5" x2="{width - 5}" y1="{middle}" y2="{middle}"/>'
        f'<line class="span" x1="{x(estimate.low):.1f}" x2="{x(estimate.high):.1f}" y1="{middle}" y2="{middle}"/>'
        f'<circle class="dot" cx="{x(estimate.value):.1f}" cy="{middle}" r="4.2"/></svg>'
    )


_MIN_DECADE_WIDTH = 120  # from 1 to 10 on a logarithmic axis, for ticks at 2 and 5 too


@dataclass(frozen=True, slots=True)
class _Point:
    """A contender in the scatter chart."""

    standing: Standing
    ms: float
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class _ScatterScale:
    """The plot area of the scatter chart: milliseconds (logarithmic) to the right, a measure upwards."""

    low_x: float  # logarithms to base 10
    high_x: float
    low_y: float
    high_y: float
    step_y: float
    width: int
    height: int

    left = 58
    top = 18

    @property
    def right(self) -> int:
        """The right edge."""
        return self.width - 24

    @property
    def bottom(self) -> int:
        """The lower edge; labels of the axis are below."""
        return self.height - 48

    def x(self, ms: float) -> float:
        return self.left + (math.log10(ms) - self.low_x) / (self.high_x - self.low_x) * (self.right - self.left)

    def y(self, value: float) -> float:
        return self.bottom - (value - self.low_y) / (self.high_y - self.low_y) * (self.bottom - self.top)


WIDE_CHART = (760, 400)
NARROW_CHART = (380, 420)  # for phones: text of the same size, so less room for points


def draw_scatter(standings: Sequence[Standing], measure: Measure, size: tuple[int, int] = WIDE_CHART) -> str:
    """Draw quality against speed: the best contenders are at the upper left. `size` is width and height."""
    points = [
        _Point(standing, standing.speed.median, standing.figures[measure.name])
        for standing in standings
        if standing.speed and standing.speed.median > 0 and measure.name in standing.figures
    ]
    if not points:
        return ""
    scale = _fit_scale(points, size)
    places = [(scale.x(point.ms), scale.y(point.estimate.value)) for point in points]
    title = f"{escape(measure.label)} against milliseconds per page"
    kind = "narrow" if size == NARROW_CHART else "broad"
    return "".join(
        (
            f'<svg class="scatter {kind}" viewBox="0 0 {scale.width} {scale.height}" role="img" aria-label="{title}">',
            *_draw_scatter_axes(scale),
            *(_draw_point(point, scale, places) for point in points),
            "</svg>",
        )
    )


def _fit_scale(points: Sequence[_Point], size: tuple[int, int]) -> _ScatterScale:
    """Return axes with round bounds that hold all points."""
    logarithms = [math.log10(point.ms) for point in points]
    low_x = math.floor(min(logarithms) * 2 - 0.2) / 2
    high_x = math.ceil(max(logarithms) * 2 + 0.6) / 2
    low_y = min(point.estimate.low for point in points)
    high_y = max(point.estimate.high for point in points)
    step = next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if (high_y - low_y) / step <= 7), None)
    if step is None:
        step = (high_y - low_y) / 5
    low_y, high_y = math.floor(low_y / step) * step, math.ceil(high_y / step) * step
    if high_y == low_y:
        low_y, high_y = low_y - step, high_y + step
    return _ScatterScale(low_x, high_x, low_y, high_y, step, *size)


def _draw_scatter_axes(scale: _ScatterScale) -> list[str]:
    parts = []
    for at in range(round((scale.high_y - scale.low_y) / scale.step_y) + 1):
        value = scale.low_y + at * scale.step_y
        y = scale.y(value)
        parts.append(f'<line class="grid" x1="{scale.left}" x2="{scale.right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{scale.left - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.2f}</text>')
    for ms in _list_log_ticks(scale):
        x = scale.x(ms)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{scale.top}" y2="{scale.bottom}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{scale.bottom + 18}" text-anchor="middle">{ms:g}</text>')
    parts.append(
        f'<text class="axis" x="{(scale.left + scale.right) / 2}" y="{scale.height - 8}" text-anchor="middle">'
        "milliseconds per page (median, logarithmic scale)</text>"
    )
    return parts


def _draw_point(point: _Point, scale: _ScatterScale, places: Sequence[tuple[float, float]]) -> str:
    standing, estimate = point.standing, point.estimate
    x, y = scale.x(point.ms), scale.y(estimate.value)
    label_x, anchor = _place_label(standing.name, (x, y), places, scale.right)
    return (
        f'<g class="{standing.kind}"><title>{escape(standing.name)}: {estimate.value:.3f} '
        f"[{estimate.low:.3f}, {estimate.high:.3f}], {point.ms:.1f} ms</title>"
        f'<line class="span" x1="{x:.1f}" x2="{x:.1f}" '
        f'y1="{scale.y(estimate.low):.1f}" y2="{scale.y(estimate.high):.1f}"/>'
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="{5 if standing.is_peer else 6.5}"/>'
        f'<text class="name" x="{label_x:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}">'
        f"{escape(standing.name)}</text></g>"
    )


def _place_label(
    name: str, place: tuple[float, float], places: Sequence[tuple[float, float]], edge: float
) -> tuple[float, str]:
    """Return x and text-anchor of a label: right of its dot, or left if another dot or the edge is in the way."""
    x, y = place
    width = 12 + 7.4 * len(name)
    is_free = x + width < edge and not any(
        0 < other_x - x < width and abs(other_y - y) < 14 for other_x, other_y in places
    )
    return (x + 11, "start") if is_free else (x - 11, "end")


def _list_log_ticks(scale: _ScatterScale) -> list[float]:
    low, high = scale.low_x, scale.high_x
    powers = range(math.floor(low) - 1, math.ceil(high) + 1)
    has_room = (scale.right - scale.left) / max(high - low, 1e-9) >= _MIN_DECADE_WIDTH
    ticks = [factor * 10**power for power in powers for factor in ((1, 2, 5) if has_room else (1,))]
    return [ms for ms in ticks if low <= math.log10(ms) <= high]


def draw_histogram(standing: Standing) -> str:
    """Draw the number of pages by quality."""
    counts = standing.quality_histogram
    total = sum(counts)
    if not total:
        return ""
    width, height, base = 220, 74, 58
    bar = width / len(counts)
    title = f"pages of {escape(standing.name)} by quality"
    parts = [f'<svg class="histogram" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">']
    for at, count in enumerate(counts):
        # On a square-root scale a few bad pages are visible beside many good ones.
        size = math.sqrt(count / total) * (base - 4)
        low, high = at / len(counts), (at + 1) / len(counts)
        parts.append(
            f'<rect class="bar" x="{at * bar + 0.8:.1f}" y="{base - size:.1f}" '
            f'width="{bar - 1.6:.1f}" height="{size:.1f}" rx="1">'
            f"<title>{low:.2f} to {high:.2f}: {count} of {total} pages</title></rect>"
        )
    parts.append(f'<line class="rule" x1="0" x2="{width}" y1="{base + 0.5}" y2="{base + 0.5}"/>')
    for value, anchor in ((0, "start"), (0.5, "middle"), (1, "end")):
        parts.append(f'<text class="tick" x="{value * width}" y="{height - 2}" text-anchor="{anchor}">{value:g}</text>')
    return "".join((*parts, "</svg>"))


def draw_calibration(calibration: Calibration) -> str:
    """Draw the reliability curve."""
    size, left, bottom = 250, 34, 30
    side = size - left - 8

    def x(value: float) -> float:
        return left + value * side

    def y(value: float) -> float:
        return 8 + (1 - value) * (size - bottom - 8)

    parts = [
        f'<svg class="calibration" viewBox="0 0 {size} {size}" role="img" aria-label="word F1 against confidence">'
    ]
    for value in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<line class="grid" x1="{x(0)}" x2="{x(1)}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text class="tick" x="{left - 5}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    parts.append(f'<line class="diagonal" x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}"/>')
    line = " ".join(f"{x(point.confidence):.1f},{y(point.quality):.1f}" for point in calibration.bins)
    parts.append(f'<polyline class="curve" points="{line}"/>')
    max_pages = max(point.pages for point in calibration.bins)
    for point in calibration.bins:
        radius = 2.5 + 4.5 * math.sqrt(point.pages / max_pages)
        parts.append(
            f'<circle class="dot" cx="{x(point.confidence):.1f}" cy="{y(point.quality):.1f}" r="{radius:.1f}"><title>'
            f"confidence {point.confidence:.2f}, word F1 {point.quality:.2f}, {point.pages} pages</title></circle>"
        )
    parts.append(f'<text class="axis" x="{x(0.5)}" y="{size - 4}" text-anchor="middle">confidence</text>')
    return "".join((*parts, "</svg>"))


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
        f'<div class="scroll" tabindex="0"><table class="errors"><thead><tr><th>Kind</th>{head}'
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
