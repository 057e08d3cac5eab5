"""The pages where each contender lost most, prepared so that a person sees why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from broadsheet.corpora import align_text
from broadsheet.corpora.headline import drop_headline
from broadsheet.evaluation.answer import Answer
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.gold import Gold, read_gold
from broadsheet.evaluation.mistakes import find_mistakes
from broadsheet.evaluation.report.digest import page_quality
from broadsheet.evaluation.results import PageResult, Results
from broadsheet.evaluation.runner import read_records
from broadsheet.evaluation.scores import find_kept
from broadsheet.evaluation.store import Store, hash_page

WORST_PAGES = 6  # of each contender
_PERFECT = 0.999  # such a page has nothing to show


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text: right, "missed", "extra", "left_out" (rightly) or "headline" (nobody's right or wrong)."""

    text: str
    state: str
    kind: str = ""  # of a wrong block: comment, caption, ...


@dataclass(frozen=True, slots=True)
class PageView:
    """One page as one contender saw it."""

    contender: str
    id: str
    url: str | None
    quality: float
    others: Mapping[str, float]  # quality of all contenders
    error: str | None
    gold: tuple[Line, ...]
    output: tuple[Line, ...]
    blocks: tuple[Line, ...]


def view_worst_pages(
    results: Results, store: Store, paths: Sequence[Path], limit: int | None = None, count: int = WORST_PAGES
) -> tuple[PageView, ...]:
    """Read the worst pages once more and compare them line by line."""
    # Nobody promises that ids differ: the fingerprint tells pages of one id apart.
    wanted: dict[tuple[str, str, str], list[Contender]] = {}
    for contender in results.contenders:
        for page in _find_worst(results, contender, count):
            wanted.setdefault((page.path, page.id, page.page), []).append(contender)
    pages = {(page.path, page.id, page.page): page for page in results.pages}
    views: list[PageView] = []
    if wanted:
        for path, record in read_records(paths, limit):
            place = (str(path), record.id, hash_page(record))
            if contenders := wanted.get(place):
                gold = read_gold(record)
                page = pages[place]
                views += [view for contender in contenders if (view := _view(gold, page, contender, store))]
    order = {name: at for at, name in enumerate(results.names)}
    return tuple(sorted(views, key=lambda view: (order[view.contender], view.quality, view.id)))


def _find_worst(results: Results, contender: Contender, count: int) -> list[PageResult]:
    """Pages with a gold text, the worst first."""
    if "text" not in contender.fields:
        return []
    found = []
    for page in results.pages:
        row = page.rows[contender.name]
        quality = page_quality(row)
        if quality is not None and quality < _PERFECT and "word_f1" in row.columns:
            found.append((quality, page.id, page))
    return [page for _, _, page in sorted(found, key=lambda item: item[:2])[:count]]


def _view(gold: Gold, page: PageResult, contender: Contender, store: Store) -> PageView | None:
    found = store.find_answer(page.page, contender)
    if found is None:
        return None
    answer = found[0]
    output = drop_headline(answer.text or "", gold.headlines)
    return PageView(
        contender=contender.name,
        id=page.id,
        url=gold.record.url,
        quality=page_quality(page.rows[contender.name]) or 0.0,
        others={name: quality for name, row in page.rows.items() if (quality := page_quality(row)) is not None},
        error=answer.error,
        gold=_mark(gold.text or "", output, "missed"),
        output=_mark(output, gold.text or "", "extra"),
        blocks=_mark_blocks(gold, answer, output),
    )


def _mark(text: str, other: str, wrong: str) -> tuple[Line, ...]:
    """Lines of a text, those marked that the other text does not have."""
    lines = [line for line in text.splitlines() if line.strip()]
    return tuple(
        Line(line, "right" if is_there else wrong)
        for line, is_there in zip(lines, align_text(lines, other), strict=True)
    )


def _mark_blocks(gold: Gold, answer: Answer, output: str) -> tuple[Line, ...]:
    if gold.blocks is None:
        return ()
    kept = find_kept(gold, answer, output)
    mistakes = {mistake.block: mistake for mistake in find_mistakes(gold, kept)}
    lines: list[Line] = []
    for block, text in enumerate(gold.blocks.text):
        if mistake := mistakes.get(block):
            lines.append(Line(text, mistake.error, mistake.kind))
        elif gold.ignored[block]:
            lines.append(Line(text, "headline"))
        else:
            lines.append(Line(text, "right" if kept[block] else "left_out"))
    return tuple(lines)
