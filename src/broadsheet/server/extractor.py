"""Extractor: passes tasks from the event loop to the worker processes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from broadsheet.article import Status
from broadsheet.errors import BroadsheetError
from broadsheet.options import ExtractOptions
from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import ServerSettings
from broadsheet.server.tasks import Answer, PageTask, make_failed_answer, open_state
from broadsheet.workers.supervisor import Supervisor, Worker


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """An answer, and where its time went."""

    answer: Answer
    wait_seconds: float  # for an idle worker
    work_seconds: float


class Extractor:
    """The worker processes of the service."""

    def __init__(self, settings: ServerSettings, record_seconds: Callable[[float], None]) -> None:
        options = settings.options
        memory = None if settings.allows_render else options.limits.max_memory
        self._settings = settings
        self._record_seconds = record_seconds
        self._supervisor = Supervisor(
            open_state, options, settings.workers, extra_memory=memory, name="broadsheet-server"
        )

    async def start(self) -> None:
        """Start all processes. Raises WorkerStartError if one does not start."""
        await asyncio.gather(*(asyncio.to_thread(worker.start) for worker in self._supervisor.workers))

    async def close(self) -> None:
        """Stop all processes."""
        await asyncio.to_thread(self._supervisor.close)

    @property
    def pids(self) -> list[int]:
        """Ids of the processes that are running."""
        return [pid for worker in self._supervisor.workers if (pid := worker.process.pid) is not None]

    @property
    def loss_count(self) -> int:
        """How many processes were lost so far."""
        return sum(worker.loss_count for worker in self._supervisor.workers)

    async def run(self, task: PageTask) -> TimedAnswer:
        """Do a task. After `answer_seconds` the answer has the status "timeout"; a task that waits is dropped."""
        submitted = time.monotonic()

        def run_timed(worker: Worker[ExtractOptions, ExtractOptions]) -> TimedAnswer:
            started = time.monotonic()
            (answer,) = worker.run(task)
            return TimedAnswer(answer, started - submitted, time.monotonic() - started)

        future = self._supervisor.call(run_timed)
        try:
            async with asyncio.timeout(self._settings.answer_seconds):
                timed = await asyncio.wrap_future(future)
        except TimeoutError:
            reason = f"no answer within {self._settings.answer_seconds:g} seconds; try again later"
            answer = make_failed_answer(task, self._settings.options, reason, Status.TIMEOUT)
            return TimedAnswer(answer, time.monotonic() - submitted, 0.0)
        except BroadsheetError as error:  # no process starts, or the service is stopping
            raise Refusal(503, f"{error}; try again later", headers={"Retry-After": "5"}) from error
        self._record_seconds(timed.work_seconds)
        return timed
