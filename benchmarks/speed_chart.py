"""A bar chart of speeds as SVG, readable on light and dark backgrounds."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

_WIDTH, _LABEL_WIDTH, _VALUE_WIDTH = 640, 170, 150
_BAR_HEIGHT, _ROW_HEIGHT, _TOP = 18, 30, 40
_STYLE = (
    "text{fill:#1d2733}.muted{fill:#5b6773}.bar{fill:#9aa5b1}.ours{fill:#2f7d4f}"
    "@media(prefers-color-scheme:dark){text{fill:#e6eaee}.muted{fill:#a8b3be}.bar{fill:#66727e}.ours{fill:#58b37d}}"
)


def draw_speeds(milliseconds: Mapping[str, float]) -> str:
    """Draw pages per second of each extractor, given its milliseconds for the median page; the fastest first."""
    speeds = sorted(((1000 / value, name) for name, value in milliseconds.items()), reverse=True)
    scale = (_WIDTH - _LABEL_WIDTH - _VALUE_WIDTH) / speeds[0][0]
    parts = ['<text x="0" y="18" class="muted">Pages per second on one core, for the median page</text>']
    for row, (speed, name) in enumerate(speeds):
        y = _TOP + row * _ROW_HEIGHT
        kind = "ours" if name.startswith("broadsheet") else "bar"
        width = max(speed * scale, 1)
        parts += [
            f'<text x="0" y="{y + 14}">{escape(name)}</text>',
            f'<rect x="{_LABEL_WIDTH}" y="{y}" width="{width:.1f}" height="{_BAR_HEIGHT}" rx="3" class="{kind}"/>',
            f'<text x="{_LABEL_WIDTH + width + 8:.1f}" y="{y + 14}">{speed:,.0f}</text>',
        ]
    height = _TOP + len(speeds) * _ROW_HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="Pages per second on one core">\n'
        f"<style>{_STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )
