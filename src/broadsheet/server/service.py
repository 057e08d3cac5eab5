"""Service: the parts that all routes share: worker processes, downloads, metrics."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from starlette.requests import ClientDisconnect, Request

from broadsheet.article import Status
from broadsheet.errors import BroadsheetError, FetchError
from broadsheet.options import ExtractOptions
from broadsheet.server.access import Gate, find_held_bytes
from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import ServerSettings
from broadsheet.server.tasks import PageAnswer, PageTask, RequestTask, open_state
from broadsheet.web import FetchedPage, fetch_sheets
from broadsheet.web.failure import FetchFailure, find_failure
from broadsheet.web.fetch import fetch_guarded, fetch_robots
from broadsheet.web.loop_thread import HTTP_THREAD
from broadsheet.web.robots import RobotsCache
from broadsheet.workers.supervisor import Supervisor, Worker

ResultT = TypeVar("ResultT")
# HTTP status of an article that could not be extracted
_FAILURE_CODES = {Status.FAILED.value: 422, Status.TIMEOUT.value: 504}
_SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60)
_WAITING_PER_FETCHER = 4
_MEAN_FETCH_SECONDS = 1.0
_SHEET_SECONDS = 6.0  # for all style sheets of a page
_MAX_SHEET_BYTES = 3_000_000
_CODES = {FetchFailure.REFUSED: 403, FetchFailure.LATE: 504, FetchFailure.TOO_LARGE: 413, FetchFailure.OTHER: 502}


class Service:
    """Settings, worker processes, downloads and metrics of one application."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.gate = Gate(
            settings.workers + settings.max_waiting,
            settings.workers,
            client_share=settings.max_client_share,
            max_held_bytes=find_held_bytes(settings.max_body_bytes),
        )
        self.extractor = Extractor(settings, self.gate.record_seconds)
        self.fetcher = Fetcher(settings)
        self.metrics = Metrics(self.gate, self.extractor, settings.workers)

    async def start(self) -> None:
        """Start the worker processes. Raises WorkerStartError."""
        await self.extractor.start()

    async def extract(self, task: PageTask | RequestTask) -> TimedAnswer:
        """Extract a page and count it."""
        timed = await self.extractor.run(task)
        if not timed.answer.code:
            self.metrics.count_answer(timed)
        return timed

    async def close(self) -> None:
        """Stop all processes."""
        self.gate.is_closed = self.fetcher.gate.is_closed = True
        await self.extractor.close()


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """An answer, and where its time went."""

    answer: PageAnswer
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

    async def run(self, task: PageTask | RequestTask) -> TimedAnswer:
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
            answer = await asyncio.to_thread(task.make_failed, self._settings.options, reason, Status.TIMEOUT)
            return TimedAnswer(answer, time.monotonic() - submitted, 0.0)
        except BroadsheetError as error:  # no process starts, or the service is stopping
            raise Refusal(503, f"{error}; try again later", headers={"Retry-After": "5"}) from error
        self._record_seconds(timed.work_seconds)
        return timed


class Fetcher:
    """Downloads pages through the address guard, as robots.txt allows, a bounded number at a time.

    Its gate is separate: slow sites do not block other requests. Downloads run in the thread of `web`, because a large
    body or robots.txt would keep the event loop of the service busy.
    """

    def __init__(self, settings: ServerSettings) -> None:
        lanes = max(settings.fetchers, 1)
        self.gate = Gate(settings.fetchers * (1 + _WAITING_PER_FETCHER), lanes, client_share=settings.max_client_share)
        self.gate.record_seconds(_MEAN_FETCH_SECONDS)
        self._guard = guard = replace(settings.guard, extra_ports=frozenset(settings.fetch_ports))
        self._robots = RobotsCache(partial(fetch_robots, guard=guard)) if settings.respects_robots else None
        self._limits = replace(settings.options.limits, max_bytes=settings.max_body_bytes)
        self._slots = asyncio.Semaphore(max(settings.fetchers, 1))

    async def fetch(self, address: str) -> FetchedPage:
        """Fetch a page. Raises Refusal: 403, 413, 422, 502 or 504."""
        async with self._slots:
            work = fetch_guarded(address, limits=self._limits, guard=self._guard, robots=self._robots)
            try:
                return await asyncio.wrap_future(HTTP_THREAD.submit(work))
            except FetchError as error:
                raise Refusal(_CODES[find_failure(error)], str(error)) from error

    async def fetch_sheets(self, page: FetchedPage) -> dict[str, str]:
        """Fetch the style sheets of a page, as far as they come within a few seconds: address -> CSS."""
        limits = replace(self._limits, max_seconds=_SHEET_SECONDS, max_bytes=_MAX_SHEET_BYTES)
        fetch = partial(fetch_sheets, limits=limits, guard=self._guard, robots=self._robots)
        async with self._slots:
            return await asyncio.to_thread(fetch, page.html, page.url)


class Metrics:
    """Counters of one service, in a registry of their own."""

    def __init__(self, gate: Gate, extractor: Extractor, workers: int) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.requests = Counter(
            "broadsheet_requests", "Requests by path and HTTP status.", ["path", "code"], registry=registry
        )
        self.seconds = Histogram(
            "broadsheet_request_seconds", "Seconds from the request line to the end of the answer.", ["path"],
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._articles = Counter("broadsheet_articles", "Extracted pages by status.", ["status"], registry=registry)
        self._wait = Histogram(
            "broadsheet_wait_seconds", "Seconds a page waited for a worker.", buckets=_SECONDS, registry=registry
        )
        self._work = Histogram(
            "broadsheet_extract_seconds", "Seconds a worker took for a page.", buckets=_SECONDS, registry=registry
        )
        self._add_gauge("broadsheet_requests_inside", "Requests being read, waiting or processed.", lambda: gate.inside)
        self._add_gauge("broadsheet_requests_inside_max", "Requests beyond this are refused.", lambda: gate.max_inside)
        self._add_gauge("broadsheet_workers", "Worker processes.", lambda: workers)
        self._add_gauge("broadsheet_workers_lost", "Worker processes that were lost.", lambda: extractor.loss_count)

    def count_answer(self, timed: TimedAnswer) -> None:
        """Count an extracted page."""
        self._articles.labels(timed.answer.status).inc()
        self._wait.observe(timed.wait_seconds)
        self._work.observe(timed.work_seconds)

    def write(self) -> bytes:
        """Return all metrics as text."""
        return generate_latest(self._registry)

    def _add_gauge(self, name: str, text: str, read: object) -> None:
        Gauge(name, text, registry=self._registry).set_function(read)  # type: ignore[arg-type]


def check_answer(timed: TimedAnswer) -> None:
    """Raise Refusal for a request that the worker process refused, or for a page that could not be extracted."""
    answer = timed.answer
    if answer.code:
        raise Refusal(answer.code, answer.reason)
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
