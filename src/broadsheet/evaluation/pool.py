"""Evaluation in worker processes: each runs all contenders on a page, one after the other, and scores their answers.

A page is a task. The contenders rotate (by a hash of the page, so that the order of pages does not matter), because the
first one warms the processor's caches for the others. A worker that dies or hangs costs one contender one page: that
answer counts as failed, and a new worker continues with the rest of the task. A contender that no worker could open
gives no answers: the reason is part of the result.
"""
# ruff: noqa: ARG002 - the signatures are those of workers.supervisor.Task

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import partial
from logging import CRITICAL, disable

from broadsheet.corpora import Record
from broadsheet.evaluation.answer import MAX_ERROR_CHARS, Answer
from broadsheet.evaluation.contenders import Contender, Extractor, open_extractor
from broadsheet.evaluation.scores import PageScores, read_gold, score_answer
from broadsheet.workers.child import describe_error
from broadsheet.workers.process import Loss, WorkerLost
from broadsheet.workers.supervisor import Supervisor, Worker

PAGE_SECONDS = 120.0  # for one contender on one page, or the scores of a page; then the worker is replaced

Extractors = dict[Contender, Extractor]  # the open contenders of a process
Scores = dict[Contender, PageScores]


@dataclass(frozen=True, slots=True)
class EvalTask:
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

    task: EvalTask
    answers: Mapping[Contender, Answer]  # new ones
    scores: Mapping[Contender, PageScores]  # of new and of cached answers
    unopened: Mapping[Contender, str] = field(default_factory=dict)  # contenders that cannot be opened, and why


def run_tasks(tasks: Iterator[EvalTask], workers: int) -> Iterator[TaskResult]:
    """Run tasks in several processes and yield results in any order. At most one page per worker is in memory."""
    pending: set[Future[TaskResult]] = set()
    with Supervisor(open_state, None, workers, name="broadsheet-eval") as supervisor:
        for task in tasks:
            pending.add(supervisor.call(partial(_run_page, task=task)))
            if len(pending) >= workers:
                finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in finished)
        while pending:
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in finished)


def _run_page(worker: Worker[None, Extractors], task: EvalTask) -> TaskResult:
    """Run all contenders of a task, then score their answers."""
    answers: dict[Contender, Answer] = {}
    unopened: dict[Contender, str] = {}
    contenders = _rotate_contenders(task)
    results: list[Answer | _NoAnswer] = worker.run(_RunContenders(task.record, contenders))
    for contender, result in zip(contenders, results, strict=True):
        if isinstance(result, Answer):
            answers[contender] = result
        elif result.is_unopened:
            unopened[contender] = result.reason
        else:
            answers[contender] = Answer(text="", seconds=PAGE_SECONDS, error=result.reason, is_lost=True)
    (scores,) = worker.run(_ScoreAnswers(task.record, {**task.unscored, **answers}))
    return TaskResult(task, answers, scores, unopened)


def _rotate_contenders(task: EvalTask) -> tuple[Contender, ...]:
    first = int(task.page_hash[:8], 16) % max(len(task.to_run), 1)
    return task.to_run[first:] + task.to_run[:first]


def open_state(_: None) -> Extractors:
    """Return the extractors of a process: none yet."""
    warnings.simplefilter("ignore")
    disable(CRITICAL)  # peers log warnings about many pages
    return {}


@dataclass(frozen=True, slots=True)
class _NoAnswer:
    """A contender cannot be opened, or the process was lost."""

    reason: str
    is_unopened: bool = False


@dataclass(frozen=True, slots=True)
class _Steps:
    """What the tasks of a page share. A step on which a process was lost is not tried again."""

    record: Record

    def find_seconds(self, settings: None, attempt: int) -> float:
        return PAGE_SECONDS

    def count_pages(self, result: object) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class _RunContenders(_Steps):
    """Run contenders on a page."""

    contenders: tuple[Contender, ...]

    @property
    def step_count(self) -> int:
        return len(self.contenders)

    def run(self, state: Extractors, steps: range, attempt: int) -> Iterator[Answer | _NoAnswer | None]:
        record = self.record
        for contender in self.contenders[steps.start : steps.stop]:
            if error := _open(state, contender):
                yield _NoAnswer(error, is_unopened=True)
                continue
            yield None  # the page has a time limit of its own
            yield state[contender](str(record.html), record.url, record.lang)

    def fail(self, settings: None, step: int, lost: WorkerLost, attempt: int) -> Answer | _NoAnswer | None:
        if step == 0 and attempt == 1 and lost.loss is Loss.DIED:
            return None  # it may have died while it was idle
        return _NoAnswer(str(lost)[:MAX_ERROR_CHARS])


@dataclass(frozen=True, slots=True)
class _ScoreAnswers(_Steps):
    """Score answers against the gold labels of a page."""

    answers: Mapping[Contender, Answer]

    @property
    def step_count(self) -> int:
        return 1

    def run(self, state: Extractors, steps: range, attempt: int) -> Iterator[Scores]:
        gold = read_gold(self.record)
        yield {
            contender: score_answer(gold, answer, fields=contender.fields) for contender, answer in self.answers.items()
        }

    def fail(self, settings: None, step: int, lost: WorkerLost, attempt: int) -> Scores | None:
        if attempt == 1 and lost.loss is Loss.DIED:
            return None  # it may have died while it was idle
        return {}  # the page is left out, and counted


def _open(extractors: Extractors, contender: Contender) -> str | None:
    """Load a contender, unless it is loaded. Return the error."""
    if contender not in extractors:
        try:
            extractors[contender] = open_extractor(contender)
        except Exception as error:  # an import may raise any error: the caller reports it once
            return describe_error(error)[:MAX_ERROR_CHARS]
    return None
