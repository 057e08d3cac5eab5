"""Extractor: passes jobs from the event loop to the worker processes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from broadsheet.article import Status
from broadsheet.errors import BroadsheetError
from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import ServerSettings
from broadsheet.server.worker import Answer, Job, ServiceWorker, make_failed_answer
from broadsheet.workers.pool import WorkerPool


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """An answer, and where its time went."""

    answer: Answer
    wait_seconds: float  # for an idle worker
    work_seconds: float


class Extractor:
    """The worker processes of the service."""

    def __init__(self, settings: ServerSettings, record_seconds: Callable[[float], None]) -> None:
        self._settings = settings
        self._record_seconds = record_seconds
        self._workers = [
            ServiceWorker(settings.options, allows_render=settings.allows_render) for _ in range(settings.workers)
        ]
        self._pool = WorkerPool(self._workers, name="broadsheet-server")

    async def start(self) -> None:
        """Start all processes. Raises WorkerStartError if one does not start."""
        await asyncio.gather(*(asyncio.to_thread(worker.start) for worker in self._workers))

    async def close(self) -> None:
        """Stop all processes."""
        await asyncio.to_thread(self._pool.__exit__, None, None, None)

    @property
    def pids(self) -> list[int]:
        """Ids of the processes that are running."""
        return [pid for worker in self._workers if (pid := worker.pid) is not None]

    @property
    def loss_count(self) -> int:
        """How many processes were lost so far."""
        return sum(worker.loss_count for worker in self._workers)

    async def run(self, job: Job) -> TimedAnswer:
        """Do a job. After `answer_seconds` the answer has the status "timeout"; a job that waits is dropped."""
        submitted = time.monotonic()
        future = self._pool.submit(_run_timed, job)
        try:
            async with asyncio.timeout(self._settings.answer_seconds):
                timed, started = await asyncio.wrap_future(future)
        except TimeoutError:
            reason = f"no answer within {self._settings.answer_seconds:g} seconds; try again later"
            answer = make_failed_answer(job, self._settings.options, reason, Status.TIMEOUT)
            return TimedAnswer(answer, time.monotonic() - submitted, 0.0)
        except BroadsheetError as error:  # no process starts, or the service is stopping
            raise Refusal(503, f"{error}; try again later", headers={"Retry-After": "5"}) from error
        self._record_seconds(timed.work_seconds)
        return TimedAnswer(timed.answer, started - submitted, timed.work_seconds)


def _run_timed(worker: ServiceWorker, job: Job) -> tuple[TimedAnswer, float]:
    """Do a job in a thread of the pool. Return the answer and when the work was started."""
    started = time.monotonic()
    answer = worker.run(job)
    return TimedAnswer(answer, 0.0, time.monotonic() - started), started
