"""Limits on the visible text of a page: characters and blocks."""

from __future__ import annotations

from dataclasses import replace

from broadsheet.page.limits import Limits
from broadsheet.page.nodes import Nodes
from broadsheet.page.runs import TextRun


def limit_runs(nodes: Nodes, limits: Limits) -> Nodes:
    """Leave out the runs beyond `limits.max_chars` and `limits.max_blocks`, with part of the run that reaches them."""
    chars, blocks = limits.max_chars, limits.max_blocks
    for number, (_, rows, _, breaks) in enumerate(nodes.runs):
        run_chars = sum([len(nodes.text[row]) for row in rows])
        run_blocks = 1 + breaks // 2
        if run_chars > chars or run_blocks > blocks:
            return _cut_runs(nodes, number, chars, 2 * blocks)
        chars -= run_chars
        blocks -= run_blocks
    return nodes


def _cut_runs(nodes: Nodes, number: int, chars: int, breaks: int) -> Nodes:
    """Cut the run with this number after the given characters or breaks, and leave out the runs after it."""
    container, rows, link_rows, _ = nodes.runs[number]
    texts = list(nodes.text)
    rows_kept = []
    breaks_left = breaks
    for row in rows:
        is_break = nodes.tag[row] == "br"
        if chars <= 0 or breaks_left <= is_break:
            break
        rows_kept.append(row)
        texts[row] = texts[row][:chars]
        chars -= len(texts[row])
        breaks_left -= is_break
    link_rows_kept = sorted(set(link_rows).intersection(rows_kept))
    last_run: TextRun = (container, rows_kept, link_rows_kept, breaks - breaks_left)
    runs = [*nodes.runs[:number], last_run] if rows_kept else nodes.runs[:number]
    return replace(nodes, text=texts, runs=runs, is_cut=True)
