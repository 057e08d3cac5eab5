"""Evaluation in worker processes: each runs all contenders on a page, one after the other, and scores their answers.

A page is a job. The contenders rotate (by a hash of the page, so that the order of pages does not matter), since the
first one warms the processor's caches for the others. A worker that dies or hangs costs one contender one page: that
answer counts as failed, and a new worker continues with the rest of the job. A contender that cannot be opened, and
never was before, gives no answers: the reason comes with the job.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from logging import CRITICAL, disable
from queue import SimpleQueue
from typing import Any

from broadsheet.corpora import Record
from broadsheet.evaluation.answer import Answer
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.extractors import Extractor, open_extractor
from broadsheet.evaluation.gold import read_gold
from broadsheet.evaluation.scores import PageScores, score_answer
from broadsheet.workers.process import Handler, WorkerLost, WorkerProcess

PAGE_SECONDS = 120.0  # for one contender on one page, or the scores of a page; then the worker is replaced
_MAX_ERROR_CHARS = 300


@dataclass(frozen=True, slots=True)
class Job:
    """A page, the contenders to run on it, and the answers that are cached but not scored yet."""

    record: Record
    path: str  # file or folder that it comes from
    page: str  # hash of the page
    gold: str  # hash of its gold labels
    to_run: tuple[Contender, ...]
    known: Mapping[Contender, Answer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Done:
    """A job with its new answers and scores."""

    job: Job
    answers: Mapping[Contender, Answer]  # new ones
    scores: Mapping[Contender, PageScores]  # of new and of cached ones
    unopened: Mapping[Contender, str] = field(default_factory=dict)  # contenders that cannot be opened, and why


# Requests to the worker process. Each has one response.


@dataclass(frozen=True, slots=True)
class _ReadPage:
    """Keep the page for the requests that follow. Response: None."""

    record: Record


@dataclass(frozen=True, slots=True)
class _Open:
    """Load a contender, unless it is loaded. Response: None, or the error."""

    contender: Contender


@dataclass(frozen=True, slots=True)
class _Run:
    """Run an open contender on the page. Response: its Answer."""

    contender: Contender


@dataclass(frozen=True, slots=True)
class _Score:
    """Score answers against the gold labels of the page. Response: the scores by contender."""

    answers: Mapping[Contender, Answer]


def run_jobs(jobs: Iterator[Job], workers: int) -> Iterator[Done]:
    """Run jobs in several processes and yield them in any order. Only as many pages as workers are in memory."""
    opened: set[Contender] = set()
    crew = [_EvaluationWorker(opened) for _ in range(workers)]
    idle: SimpleQueue[_EvaluationWorker] = SimpleQueue()
    for worker in crew:
        idle.put(worker)

    def run(job: Job) -> Done:
        worker = idle.get()
        try:
            return worker.run(job)
        finally:
            idle.put(worker)

    pool = ThreadPoolExecutor(workers, thread_name_prefix="broadsheet-eval")
    pending: set[Future[Done]] = set()
    try:
        for job in jobs:
            pending.add(pool.submit(run, job))
            if len(pending) >= workers:
                finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        while pending:
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in finished)
    finally:
        for worker in crew:
            worker.stop()
        pool.shutdown(cancel_futures=True)
        for worker in crew:
            worker.close()


class _EvaluationWorker:
    """A worker process that runs jobs, and is replaced when it dies or hangs."""

    def __init__(self, opened: set[Contender]) -> None:
        self._process = WorkerProcess(Handler(__name__, open_handler.__name__))
        self._opened = opened  # contenders that any worker has opened
        self._has_page = False  # whether the process holds the page of the job

    def run(self, job: Job) -> Done:
        """Run all contenders of a job, then score their answers."""
        answers: dict[Contender, Answer] = {}
        unopened: dict[Contender, str] = {}
        self._has_page = False
        for contender in _rotate(job):
            try:
                answers[contender] = self._run_contender(job, contender)
            except _NotOpened as error:
                unopened[contender] = str(error)
        try:
            scores = self._ask(job, _Score({**job.known, **answers}))
        except WorkerLost:  # scoring itself failed: the page is left out, and counted
            scores = {}
        return Done(job, answers, scores, unopened)

    def stop(self) -> None:
        """Kill the process; a job in progress in another thread ends."""
        self._process.stop()

    def close(self) -> None:
        """Release the process."""
        self._process.close()

    def _run_contender(self, job: Job, contender: Contender) -> Answer:
        """Open and run a contender. A process that is lost is a lost answer. Raises _NotOpened."""
        try:
            error = self._ask(job, _Open(contender))
            if error is None:
                self._opened.add(contender)
                answer: Answer = self._ask(job, _Run(contender))
                return answer
        except WorkerLost as lost:
            error = f"its process {lost}"
        if contender in self._opened:
            return Answer(text="", seconds=PAGE_SECONDS, error=error, is_lost=True)
        raise _NotOpened(error)

    def _ask(self, job: Job, request: object) -> Any:
        """Send a request, and before it the page, if the process is new or died while it was idle."""
        if not self._has_page:
            self._send_page(job)
        try:
            (response,) = self._process.ask(request, PAGE_SECONDS)
        except WorkerLost:
            self._has_page = False
            raise
        return response

    def _send_page(self, job: Job) -> None:
        try:
            list(self._process.ask(_ReadPage(job.record), PAGE_SECONDS))
        except WorkerLost:  # it may have died while it was idle
            list(self._process.ask(_ReadPage(job.record), PAGE_SECONDS))
        self._has_page = True


class _NotOpened(Exception):
    """A contender could not be opened, and no worker has opened it before."""


def _rotate(job: Job) -> list[Contender]:
    contenders = list(job.to_run)
    first = int(job.page[:8], 16) % max(len(contenders), 1)
    return contenders[first:] + contenders[:first]


def open_handler() -> Callable[[object], Iterable[object]]:
    """Return the handler of an evaluation worker. Called in the process."""
    warnings.simplefilter("ignore")
    disable(CRITICAL)  # peers log every odd page
    return _Session().handle


class _Session:
    """The state of a worker process: open contenders, and the page at hand."""

    def __init__(self) -> None:
        self._extractors: dict[Contender, Extractor] = {}
        self._record: Record | None = None

    def handle(self, request: object) -> Iterable[object]:
        match request:
            case _ReadPage(record):
                self._record = record
                return [None]
            case _Open(contender):
                return [self._open(contender)]
            case _Run(contender):
                return [self._run(contender)]
            case _Score(answers):
                return [self._score(answers)]
            case _:
                raise TypeError(f"unknown request {request!r:.80}")

    def _open(self, contender: Contender) -> str | None:
        if contender not in self._extractors:
            try:
                self._extractors[contender] = open_extractor(contender)
            except Exception as error:  # an import may raise anything: the caller reports it once
                return f"{type(error).__name__}: {error}"[:_MAX_ERROR_CHARS]
        return None

    def _run(self, contender: Contender) -> Answer:
        assert self._record is not None
        record = self._record
        return self._extractors[contender](str(record.html), record.url, record.lang)

    def _score(self, answers: Mapping[Contender, Answer]) -> dict[Contender, PageScores]:
        assert self._record is not None
        gold = read_gold(self._record)
        return {who: score_answer(gold, answer, fields=who.fields) for who, answer in answers.items()}
