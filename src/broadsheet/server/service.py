"""Service: the parts that all routes share."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

from broadsheet.article import Status
from broadsheet.server.admission import Gate
from broadsheet.server.extractor import Extractor, TimedAnswer
from broadsheet.server.fetching import Fetcher
from broadsheet.server.metrics import Metrics
from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import ServerSettings
from broadsheet.server.tasks import PageTask

ResultT = TypeVar("ResultT")
# HTTP status of an article that could not be extracted
_FAILURE_CODES = {Status.FAILED.value: 422, Status.TIMEOUT.value: 504}


class Service:
    """Settings, worker processes, downloads and metrics of one application."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.gate = Gate(settings.workers + settings.max_waiting, settings.workers)
        self.extractor = Extractor(settings, self.gate.record_seconds)
        self.fetcher = Fetcher(settings)
        self.metrics = Metrics(self.gate, self.extractor, settings.workers)

    async def start(self) -> None:
        """Start the worker processes. Raises WorkerStartError."""
        await self.extractor.start()

    async def extract(self, task: PageTask) -> TimedAnswer:
        """Extract a page and count it."""
        timed = await self.extractor.run(task)
        self.metrics.count_answer(timed)
        return timed

    async def close(self) -> None:
        """Stop all processes."""
        self.gate.is_closed = self.fetcher.gate.is_closed = True
        await self.extractor.close()


def check_answer(timed: TimedAnswer) -> None:
    """Raise Refusal (422 or 504) for a page that could not be extracted."""
    answer = timed.answer
    if code := _FAILURE_CODES.get(answer.status):
        raise Refusal(code, answer.reason or Status(answer.status).meaning, status=answer.status)


async def wait_unless_gone(request: Request, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Wait for a result. If the client closes the connection, cancel the work and raise ClientDisconnect."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_wait_until_gone(request))
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientDisconnect
    finally:
        gone.cancel()
        task.cancel()


async def _wait_until_gone(request: Request) -> None:
    """Wait for the end of the connection. The whole body has been read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
