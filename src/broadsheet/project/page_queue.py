"""The queue: the pages that are not done, the most informative first (active learning).

A page is informative if the method is unsure of it, if other methods disagree, and if few pages of its template have
been labelled. The order alternates between templates: after a page of a template, its other pages count less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace

from broadsheet.project.analysis import Analysis
from broadsheet.project.pages import PageEntry
from broadsheet.project.project import Project

_BASE_VALUE = 0.05  # of a page that all methods agree on: a new template is worth a look
_HARD = 0.1  # from which a reason is stated


@dataclass(frozen=True, slots=True)
class QueuedPage:
    """A page of the queue, and why it is there."""

    entry: PageEntry
    value: float  # how informative it is; only the order matters
    confidence: float
    disagreement: float
    template: int  # number of the template; pages of one template have one host
    reasons: tuple[str, ...]


def list_queue(project: Project) -> list[QueuedPage]:
    """Return the pages that are not done, the most informative first."""
    states = project.reader.read()
    templates = project.reader.number_templates(states)
    counts = Counter(template for state, template in zip(states, templates, strict=True) if state.entry.is_done)
    waiting: dict[int, list[QueuedPage]] = {}  # by template
    for state, template in zip(states, templates, strict=True):
        if not state.entry.is_done:
            page = _rate_page(state.entry, state.analysis, template, is_new=not counts[template])
            waiting.setdefault(template, []).append(page)
    return list(_take_in_turns(waiting, counts))


def _take_in_turns(waiting: dict[int, list[QueuedPage]], counts: Counter[int]) -> Iterator[QueuedPage]:
    """Yield the page with the highest value, divided by the number of pages of its template before it."""
    for pages in waiting.values():
        pages.sort(key=lambda page: page.value)  # the best is last
    heap = [(-pages[-1].value / (1 + counts[template]), template) for template, pages in waiting.items()]
    heapify(heap)
    while heap:
        _, template = heap[0]
        yield waiting[template].pop()
        counts[template] += 1
        if pages := waiting[template]:
            heapreplace(heap, (-pages[-1].value / (1 + counts[template]), template))
        else:
            heappop(heap)


def _rate_page(entry: PageEntry, analysis: Analysis, template: int, *, is_new: bool) -> QueuedPage:
    reasons = []
    if 1 - analysis.confidence >= _HARD:
        reasons.append(f"low confidence ({analysis.confidence:.2f})")
    if analysis.disagreement >= _HARD:
        reasons.append(f"methods disagree on {analysis.disagreement:.0%}")
    if is_new:
        reasons.append("new template")
    value = _BASE_VALUE + (1 - analysis.confidence) + analysis.disagreement
    return QueuedPage(entry, value, analysis.confidence, analysis.disagreement, template, tuple(reasons))
