"""The lowest-scoring pages of each contender: gold text, output and blocks side by side, with the errors marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import Literal

from broadsheet.corpora import align_text
from broadsheet.corpora.align import drop_headline
from broadsheet.evaluation.answer import Answer
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.figures import PageResult, Results
from broadsheet.evaluation.report.summary import measure_page_quality
from broadsheet.evaluation.runner import read_records
from broadsheet.evaluation.scores import EXTRA, MISSED, Gold, find_block_errors, find_kept_blocks, read_gold
from broadsheet.evaluation.store import AnswerStore, hash_page

WORST_PAGES = 20  # of each contender
MIN_CORRECT_QUALITY = 0.999  # a page of this quality has no errors to show

State = Literal["right", "missed", "extra", "left_out", "headline"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text. "left_out" is correctly left out; the headline is not scored."""

    text: str
    state: State
    kind: str = ""  # of a wrong block: comment, caption, ...


@dataclass(frozen=True, slots=True)
class WorstPage:
    """One page as one contender extracted it."""

    contender: str
    id: str
    dataset: str
    url: str | None
    quality: float
    qualities: Mapping[str, float]  # of all contenders
    error: str | None
    gold: tuple[Line, ...]
    output: tuple[Line, ...]
    blocks: tuple[Line, ...]

    def find_main_errors(self, count: int = 2) -> list[str]:
        """Return the kinds of error with the most characters, such as "missed: caption", the largest first."""
        chars: Counter[str] = Counter()
        for line in self.blocks:
            if line.kind:
                chars[f"{line.state}: {line.kind}"] += len(line.text)
        return [error for error, _ in chars.most_common(count)]


@dataclass(frozen=True, slots=True)
class _PageKey:
    """Identifies a page: ids need not be unique."""

    path: str
    id: str
    page_hash: str


def view_worst_pages(results: Results, store: AnswerStore, count: int = WORST_PAGES) -> tuple[WorstPage, ...]:
    """Read the lowest-scoring pages again and compare them line by line."""
    selected: dict[_PageKey, list[Contender]] = {}
    for contender in results.contenders:
        for page in _find_worst(results, contender, count):
            selected.setdefault(_make_key(page), []).append(contender)
    if not selected:
        return ()
    pages = {_make_key(page): page for page in results.pages}
    views: list[WorstPage] = []
    for path, record in read_records(results.paths, results.limit):
        key = _PageKey(str(path), record.id, hash_page(record))
        if contenders := selected.get(key):
            gold = read_gold(record)
            views += [view for contender in contenders if (view := _make_view(gold, pages[key], contender, store))]
    order = {name: at for at, name in enumerate(results.names)}
    return tuple(sorted(views, key=lambda view: (order[view.contender], view.quality, view.id)))


def _make_key(page: PageResult) -> _PageKey:
    return _PageKey(page.path, page.id, page.page_hash)


def _find_worst(results: Results, contender: Contender, count: int) -> list[PageResult]:
    """Return the pages with a gold text on which a contender made errors, the worst first."""
    if "text" not in contender.fields:
        return []
    candidates = []
    for page in results.pages:
        outcome = page.outcomes[contender.name]
        quality = measure_page_quality(outcome)
        if quality is not None and quality < MIN_CORRECT_QUALITY and "word_f1" in outcome.columns:
            candidates.append((quality, page.id, page))
    return [page for _, _, page in sorted(candidates, key=lambda item: item[:2])[:count]]


def _make_view(gold: Gold, page: PageResult, contender: Contender, store: AnswerStore) -> WorstPage | None:
    cached = store.find_answer(page.page_hash, contender)
    if cached is None:
        return None
    answer, _ = cached
    output = drop_headline(answer.text or "", gold.headlines)
    qualities = {name: measure_page_quality(outcome) for name, outcome in page.outcomes.items()}
    return WorstPage(
        contender=contender.name,
        id=page.id,
        dataset=page.dataset,
        url=gold.record.url,
        quality=qualities[contender.name] or 0.0,
        qualities={name: quality for name, quality in qualities.items() if quality is not None},
        error=answer.error,
        gold=_mark_lines(gold.text or "", output, MISSED),
        output=_mark_lines(output, gold.text or "", EXTRA),
        blocks=_mark_blocks(gold, answer, output),
    )


def _mark_lines(text: str, other: str, wrong: State) -> tuple[Line, ...]:
    """Return the lines of a text; those that the other text lacks have the state `wrong`."""
    lines = [line for line in text.splitlines() if line.strip()]
    return tuple(
        Line(line, "right" if is_in_other else wrong)
        for line, is_in_other in zip(lines, align_text(lines, other), strict=True)
    )


def _mark_blocks(gold: Gold, answer: Answer, output: str) -> tuple[Line, ...]:
    if gold.blocks is None:
        return ()
    kept = find_kept_blocks(gold, answer, output)
    errors = {error.block: error for error in find_block_errors(gold, kept)}
    lines: list[Line] = []
    for block, text in enumerate(gold.blocks.text):
        if error := errors.get(block):
            lines.append(Line(text, error.error, error.kind))
        elif gold.ignored[block]:
            lines.append(Line(text, "headline"))
        else:
            lines.append(Line(text, "right" if kept[block] else "left_out"))
    return tuple(lines)


MAX_COLUMN_LINES = 150  # a forum of a thousand posts would fill the report
MAX_LINE_CHARS = 700
# Lines that stay visible at both ends of a folded run of lines, by state. Runs of other states are not folded.
_UNFOLDED_LINES = {"right": 2, "left_out": 0}


def write_pages(views: Sequence[WorstPage], names: Sequence[str]) -> str:
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


def _write_view(view: WorstPage) -> str:
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
