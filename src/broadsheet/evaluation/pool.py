"""Worker processes: each runs all contenders on a page, one after the other, and scores their answers.

A page is a job. The contenders take turns in being first (by a hash of the page, so that the order of pages does not
matter), since the first one warms the processor's caches for the others. A worker that dies or hangs costs one
contender one page: that answer counts as failed, and a new worker goes on with the rest of the job. A contender that
cannot even be opened, and never was before, gives no answers: the reason comes with the job.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from logging import CRITICAL, disable
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from threading import Timer

from broadsheet.corpora import Record
from broadsheet.evaluation.answer import Answer
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.extractors import Extractor, open_extractor
from broadsheet.evaluation.gold import read_gold
from broadsheet.evaluation.scores import PageScores, score_answer

PATIENCE = 120.0  # seconds for one contender on one page, scoring among them; then the worker is replaced
_SPAWN = multiprocessing.get_context("spawn")  # peers start threads: a forked copy of those would hang


@dataclass(frozen=True, slots=True)
class Job:
    """A page, who is to read it, and the answers that are known but not scored yet."""

    record: Record
    path: str  # file or folder that it comes from
    page: str  # fingerprints
    gold: str
    to_run: tuple[Contender, ...]
    known: Mapping[Contender, Answer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Done:
    """A job with its new answers and scores."""

    job: Job
    answers: Mapping[Contender, Answer]  # new ones
    scores: Mapping[Contender, PageScores]  # of new and of known ones
    unopened: Mapping[Contender, str] = field(default_factory=dict)  # who cannot be opened, and why


@dataclass(frozen=True, slots=True)
class _Opened:
    """A worker's word that the contender at hand is ready."""


@dataclass(frozen=True, slots=True)
class _NotOpened:
    """A worker's last word: it could not make the contender at hand ready."""

    error: str


def run_jobs(jobs: Iterator[Job], workers: int) -> Iterator[Done]:
    """Do jobs on several processes; they come back in any order. Only as many pages as workers are in memory."""
    opened: set[Contender] = set()
    crew = [_Worker(opened) for _ in range(workers)]
    try:
        idle = list(crew)
        while True:
            while idle and (job := next(jobs, None)):
                idle.pop().start(job)
            busy = {worker.connection: worker for worker in crew if worker.job}
            if not busy:
                return
            soonest = min(worker.deadline for worker in busy.values())
            ready = wait(list(busy), timeout=max(soonest - time.monotonic(), 0))
            late = [worker for worker in busy.values() if time.monotonic() > worker.deadline]
            for worker in {busy[connection] for connection in ready if isinstance(connection, Connection)} | {*late}:
                if done := worker.listen():
                    idle.append(worker)
                    yield done
    finally:
        for worker in crew:
            worker.close()


class _Worker:
    """The parent's end of a worker process."""

    def __init__(self, opened: set[Contender]) -> None:
        self.job: Job | None = None
        self.deadline = 0.0
        self.connection: Connection
        self._process: SpawnProcess | None = None
        self._left: list[Contender] = []
        self._answers: dict[Contender, Answer] = {}
        self._unopened: dict[Contender, str] = {}
        self._opened = opened  # by any worker so far

    def start(self, job: Job) -> None:
        """Send a job."""
        self.job, self._answers, self._unopened = job, {}, {}
        self._left = _take_turns(job)
        self._send()

    def listen(self) -> Done | None:
        """Take the next message, or give up on a worker that says nothing; the job, when it is done."""
        assert self.job is not None
        self.deadline = time.monotonic() + PATIENCE
        message: object = None
        try:
            if self.connection.poll():
                message = self.connection.recv()
        except (EOFError, OSError):
            pass
        if isinstance(message, dict):
            return self._finish(message)
        if isinstance(message, Answer):
            self._answers[self._left.pop(0)] = message
            return None
        if isinstance(message, _Opened):
            self._opened.add(self._left[0])
            return None
        return self._replace(message.error if isinstance(message, _NotOpened) else "killed its process, or hung")

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self.connection.close()
            self._process = None

    def _replace(self, error: str) -> Done | None:
        """Count the contender at work as failed and give the rest of the job to a new process."""
        assert self.job is not None
        self.close()
        if self._left:
            self._fail(error)
            self._send()
            return None
        return self._finish({})  # scoring itself broke: the page is left out, and counted

    def _fail(self, error: str) -> None:
        """Go on without an answer of the contender at work."""
        contender = self._left.pop(0)
        if contender in self._opened:
            self._answers[contender] = Answer(text="", seconds=PATIENCE, error=error, is_lost=True)
        else:
            self._unopened[contender] = error

    def _finish(self, scores: Mapping[Contender, PageScores]) -> Done:
        assert self.job is not None
        done = Done(self.job, self._answers, scores, self._unopened)
        self.job = None
        return done

    def _send(self) -> None:
        """Give what is left of the job to the process; to a new one, when that died while it had nothing to do."""
        if not self._try_send():
            self.close()
            self._try_send()  # a second failure is found by `listen`, as any death
        self.deadline = time.monotonic() + PATIENCE

    def _try_send(self) -> bool:
        assert self.job is not None
        process = self._process = self._process or self._start_process()
        timer = Timer(PATIENCE, process.kill)  # a process that does not read would hold up everybody
        timer.start()
        try:
            self.connection.send((self.job.record, tuple(self._left), {**self.job.known, **self._answers}))
        except OSError:
            return False
        finally:
            timer.cancel()
        return True

    def _start_process(self) -> SpawnProcess:
        self.connection, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=_work, args=(theirs,), daemon=True)
        process.start()
        theirs.close()
        return process


def _take_turns(job: Job) -> list[Contender]:
    contenders = list(job.to_run)
    first = int(job.page[:8], 16) % max(len(contenders), 1)
    return contenders[first:] + contenders[:first]


def _work(connection: Connection) -> None:
    """The worker's loop: answers as they come, then the scores of all."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    warnings.simplefilter("ignore")
    disable(CRITICAL)  # peers log every odd page
    extractors: dict[Contender, Extractor] = {}
    while True:
        try:
            record, to_run, known = connection.recv()
        except EOFError:
            return
        answers = dict(known)
        for contender in to_run:
            if contender not in extractors:
                try:
                    extractors[contender] = open_extractor(contender)
                except Exception as error:  # an import of others may raise anything: the parent reports it, once
                    connection.send(_NotOpened(f"{type(error).__name__}: {error}"[:300]))
                    return
                connection.send(_Opened())
            answers[contender] = extractors[contender](record.html, record.url, record.lang)
            connection.send(answers[contender])
        gold = read_gold(record)
        connection.send(
            {contender: score_answer(gold, answer, fields=contender.fields) for contender, answer in answers.items()}
        )
