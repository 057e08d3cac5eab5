"""Run contenders over labelled pages: what is known is read from the cache, the rest is done on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from broadsheet.cores import count_cores
from broadsheet.corpora import Record, read_corpus
from broadsheet.errors import BroadsheetError
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
    """Compare all contenders on all pages. `on_page` is told how many pages are done.

    A contender that cannot be opened is left out, with a line in `missing`; BroadsheetError when none is left.
    """
    run = datetime.now(UTC).isoformat(timespec="seconds")
    session = _Session(lineup.contenders, store, run, on_page)
    jobs = session.read_jobs(paths, options.limit)
    for done in run_jobs(jobs, options.workers or count_cores()):
        session.keep(done)
    contenders = session.contenders
    if lineup.contenders and not contenders:
        raise BroadsheetError("; ".join(session.say_unopened()))
    memory = session.probe.measure(contenders, store) if options.with_memory else None
    return Results(
        contenders=contenders,
        pages=session.sort_pages(),
        missing=(*lineup.missing, *session.say_unopened()),
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


class _Session:
    """One run: makes jobs of what the cache lacks, and gathers the results."""

    def __init__(self, contenders: Sequence[Contender], store: Store, run: str, on_page: Callable[[int], None]) -> None:
        self._all = contenders
        self._store = store
        self._run = run
        self._on_page = on_page
        self._unopened: dict[Contender, str] = {}
        self._pages: list[PageResult] = []
        self.unscored: list[str] = []
        self.answered = 0
        self.probe = MemoryProbe()

    @property
    def contenders(self) -> tuple[Contender, ...]:
        """Those that could be opened, as far as is known."""
        return tuple(contender for contender in self._all if contender not in self._unopened)

    def say_unopened(self) -> list[str]:
        """A line for each contender that is left out."""
        return [f"{who.name} could not be opened and was skipped: {error}" for who, error in self._unopened.items()]

    def sort_pages(self) -> tuple[PageResult, ...]:
        """The results in an order that does not depend on who was done first."""
        names = [contender.name for contender in self.contenders]
        pages = (replace(page, rows={name: page.rows[name] for name in names}) for page in self._pages)
        return tuple(sorted(pages, key=lambda page: (page.dataset, page.id, page.path, page.page)))

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
        self._unopened.update(done.unopened)
        for contender, answer in done.answers.items():
            self._store.add_answer(job.page, contender, answer, self._run)
        for contender, scores in done.scores.items():
            self._store.add_scores(job.page, job.gold, contender, scores)
        self.answered += len(done.answers)
        rows = {contender.name: row for contender in self.contenders if (row := self._make_row(done, contender))}
        if len(rows) == len(self.contenders):
            record = job.record
            place = (record.dataset, record.site, record.lang, record.year)
            self._pages.append(PageResult(record.id, job.path, *place, job.page, rows))
        else:
            self.unscored.append(job.record.id)
        self._on_page(len(self._pages) + len(self.unscored))

    def _make_job(self, record: Record, path: str) -> Job:
        page, gold = hash_page(record), hash_gold(record)
        to_run: list[Contender] = []
        known: dict[Contender, Answer] = {}
        for contender in self.contenders:
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
