"""Evaluation in worker processes: each runs all contenders on a page, one after the other, and scores their answers.

A page is a task. The contenders rotate (by a hash of the page, so that the order of pages does not matter), because the
first one warms the processor's caches for the others. A worker that dies or hangs costs one contender one page: that
answer counts as failed, and a new worker continues with the rest of the task. A contender that no worker could open
gives no answers: the reason is part of the result.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from logging import CRITICAL, disable
from typing import Any

from broadsheet.corpora import Record
from broadsheet.evaluation.answer import MAX_ERROR_CHARS, Answer
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.extractors import Extractor, open_extractor
from broadsheet.evaluation.gold import read_gold
from broadsheet.evaluation.scores import PageScores, score_answer
from broadsheet.workers.child import describe_error
from broadsheet.workers.pool import WorkerPool
from broadsheet.workers.process import Handler, WorkerLost, WorkerProcess

PAGE_SECONDS = 120.0  # for one contender on one page, or the scores of a page; then the worker is replaced


@dataclass(frozen=True, slots=True)
class Task:
    """A page, the contenders to run on it, and the cached answers that have no scores yet."""

    record: Record
    path: str  # file or folder from which it was read
    page_hash: str
    gold_hash: str
    to_run: tuple[Contender, ...]
    unscored: Mapping[Contender, Answer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A task with the new answers and scores."""

    task: Task
    answers: Mapping[Contender, Answer]  # new ones
    scores: Mapping[Contender, PageScores]  # of new and of cached answers
    unopened: Mapping[Contender, str] = field(default_factory=dict)  # contenders that cannot be opened, and why


# Requests to the worker process. Each has one response.


@dataclass(frozen=True, slots=True)
class _SetPage:
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


def run_tasks(tasks: Iterator[Task], workers: int) -> Iterator[TaskResult]:
    """Run tasks in several processes and yield results in any order. At most one page per worker is in memory."""
    opened: set[Contender] = set()
    pending: set[Future[TaskResult]] = set()
    with WorkerPool([_EvaluationWorker(opened) for _ in range(workers)], name="broadsheet-eval") as pool:
        for task in tasks:
            pending.add(pool.submit(_EvaluationWorker.run, task))
            if len(pending) >= workers:
                finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        while pending:
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in finished)


class _EvaluationWorker:
    """A worker process that runs tasks, and is replaced when it dies or hangs."""

    def __init__(self, opened: set[Contender]) -> None:
        self._process = WorkerProcess(Handler(__name__, open_handler.__name__))
        self._opened = opened  # contenders that any worker has opened
        self._has_page = False  # whether the process holds the page of the task

    def run(self, task: Task) -> TaskResult:
        """Run all contenders of a task, then score their answers."""
        answers: dict[Contender, Answer] = {}
        unopened: dict[Contender, str] = {}
        self._has_page = False
        for contender in _rotate_contenders(task):
            try:
                answers[contender] = self._run_contender(task, contender)
            except _NotOpened as error:
                unopened[contender] = str(error)
        try:
            scores = self._ask(task, _Score({**task.unscored, **answers}))
        except WorkerLost:  # scoring failed: the page is left out, and counted
            scores = {}
        return TaskResult(task, answers, scores, unopened)

    def stop(self) -> None:
        """Kill the process; a task in progress in another thread ends."""
        self._process.stop()

    def close(self) -> None:
        """Release the process."""
        self._process.close()

    def _run_contender(self, task: Task, contender: Contender) -> Answer:
        """Open and run a contender. If the process is lost, so is the answer. Raises _NotOpened."""
        try:
            error = self._ask(task, _Open(contender))
            if error is None:
                self._opened.add(contender)
                answer: Answer = self._ask(task, _Run(contender))
                return answer
        except WorkerLost as lost:
            error = str(lost)[:MAX_ERROR_CHARS]
        if contender in self._opened:
            return Answer(text="", seconds=PAGE_SECONDS, error=error, is_lost=True)
        raise _NotOpened(error)

    def _ask(self, task: Task, request: object) -> Any:
        """Send a request, and first the page if the process does not have it."""
        if not (self._has_page and self._process.is_running):
            self._send_page(task)
        try:
            (response,) = self._process.ask(request, PAGE_SECONDS)
        except WorkerLost:
            self._has_page = False
            raise
        return response

    def _send_page(self, task: Task) -> None:
        try:
            list(self._process.ask(_SetPage(task.record), PAGE_SECONDS))
        except WorkerLost:  # it may have died while it was idle
            list(self._process.ask(_SetPage(task.record), PAGE_SECONDS))
        self._has_page = True


class _NotOpened(Exception):
    """A contender could not be opened, and no worker has opened it before."""


def _rotate_contenders(task: Task) -> list[Contender]:
    contenders = list(task.to_run)
    first = int(task.page_hash[:8], 16) % max(len(contenders), 1)
    return contenders[first:] + contenders[:first]


def open_handler() -> Callable[[object], Iterable[object]]:
    """Return the handler of an evaluation worker. Called in the process."""
    warnings.simplefilter("ignore")
    disable(CRITICAL)  # peers log warnings about many pages
    return _Session().handle


class _Session:
    """The state of a worker process: open contenders, and the current page."""

    def __init__(self) -> None:
        self._extractors: dict[Contender, Extractor] = {}
        self._record: Record | None = None

    def handle(self, request: object) -> Iterable[object]:
        match request:
            case _SetPage(record):
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
            except Exception as error:  # an import may raise any error: the caller reports it once
                return describe_error(error)[:MAX_ERROR_CHARS]
        return None

    def _run(self, contender: Contender) -> Answer:
        assert self._record is not None
        record = self._record
        return self._extractors[contender](str(record.html), record.url, record.lang)

    def _score(self, answers: Mapping[Contender, Answer]) -> dict[Contender, PageScores]:
        assert self._record is not None
        gold = read_gold(self._record)
        return {contender: score_answer(gold, answer, fields=contender.fields) for contender, answer in answers.items()}
