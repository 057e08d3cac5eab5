"""Run contenders over labelled pages: answers come from the cache where possible; all cores make the others.

Peak memory is measured in a separate process for each contender, on a sample of the pages.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from broadsheet.api import PageInput
from broadsheet.corpora import Record, read_corpus
from broadsheet.errors import BroadsheetError
from broadsheet.evaluation.answer import Answer
from broadsheet.evaluation.contenders import Contender, Lineup, find_contenders, open_peer_process
from broadsheet.evaluation.figures import MEASURES, PageOutcome, PageResult, Results, compare_measure, estimate_measure
from broadsheet.evaluation.pool import EvalTask, TaskResult, run_tasks
from broadsheet.evaluation.store import AnswerStore, hash_gold, hash_page, open_store
from broadsheet.options import ExtractOptions
from broadsheet.page.decode import decode_page
from broadsheet.workers import count_cores
from broadsheet.workers.extraction import ExtractionTask, open_state
from broadsheet.workers.process import WorkerLost, WorkerStartError
from broadsheet.workers.supervisor import Worker


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of a run."""

    limit: int | None = None  # pages of each file; None: all
    workers: int | None = None  # processes; None: one per core
    with_memory: bool = True  # measure peak memory, in separate processes on a sample of the pages


def run_evaluation(
    paths: Sequence[Path],
    lineup: Lineup,
    store: AnswerStore,
    options: RunOptions = RunOptions(),  # noqa: B008 - it is frozen
    on_page: Callable[[int], None] = lambda _: None,
) -> Results:
    """Run all contenders on all pages and score them. `on_page` is called with the number of finished pages.

    A contender that cannot be opened is skipped, with a message in `missing`. Raises BroadsheetError when none is left.
    """
    run = _Run(lineup.contenders, store, on_page)
    for result in run_tasks(run.make_tasks(paths, options.limit), options.workers or count_cores()):
        run.add_result(result)
    if lineup.contenders and not run.contenders:
        raise BroadsheetError("; ".join(run.describe_unopened()))
    return Results(
        contenders=run.contenders,
        pages=run.sort_pages(),
        paths=tuple(paths),
        limit=options.limit,
        missing=(*lineup.missing, *run.describe_unopened()),
        memory=run.probe.measure(run.contenders, store) if options.with_memory else None,
        unscored=tuple(sorted(run.unscored)),
        answered=run.answered,
    )


def read_records(paths: Sequence[Path], limit: int | None = None) -> Iterator[tuple[Path, Record]]:
    """Read the pages of several files or folders, decoded; `limit` applies to each of them."""
    for path in paths:
        for record in islice(read_corpus(path), limit):
            if isinstance(record.html, bytes):
                yield path, replace(record, html=decode_page(record.html).text)
            else:
                yield path, record


