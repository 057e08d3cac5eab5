"""Small charts as SVG text. Colours come from the page's style sheet, so that they follow light and dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from broadsheet.evaluation.intervals import Estimate
from broadsheet.evaluation.measures.calibration import Calibration
from broadsheet.evaluation.report.digest import Standing
from broadsheet.evaluation.summary import Measure


def draw_whisker(found: Estimate, low: float, high: float) -> str:
    """A value with its interval, on an axis that all rows share."""
    width, middle = 132, 9
    scale = (width - 10) / max(high - low, 1e-9)

    def x(value: float) -> float:
        return 5 + (value - low) * scale

    return (
        f'<svg class="whisker" viewBox="0 0 {width} 18" width="{width}" height="18" aria-hidden="true">'
        f'<line class="rule" x1="5" x2="{width - 5}" y1="{middle}" y2="{middle}"/>'
        f'<line class="span" x1="{x(found.low):.1f}" x2="{x(found.high):.1f}" y1="{middle}" y2="{middle}"/>'
        f'<circle class="dot" cx="{x(found.value):.1f}" cy="{middle}" r="4.2"/></svg>'
    )


def draw_scatter(standings: Sequence[Standing], leading: Measure) -> str:
    """Quality against speed: the upper left corner is where everybody wants to be."""
    points = [
        (each, each.speed.median, each.figures[leading.name])
        for each in standings
        if each.speed and each.speed.median > 0 and leading.name in each.figures
    ]
    if not points:
        return ""
    width, height, left, right, top, bottom = 760, 400, 58, 24, 18, 48
    low_x = math.floor(math.log10(min(ms for _, ms, _ in points)) * 2 - 0.2) / 2
    high_x = math.ceil(math.log10(max(ms for _, ms, _ in points)) * 2 + 0.6) / 2
    low_y, high_y, step = _nice_range([value for _, _, found in points for value in (found.low, found.high)])

    def x(ms: float) -> float:
        return left + (math.log10(ms) - low_x) / (high_x - low_x) * (width - left - right)

    def y(value: float) -> float:
        return height - bottom - (value - low_y) / (high_y - low_y) * (height - top - bottom)

    title = f"{escape(leading.label)} against milliseconds a page"
    parts = [f'<svg class="scatter" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">']
    for at in range(round((high_y - low_y) / step) + 1):
        value = low_y + at * step
        parts.append(f'<line class="grid" x1="{left}" x2="{width - right}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text class="tick" x="{left - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.2f}</text>')
    for ms in _ticks(low_x, high_x):
        parts.append(f'<line class="grid" x1="{x(ms):.1f}" x2="{x(ms):.1f}" y1="{top}" y2="{height - bottom}"/>')
        parts.append(
            f'<text class="tick" x="{x(ms):.1f}" y="{height - bottom + 18}" text-anchor="middle">{ms:g}</text>'
        )
    parts.append(
        f'<text class="axis" x="{(left + width - right) / 2}" y="{height - 8}" text-anchor="middle">'
        "milliseconds a page, median (logarithmic; further left is faster)</text>"
    )
    places = [(x(ms), y(found.value)) for _, ms, found in points]
    for (standing, ms, found), (cx, cy) in zip(points, places, strict=True):
        tx, anchor = _place_label(standing.name, cx, cy, places, width - right)
        parts.append(
            f'<g class="{standing.kind}"><title>{escape(standing.name)}: {found.value:.3f} '
            f"[{found.low:.3f}, {found.high:.3f}], {ms:.1f} ms</title>"
            f'<line class="span" x1="{cx:.1f}" x2="{cx:.1f}" y1="{y(found.low):.1f}" y2="{y(found.high):.1f}"/>'
            f'<circle class="dot" cx="{cx:.1f}" cy="{cy:.1f}" r="{5 if standing.is_peer else 6.5}"/>'
            f'<text class="name" x="{tx:.1f}" y="{cy + 4:.1f}" text-anchor="{anchor}">'
            f"{escape(standing.name)}</text></g>"
        )
    parts.append("</svg>")
    return "".join(parts)


def draw_spread(standing: Standing) -> str:
    """How many pages went how well: one bar for each twentieth, the last one full marks."""
    counts = standing.spread
    total = sum(counts)
    if not total:
        return ""
    width, height, base = 220, 74, 58
    bar = width / len(counts)
    title = f"pages of {escape(standing.name)} by quality"
    parts = [f'<svg class="spread" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">']
    for at, count in enumerate(counts):
        # A square root keeps the few bad pages visible beside the many good ones.
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
    """The reliability curve: on the diagonal, confidence is what it says."""
    size, left, bottom = 250, 34, 30
    side = size - left - 8

    def x(value: float) -> float:
        return left + value * side

    def y(value: float) -> float:
        return 8 + (1 - value) * (size - bottom - 8)

    parts = [
        f'<svg class="calibration" viewBox="0 0 {size} {size}" role="img" aria-label="confidence against quality">'
    ]
    for value in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<line class="grid" x1="{x(0)}" x2="{x(1)}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text class="tick" x="{left - 5}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    parts.append(f'<line class="diagonal" x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}"/>')
    line = " ".join(f"{x(found.confidence):.1f},{y(found.quality):.1f}" for found in calibration.bins)
    parts.append(f'<polyline class="curve" points="{line}"/>')
    most = max(found.pages for found in calibration.bins)
    for found in calibration.bins:
        radius = 2.5 + 4.5 * math.sqrt(found.pages / most)
        parts.append(
            f'<circle class="dot" cx="{x(found.confidence):.1f}" cy="{y(found.quality):.1f}" r="{radius:.1f}"><title>'
            f"confidence {found.confidence:.2f}, word F1 {found.quality:.2f}, {found.pages} pages</title></circle>"
        )
    parts.append(f'<text class="axis" x="{x(0.5)}" y="{size - 4}" text-anchor="middle">confidence</text>')
    return "".join((*parts, "</svg>"))


def _place_label(
    name: str, x: float, y: float, places: Sequence[tuple[float, float]], edge: float
) -> tuple[float, str]:
    """Put a label to the right of its dot, or to the left where another dot or the edge is in the way."""
    room = 12 + 7.4 * len(name)
    is_free = x + room < edge and not any(
        0 < other_x - x < room and abs(other_y - y) < 14 for other_x, other_y in places
    )
    return (x + 11, "start") if is_free else (x - 11, "end")


def _nice_range(values: Sequence[float]) -> tuple[float, float, float]:
    """Round bounds and a round step for an axis."""
    low, high = min(values), max(values)
    step = next(step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1e9) if (high - low) / step <= 7 or step == 1e9)
    if step == 1e9:
        step = (high - low) / 5
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    return (low, high, step) if high > low else (low - step, high + step, step)


def _ticks(low: float, high: float) -> list[float]:
    found = [factor * 10**power for power in range(math.floor(low) - 1, math.ceil(high) + 1) for factor in (1, 2, 5)]
    return [ms for ms in found if low <= math.log10(ms) <= high]
