"""A bar chart of speeds as SVG, readable on light and dark backgrounds."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

_WIDTH, _LABEL_WIDTH, _VALUE_WIDTH = 640, 190, 80
_BAR_HEIGHT, _ROW_HEIGHT, _TOP = 18, 30, 40
_STYLE = (
    "text{fill:#1d2733}.muted{fill:#5b6773}.bar{fill:#9aa5b1}.ours{fill:#2f7d4f}"
    "@media(prefers-color-scheme:dark){text{fill:#e6eaee}.muted{fill:#a8b3be}.bar{fill:#66727e}.ours{fill:#58b37d}}"
)


def draw_speeds(milliseconds: Mapping[str, Mapping[str, float]]) -> str:
    """Draw pages per second: a group of bars for each kind of work, the fastest first.

    `milliseconds` has the time of the median page for each extractor, by kind of work.
    """
    groups = {
        work: sorted(((1000 / value, name) for name, value in times.items()), reverse=True)
        for work, times in milliseconds.items()
    }
    scale = (_WIDTH - _LABEL_WIDTH - _VALUE_WIDTH) / max(speed for bars in groups.values() for speed, _name in bars)
    parts = ['<text x="0" y="18" class="muted">Pages per second on one core, for the median page</text>']
    y = _TOP
    for work, bars in groups.items():
        parts.append(f'<text x="0" y="{y + 14}" class="muted">{escape(work)}</text>')
        parts += [_draw_bar(y + row * _ROW_HEIGHT, name, speed, scale) for row, (speed, name) in enumerate(bars, 1)]
        y += (len(bars) + 1) * _ROW_HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" width="{_WIDTH}" height="{y}" '
        f'font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="Pages per second on one core">\n'
        f"<style>{_STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _draw_bar(y: int, name: str, speed: float, scale: float) -> str:
    kind = "ours" if name.startswith("broadsheet") else "bar"
    width = max(speed * scale, 1)
    return (
        f'<text x="0" y="{y + 14}">{escape(name)}</text>\n'
        f'<rect x="{_LABEL_WIDTH}" y="{y}" width="{width:.1f}" height="{_BAR_HEIGHT}" rx="3" class="{kind}"/>\n'
        f'<text x="{_LABEL_WIDTH + width + 8:.1f}" y="{y + 14}">{speed:,.0f}</text>'
    )
