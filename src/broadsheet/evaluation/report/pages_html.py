"""The lowest-scoring pages: gold text, output and blocks of the page side by side, coloured by error."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from broadsheet.evaluation.report.views import Line, PageView

MAX_COLUMN_LINES = 150  # a forum of a thousand posts would fill the report
MAX_LINE_CHARS = 700
# Lines that stay visible at both ends of a folded run of lines, by state. Runs of other states are not folded.
_UNFOLDED_LINES = {"right": 2, "left_out": 0}


def write_pages(views: Sequence[PageView], names: Sequence[str]) -> str:
    """Return one tab per contender, with one fold per page."""
    shown_names = [name for name in names if any(view.contender == name for view in views)]
    if not shown_names:
        return ""
    tabs = "".join(
        f'<button type="button" data-tab="worst-{at}">{escape(name)}</button>' for at, name in enumerate(shown_names)
    )
    panels = []
    for at, name in enumerate(shown_names):
        pages = "".join(_write_view(view) for view in views if view.contender == name)
        panels.append(f'<div class="panel" id="worst-{at}">{pages}</div>')
    datasets = sorted({view.dataset for view in views if view.dataset})
    errors = sorted({error for view in views for error in view.find_main_errors()})
    filters = _write_filter("dataset", "All datasets", datasets) + _write_filter("error", "All errors", errors)
    return (
        '<p>The pages with the lowest quality for each contender. <span class="key missed">Missed</span> text is in '
        'the gold text but not in the output, <span class="key extra">extra</span> text is in the output but not in '
        'the gold text, and <span class="key right">correct</span> text is in both.</p>'
        f'<div class="tabs">{tabs}</div><div class="filters">{filters}<span class="count"></span></div>'
        f"{''.join(panels)}"
    )


def _write_filter(name: str, label: str, values: Sequence[str]) -> str:
    """Return a menu that shows only the pages with one value; nothing if there is no choice."""
    if len(values) < 2:
        return ""
    options = "".join(f"<option>{escape(value)}</option>" for value in values)
    return f'<select data-filter="{name}" aria-label="{label}"><option value="">{label}</option>{options}</select>'


def _write_view(view: PageView) -> str:
    chips = "".join(
        f'<span class="chip{" this" if name == view.contender else ""}">{escape(name)} <b>{quality:.2f}</b></span>'
        for name, quality in sorted(view.qualities.items(), key=lambda item: -item[1])
    )
    errors = view.find_main_errors()
    error = f'<p class="error">Failed: {escape(view.error)}</p>' if view.error else ""
    address = f'<p class="address">{escape(view.url)}</p>' if view.url else ""
    return (
        f'<details class="page" data-dataset="{escape(view.dataset)}" data-error="{escape("|".join(errors))}">'
        f'<summary><b class="score">{view.quality:.2f}</b>'
        f'<span class="id">{escape(view.id)}<small>{escape(", ".join(errors))}</small></span>'
        f'<span class="chips">{chips}</span></summary>{error}{address}<div class="columns">'
        f"<div><h3>Gold text</h3>{_write_lines(view.gold)}</div>"
        f"<div><h3>Output of {escape(view.contender)}</h3>{_write_lines(view.output)}</div>"
        f"<div><h3>Blocks of the page</h3>{_write_lines(view.blocks)}</div></div></details>"
    )


def _write_lines(lines: Sequence[Line]) -> str:
    """Return lines in order. Long runs of correct lines are folded, so that errors are easy to see."""
    parts: list[str] = []
    count = 0
    for state, run in groupby(lines, key=lambda line: line.state):
        same = list(run)
        if count >= MAX_COLUMN_LINES:
            parts.append('<p class="empty">The rest is not shown.</p>')
            break
        ends = _UNFOLDED_LINES.get(state, len(same))
        if len(same) > 2 * ends + 2:
            parts += map(_write_line, same[:ends])
            parts.append(_write_fold(same[ends : len(same) - ends], state))
            parts += map(_write_line, same[len(same) - ends :])
            count += 2 * ends + 1
        else:
            parts += map(_write_line, same[:MAX_COLUMN_LINES])
            count += len(same)
    return "".join(parts) or '<p class="empty">empty</p>'


def _write_line(line: Line) -> str:
    kind = f"<em>{escape(line.state)}: {escape(line.kind)}</em>" if line.kind else ""
    return f'<p class="line {line.state}">{kind}{_shorten(line.text)}</p>'


def _write_fold(lines: Sequence[Line], state: str) -> str:
    content = "".join(map(_write_line, lines[:MAX_COLUMN_LINES]))
    description = "correct" if state == "right" else "correctly left out"
    return f'<details class="fold"><summary>{len(lines)} more, {description}</summary>{content}</details>'


def _shorten(text: str) -> str:
    return escape(text if len(text) <= MAX_LINE_CHARS else f"{text[:MAX_LINE_CHARS]} …")
