"""A worker process of the service: jobs in, records as JSON out. The process writes the JSON, not the event loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from broadsheet.api import extract
from broadsheet.article import Article, Status
from broadsheet.article.lazy import find_reason
from broadsheet.options import ExtractOptions
from broadsheet.output.record import dump_json
from broadsheet.page_input import PageInput
from broadsheet.site import Site
from broadsheet.workers.extraction import PAGES_PER_PROCESS, extract_page, make_failed
from broadsheet.workers.process import Handler, Loss, WorkerLost, WorkerProcess, WorkerStartError

# Extraction checks its time limit itself. A page that hangs in a library is killed this many seconds later.
_GRACE_SECONDS = 1.0
_MAX_ATTEMPTS = 3
_START_SECONDS = 10.0  # for the first request; loading the method has its own, longer limit
_FIRST_PAGE = "<title>Title</title><h1>Title</h1><p>Text, written on 16 March 2024.</p>"
_NICENESS = 5  # lower priority than the event loop, which then answers /health and refusals at once under full load
_MAX_SITES = 32  # kept in the memory of a process


class Job(NamedTuple):
    """A page, and the options of its request."""

    page: PageInput
    charset: str | None = None
    changes: Mapping[str, Any] | None = None  # of the options of the service
    site: Path | None = None  # a saved site
    max_seconds: float | None = None
    target: str = ""  # "module:function" to call instead of an extraction, with the job and the options
    arguments: tuple[object, ...] = ()  # for that function


class Answer(NamedTuple):
    """The record of an article, as one line of JSON."""

    record: bytes
    status: str
    reason: str = ""  # why the page failed


def open_handler(options: ExtractOptions) -> Callable[[Job | None], Iterator[Answer]]:
    """Load the default method; return the handler of jobs. Called in the process."""
    if hasattr(os, "nice"):  # not on Windows
        os.nice(_NICENESS)
    extract(_FIRST_PAGE, options=replace(options, render=False)).to_json()  # loads the method and all that it imports

    def handle(job: Job | None) -> Iterator[Answer]:
        if job is None:  # only start
            return
        if job.target:
            yield _load_target(job.target)(job, options)
        else:
            yield make_answer(_extract(job, options))

    return handle


@cache
def _load_target(name: str) -> Callable[[Job, ExtractOptions], Answer]:
    module, _, function = name.partition(":")
    target: Callable[[Job, ExtractOptions], Answer] = getattr(import_module(module), function)
    return target


def _extract(job: Job, options: ExtractOptions) -> Article:
    seconds = min(job.max_seconds or options.limits.max_seconds, options.limits.max_seconds)
    changed = replace(options, **(job.changes or {}))
    try:
        changed = replace(
            changed,
            charset=job.charset,
            site=_load_site(job.site, job.site.stat().st_mtime_ns) if job.site else None,
            limits=replace(options.limits, max_seconds=seconds),
        )
    except Exception as error:  # a site file that is damaged
        return make_failed(job.page, changed, str(error))
    return extract_page(job.page, changed)


@lru_cache(_MAX_SITES)
def _load_site(path: Path, modified: int) -> Site:  # noqa: ARG001 - a file that was written again is read again
    return Site.load(path)


def make_answer(article: Article) -> Answer:
    """Write the record of an article."""
    record = article.to_dict()
    reason = find_reason(article) or "" if article.status.is_failure else ""
    return Answer(dump_json(record).encode("utf-8", "replace"), article.status.value, reason)


class ServiceWorker:
    """The caller's end of a worker process. A process that dies is replaced, and its job is done once more."""

    def __init__(self, options: ExtractOptions, *, allows_render: bool = False) -> None:
        self._options = options
        self._max_memory = None if allows_render else options.limits.max_memory
        handler = Handler(__name__, open_handler.__name__, (options,))
        self._process = WorkerProcess(handler, extra_memory=self._max_memory)
        self._page_count = 0
        self.loss_count = 0  # processes that died, were killed or ran out of memory

    @property
    def pid(self) -> int | None:
        """Id of the process, if it is running."""
        return self._process.pid

    def start(self) -> None:
        """Start the process. Raises WorkerStartError."""
        list(self._process.ask(None, _START_SECONDS))

    def run(self, job: Job) -> Answer:
        """Do a job. A page that kills the process twice, or exceeds its memory or time, fails.

        Another program or an earlier page may cause a first loss. Raises WorkerStartError if no process starts.
        """
        if self._page_count >= PAGES_PER_PROCESS:
            self._process.discard()
            self._page_count = 0
        self._page_count += 1
        for attempt in range(_MAX_ATTEMPTS):
            try:
                return self._ask(job)
            except WorkerStartError:  # killed while it started, or the machine has no memory or processes left
                if attempt == _MAX_ATTEMPTS - 1:
                    raise
            except WorkerLost as lost:
                if lost.loss is Loss.LATE or attempt > 0:
                    return self._fail(job, lost)
        raise AssertionError  # not reached: the last attempt returns or raises

    def stop(self) -> None:
        """Kill the process; a job in progress in another thread ends with an error."""
        self._process.stop()

    def close(self) -> None:
        """Release the process. Not while a job is in progress."""
        self._process.close()

    def _ask(self, job: Job) -> Answer:
        try:
            (answer,) = self._process.ask(job, self._options.limits.max_seconds + _GRACE_SECONDS)
        except (WorkerLost, WorkerStartError):
            self.loss_count += 1
            raise
        return Answer(*answer)

    def _fail(self, job: Job, lost: WorkerLost) -> Answer:
        status = Status.FAILED
        if lost.loss is Loss.LATE:
            reason, status = "the page took longer than its time limit", Status.TIMEOUT
        elif lost.loss is Loss.OUT_OF_MEMORY and self._max_memory:
            reason = f"out of memory: the page needs more than {self._max_memory:,} bytes (max_memory)"
        else:
            reason = lost.reason or "the page ended the worker process"
        return make_failed_answer(job, self._options, reason, status)


def make_failed_answer(job: Job, options: ExtractOptions, reason: str, status: Status = Status.FAILED) -> Answer:
    """Return the answer for a page that could not be extracted."""
    options = replace(options, **(job.changes or {}))
    return make_answer(make_failed(job.page, options, reason, status))
