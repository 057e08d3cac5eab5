"""The hardest pages side by side: gold text, output, and the blocks of the page, coloured by what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from broadsheet.evaluation.report.views import Line, PageView

_MAX_LINES = 150  # of a column; a forum of a thousand posts would drown the report
_MAX_CHARS = 700  # of a line
_SHOWN = {"right": 2, "left_out": 0}  # lines before and after a fold


def write_pages(views: Sequence[PageView], names: Sequence[str]) -> str:
    """One tab for each contender, one fold for each page."""
    shown = [name for name in names if any(view.contender == name for view in views)]
    if not shown:
        return ""
    tabs = "".join(
        f'<button type="button" data-tab="worst-{at}">{escape(name)}</button>' for at, name in enumerate(shown)
    )
    panels = []
    for at, name in enumerate(shown):
        pages = "".join(_write_view(view) for view in views if view.contender == name)
        panels.append(f'<div class="panel" id="worst-{at}">{pages}</div>')
    return (
        '<p>Where each method lost most. <span class="key missed">Missed</span> text is in the gold and not in the '
        'output, <span class="key extra">extra</span> text the other way round; '
        '<span class="key right">right</span> text is in both.</p>'
        f'<div class="tabs">{tabs}</div>{"".join(panels)}'
    )


def _write_view(view: PageView) -> str:
    others = "".join(
        f'<span class="chip{" this" if name == view.contender else ""}">{escape(name)} <b>{quality:.2f}</b></span>'
        for name, quality in sorted(view.others.items(), key=lambda item: -item[1])
    )
    error = f'<p class="error">Failed: {escape(view.error)}</p>' if view.error else ""
    address = f'<p class="address">{escape(view.url)}</p>' if view.url else ""
    return (
        f'<details class="page"><summary><b class="score">{view.quality:.2f}</b>'
        f'<span class="id">{escape(view.id)}</span>'
        f'<span class="chips">{others}</span></summary>{error}{address}<div class="columns">'
        f"<div><h3>Gold</h3>{_write_lines(view.gold)}</div>"
        f"<div><h3>Output of {escape(view.contender)}</h3>{_write_lines(view.output)}</div>"
        f"<div><h3>Blocks of the page</h3>{_write_lines(view.blocks)}</div></div></details>"
    )


def _write_lines(lines: Sequence[Line]) -> str:
    """Lines in order. Much that is right, or rightly left out, is folded: mistakes are what counts."""
    parts: list[str] = []
    count = 0
    for state, run in groupby(lines, key=lambda line: line.state):
        same = list(run)
        if count >= _MAX_LINES:
            parts.append('<p class="empty">and more: the page is long</p>')
            break
        shown = _SHOWN.get(state, len(same))
        if len(same) > 2 * shown + 2:
            parts += map(_write_line, same[:shown])
            parts.append(_fold(same[shown : len(same) - shown], state))
            parts += map(_write_line, same[len(same) - shown :])
            count += 2 * shown + 1
        else:
            parts += map(_write_line, same[:_MAX_LINES])
            count += len(same)
    return "".join(parts) or '<p class="empty">nothing</p>'


def _write_line(line: Line) -> str:
    kind = f"<em>{escape(line.state)}: {escape(line.kind)}</em>" if line.kind else ""
    return f'<p class="line {line.state}">{kind}{_cut(line.text)}</p>'


def _fold(lines: Sequence[Line], state: str) -> str:
    inside = "".join(map(_write_line, lines[:_MAX_LINES]))
    words = "right" if state == "right" else "rightly left out"
    return f'<details class="fold"><summary>{len(lines)} more, {words}</summary>{inside}</details>'


def _cut(text: str) -> str:
    return escape(text if len(text) <= _MAX_CHARS else f"{text[:_MAX_CHARS]} …")