class _Run:
    """One run: makes tasks for answers and scores that are not cached, and collects the results."""

    def __init__(self, contenders: Sequence[Contender], store: AnswerStore, on_page: Callable[[int], None]) -> None:
        self._all_contenders = contenders
        self._store = store
        self._started_at = datetime.now(UTC).isoformat(timespec="seconds")
        self._on_page = on_page
        self._unopened: dict[Contender, str] = {}
        self._pages: list[PageResult] = []
        self.unscored: list[str] = []
        self.answered = 0
        self.probe = MemoryProbe()

    @property
    def contenders(self) -> tuple[Contender, ...]:
        """All contenders except those that could not be opened so far."""
        return tuple(contender for contender in self._all_contenders if contender not in self._unopened)

    def describe_unopened(self) -> list[str]:
        """Return a message for each contender that could not be opened."""
        return [
            f"{contender.name} could not be opened and was skipped: {' '.join(error.split())}"
            for contender, error in self._unopened.items()
        ]

    def sort_pages(self) -> tuple[PageResult, ...]:
        """Return the results in an order that does not depend on which page was finished first."""
        names = [contender.name for contender in self.contenders]
        pages = (replace(page, outcomes={name: page.outcomes[name] for name in names}) for page in self._pages)
        return tuple(sorted(pages, key=lambda page: (page.dataset, page.id, page.path, page.page_hash)))

    def make_tasks(self, paths: Sequence[Path], limit: int | None) -> Iterator[EvalTask]:
        """Yield a task for each page that needs one; a page whose scores are all cached goes to the results."""
        for path, record in read_records(paths, limit):
            self.probe.offer(record)
            task = self._make_task(record, str(path))
            if task.to_run or task.unscored:
                yield task
            else:
                self.add_result(TaskResult(task, {}, {}))

    def add_result(self, result: TaskResult) -> None:
        """Cache new answers and scores, and add the page to the results."""
        task = result.task
        self._unopened.update(result.unopened)
        for contender, answer in result.answers.items():
            self._store.add_answer(task.page_hash, contender, answer, self._started_at)
        for contender, scores in result.scores.items():
            self._store.add_scores(task.page_hash, task.gold_hash, contender, scores)
        self.answered += len(result.answers)
        outcomes = {
            contender.name: outcome
            for contender in self.contenders
            if (outcome := self._find_outcome(task, contender)) is not None
        }
        if len(outcomes) == len(self.contenders):
            self._pages.append(_make_page_result(task, outcomes))
        else:
            self.unscored.append(task.record.id)
        self._on_page(len(self._pages) + len(self.unscored))

    def _make_task(self, record: Record, path: str) -> EvalTask:
        page_hash, gold_hash = hash_page(record), hash_gold(record)
        to_run: list[Contender] = []
        unscored: dict[Contender, Answer] = {}
        for contender in self.contenders:
            cached = self._store.find_answer(page_hash, contender)
            if cached is None:
                to_run.append(contender)
            elif self._store.find_scores(page_hash, gold_hash, contender) is None:
                unscored[contender] = cached[0]
        return EvalTask(record, path, page_hash, gold_hash, tuple(to_run), unscored)

    def _find_outcome(self, task: EvalTask, contender: Contender) -> PageOutcome | None:
        cached = self._store.find_answer(task.page_hash, contender)
        scores = self._store.find_scores(task.page_hash, task.gold_hash, contender)
        if cached is None or scores is None:
            return None
        answer, run = cached
        return PageOutcome(scores.columns, scores.error_words, answer.seconds, answer.error, run)


def _make_page_result(task: EvalTask, outcomes: dict[str, PageOutcome]) -> PageResult:
    record = task.record
    return PageResult(
        id=record.id,
        path=task.path,
        dataset=record.dataset,
        site=record.site,
        lang=record.lang,
        year=record.year,
        page_hash=task.page_hash,
        outcomes=outcomes,
    )


SamplePage = tuple[str, str | None, str | None]  # html, url, language

SAMPLE_PAGES = 12
MAX_PAGE_CHARS = 1_000_000
_PAGE_SECONDS = 120.0
_FIELDS = ("text",)


class MemoryProbe:
    """Keeps the pages with the smallest hashes as a sample, and runs each contender over them."""

    def __init__(self) -> None:
        self._sample: dict[str, SamplePage] = {}  # by hash

    def offer(self, record: Record) -> None:
        """Add a page to the sample if its hash is small enough."""
        if len(record.html) > MAX_PAGE_CHARS or not isinstance(record.html, str):
            return
        key = hash_page(record)
        if len(self._sample) < SAMPLE_PAGES or key < max(self._sample):
            self._sample[key] = (record.html, record.url, record.lang)
            if len(self._sample) > SAMPLE_PAGES:
                del self._sample[max(self._sample)]

    def measure(self, contenders: Sequence[Contender], store: AnswerStore) -> dict[str, float]:
        """Return peak MB by contender, from the cache where possible."""
        pages = [self._sample[key] for key in sorted(self._sample)]
        sample_hash = hashlib.sha256(" ".join(sorted(self._sample)).encode()).hexdigest()[:16]
        peaks: dict[str, float] = {}
        for contender in contenders:
            name = f"memory|{sample_hash}|{contender.key}"
            peak = store.find_fact(name)
            if peak is None and (peak := _measure_peak(contender, pages)) is not None:
                store.add_fact(name, peak)
            if peak is not None:
                peaks[contender.name] = peak
        return peaks


def _measure_peak(contender: Contender, pages: Sequence[SamplePage]) -> float | None:
    """Run a contender over pages in a new process; return its peak memory in MB, or None if it fails."""
    with contextlib.ExitStack() as stack:
        try:
            if contender.is_peer:
                process = open_peer_process(contender)
                stack.callback(process.close)
                for page in pages:
                    list(process.ask(page, _PAGE_SECONDS))
                return process.read_peak_memory(_PAGE_SECONDS)
            options = ExtractOptions(
                method=contender.method or contender.name, weights=contender.weights, fields=_FIELDS
            )
            worker = Worker(open_state, options)
            stack.callback(worker.process.close)
            worker.run(ExtractionTask(tuple(PageInput(url, html) for html, url, _ in pages)))
            return None if worker.loss_count else worker.process.read_peak_memory(_PAGE_SECONDS)
        except (WorkerLost, WorkerStartError):
            return None


# Compare a method before and after training on the same pages: figures, differences, and the paired test


_MEASURES = ("word_f1", "shingle_f1", "block_f1", "title", "date", "authors")
_ROW = "{:<12} {:>6} {:>7} {:>7} {:>8}  {:<17} {}"


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """A measure before and after, on the same pages."""

    name: str
    label: str
    pages: int
    before: float
    after: float
    change: float
    low: float  # of the 95 % interval of the change
    high: float
    p_value: float
    is_significant: bool


def compare_weights(
    pages: Path, after: Path, before: Path | None, on_page: Callable[[int], None]
) -> list[MeasureChange]:
    """Evaluate weights on labelled pages. `before` is None for the shipped weights."""
    lineup = find_contenders((), (), [after] if before is None else [before, after])
    if before is not None:  # the shipped weights are not compared
        lineup = type(lineup)(tuple(contender for contender in lineup.contenders if contender.weights), lineup.missing)
    with open_store(None) as store:
        results = run_evaluation([pages], lineup, store, RunOptions(with_memory=False), on_page)
    first, second = lineup.contenders
    return list(_list_changes(results, first, second))


def _list_changes(results: Results, before: Contender, after: Contender) -> Iterator[MeasureChange]:
    old, new = results.get_columns(before.name), results.get_columns(after.name)
    for name in _MEASURES:
        measure = MEASURES[name]
        difference = compare_measure(measure, new, old)
        first, second = estimate_measure(measure, old, rounds=0), estimate_measure(measure, new, rounds=0)
        if difference is None or first is None or second is None:
            continue
        yield MeasureChange(
            name=name,
            label=measure.label,
            pages=difference.pages,
            before=first.value,
            after=second.value,
            change=difference.value,
            low=difference.low,
            high=difference.high,
            p_value=difference.p_value,
            is_significant=difference.is_significant,
        )


def write_table(changes: Sequence[MeasureChange]) -> list[str]:
    """Return the lines of a table of changes."""
    return [
        _ROW.format("", "pages", "before", "after", "change", "95 % interval", "").rstrip(),
        *map(_write_row, changes),
    ]


def _write_row(row: MeasureChange) -> str:
    verdict = "significant" if row.is_significant else "not significant"
    return _ROW.format(
        row.label,
        row.pages,
        f"{row.before:.3f}",
        f"{row.after:.3f}",
        f"{row.change:+.3f}",
        f"[{row.low:+.3f}, {row.high:+.3f}]",
        f"p={row.p_value:.3f}, {verdict}",
    )
