"""Run contenders over labelled pages: what is known is read from the cache, the rest is done on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from broadsheet.corpora import Record, read_corpus
from broadsheet.evaluation.answer import Answer
from broadsheet.evaluation.contenders import Contender, Lineup
from broadsheet.evaluation.memory_probe import MemoryProbe
from broadsheet.evaluation.pool import Done, Job, run_jobs
from broadsheet.evaluation.results import PageResult, Results, Row
from broadsheet.evaluation.scores import PageScores
from broadsheet.evaluation.store import Store, hash_gold, hash_page
from broadsheet.page.decode import decode_page


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run."""

    limit: int | None = None  # pages of each file
    workers: int | None = None  # processes; None: one for each core
    with_memory: bool = True  # run a sample of pages once more, alone, to see the peak of memory


def run_evaluation(
    paths: Sequence[Path],
    lineup: Lineup,
    store: Store,
    options: RunOptions = RunOptions(),  # noqa: B008 - it is frozen
    on_page: Callable[[int], None] = lambda _: None,
) -> Results:
    """Compare all contenders on all pages. `on_page` is told how many pages are done."""
    run = datetime.now(UTC).isoformat(timespec="seconds")
    session = _Session(lineup.contenders, store, run, on_page)
    jobs = session.read_jobs(paths, options.limit)
    for done in run_jobs(jobs, options.workers or count_cores()):
        session.keep(done)
    store.save()
    memory = session.probe.measure(lineup.contenders, store) if options.with_memory else None
    return Results(
        contenders=lineup.contenders,
        pages=tuple(sorted(session.pages, key=lambda page: (page.dataset, page.id))),
        missing=lineup.missing,
        memory=memory,
        unscored=tuple(sorted(session.unscored)),
        answered=session.answered,
    )


def read_records(paths: Sequence[Path], limit: int | None = None) -> Iterator[tuple[Path, Record]]:
    """Pages of several files or folders, decoded; `limit` counts for each of them."""
    for path in paths:
        for record in islice(read_corpus(path), limit):
            if isinstance(record.html, bytes):
                yield path, replace(record, html=decode_page(record.html).text)
            else:
                yield path, record


def count_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Session:
    """One run: makes jobs of what the cache lacks, and gathers the results."""

    def __init__(self, contenders: Sequence[Contender], store: Store, run: str, on_page: Callable[[int], None]) -> None:
        self._contenders = contenders
        self._store = store
        self._run = run
        self._on_page = on_page
        self.pages: list[PageResult] = []
        self.unscored: list[str] = []
        self.answered = 0
        self.probe = MemoryProbe()

    def read_jobs(self, paths: Sequence[Path], limit: int | None) -> Iterator[Job]:
        """Jobs for what is not known; a page of which all is known goes straight to the results."""
        for path, record in read_records(paths, limit):
            self.probe.offer(record)
            job = self._make_job(record, str(path))
            if job.to_run or job.known:
                yield job
            else:
                self.keep(Done(job, {}, {}))

    def keep(self, done: Done) -> None:
        """Store what is new, and add the page to the results."""
        job = done.job
        for contender, answer in done.answers.items():
            self._store.add_answer(job.page, contender, answer, self._run)
        for contender, scores in done.scores.items():
            self._store.add_scores(job.page, job.gold, contender, scores)
        self.answered += len(done.answers)
        rows = {contender.name: row for contender in self._contenders if (row := self._make_row(done, contender))}
        if len(rows) == len(self._contenders):
            record = job.record
            place = (record.dataset, record.site, record.lang, record.year)
            self.pages.append(PageResult(record.id, job.path, *place, job.page, rows))
        else:
            self.unscored.append(job.record.id)
        count = len(self.pages) + len(self.unscored)
        if count % 50 == 0:
            self._store.save()
        self._on_page(count)

    def _make_job(self, record: Record, path: str) -> Job:
        page, gold = hash_page(record), hash_gold(record)
        to_run: list[Contender] = []
        known: dict[Contender, Answer] = {}
        for contender in self._contenders:
            found = self._store.find_answer(page, contender)
            if found is None:
                to_run.append(contender)
            elif self._store.find_scores(page, gold, contender) is None:
                known[contender] = found[0]
        return Job(record, path, page, gold, tuple(to_run), known)

    def _make_row(self, done: Done, contender: Contender) -> Row | None:
        found = self._store.find_answer(done.job.page, contender)
        scores: PageScores | None = self._store.find_scores(done.job.page, done.job.gold, contender)
        if found is None or scores is None:
            return None
        answer, run = found
        return Row(scores.columns, scores.mistakes, answer.seconds, answer.error, run)
