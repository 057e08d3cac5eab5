"""Line charts as SVG, readable on light and dark backgrounds, for docs/methods/figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from textwrap import shorten

FOLDER = Path(__file__).parents[2] / "docs" / "methods" / "figures"
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 640, 300, 48, 16, 200, 44
_COLOURS = ("#2f7d4f", "#2b6cb0", "#b7791f", "#a0407a", "#6b7280", "#c0392b")
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_STYLE = (
    "text{fill:#1d2733}.grid{stroke:#c8d0d8}polyline{fill:none;stroke-width:2}"
    "@media(prefers-color-scheme:dark){text{fill:#e6eaee}.grid{stroke:#4a5560}}"
)


def print_figure(name: str, title: str, values: Sequence[object], lines: Mapping[str, Sequence[float]]) -> None:
    """Draw lines over the same values, evenly spaced, write the figure into the docs, and print its reference."""
    (FOLDER / f"{name}.svg").write_text(draw_lines(title, values, lines), "utf-8")
    print(f"\n![{shorten(title, 60, placeholder=' ...')}](figures/{name}.svg)")


def draw_lines(title: str, values: Sequence[object], lines: Mapping[str, Sequence[float]]) -> str:
    """Return the SVG of some lines over the same values, which are evenly spaced."""
    numbers = [number for line in lines.values() for number in line]
    step = next((step for step in _STEPS if (max(numbers) - min(numbers)) / step <= 6), 1.0)
    low, high = step * (min(numbers) // step), step * (max(numbers) // step + 1)
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM

    def place(position: int, number: float) -> tuple[float, float]:
        x = _LEFT + (right - _LEFT) * position / max(len(values) - 1, 1)
        return round(x, 1), round(bottom - (bottom - _TOP) * (number - low) / (high - low), 1)

    parts = []
    for index in range(round((high - low) / step) + 1):
        _, y = place(0, low + index * step)
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{y}" x2="{right}" y2="{y}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{low + index * step:.2f}</text>')
    for position, value in enumerate(values):
        x, _ = place(position, low)
        parts.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{escape(str(value))}</text>')
    parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 6}">{escape(title)}</text>')
    for index, (name, line) in enumerate(lines.items()):
        points = " ".join("{},{}".format(*place(position, number)) for position, number in enumerate(line))
        colour = _COLOURS[index % len(_COLOURS)]
        parts.append(f'<polyline points="{points}" stroke="{colour}"/>')
        y = _TOP + 14 + 22 * index
        parts.append(f'<rect x="{right + 16}" y="{y - 9}" width="10" height="10" fill="{colour}"/>')
        parts.append(f'<text x="{right + 32}" y="{y}">{escape(name)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="{escape(title)}">\n'
        f"<style>{_STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )
