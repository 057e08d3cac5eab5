"""Tasks of the worker processes: a page in, its record as JSON or another format out. The process writes it."""
# ruff: noqa: ARG002 - the signatures are those of workers.supervisor.Task

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from broadsheet.api import PageInput, extract
from broadsheet.article import Article, Status
from broadsheet.article.lazy import find_reason
from broadsheet.errors import UsageError
from broadsheet.options import ExtractOptions
from broadsheet.output import Format
from broadsheet.output.record import dump_json
from broadsheet.server.body import unpack_body
from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import RequestRules
from broadsheet.site import Site
from broadsheet.workers.extraction import describe_loss, extract_page, find_extra_memory, make_failed
from broadsheet.workers.process import Loss, WorkerLost

if TYPE_CHECKING:
    from broadsheet.server.requests import SentPage

# Extraction checks its time limit itself. A page that hangs in a library is killed this many seconds later.
_GRACE_SECONDS = 1.0
JSON_TYPE = "application/json"
_FIRST_PAGE = "<title>Title</title><h1>Title</h1><p>Text, written on 16 March 2024.</p>"
_NICENESS = 5  # lower priority than the event loop, which then answers /health and refusals at once under full load
_MAX_SITES = 32  # kept in the memory of a process


class PageAnswer(NamedTuple):
    """An article, written: its record as one line of JSON, or another format."""

    record: bytes
    status: str
    reason: str = ""  # why the page failed
    code: int = 0  # HTTP status of a request that is refused; 0 if it was accepted
    media_type: str = JSON_TYPE


def open_state(options: ExtractOptions) -> ExtractOptions:
    """Load the default method and all that it imports; return the state of a process."""
    if hasattr(os, "nice"):  # not on Windows
        os.nice(_NICENESS)
    import broadsheet.server.requests  # noqa: F401 - needed for the first request; pydantic takes 100 ms

    extract(_FIRST_PAGE, options=replace(options, render=False)).to_json()
    return options


@dataclass(frozen=True, slots=True)
class PageTask:
    """A page, and the options of its request. Subclasses compute other answers about a page.

    A page that kills the process twice, or exceeds its time, fails.
    """

    page: PageInput
    charset: str | None = None
    changes: Mapping[str, Any] | None = None  # of the options of the service
    site: Path | None = None  # a saved site
    max_seconds: float | None = None
    layout: Format | None = None  # None: a record as JSON

    @property
    def step_count(self) -> int:
        """One page."""
        return 1

    def make_answer(self, options: ExtractOptions) -> PageAnswer:
        """Extract the page. Called in the process."""
        seconds = min(self.max_seconds or options.limits.max_seconds, options.limits.max_seconds)
        try:
            changed = replace(
                replace(options, **(self.changes or {})),
                charset=self.charset,
                site=_load_site(self.site, self.site.stat().st_mtime_ns) if self.site else None,
                limits=replace(options.limits, max_seconds=seconds),
            )
        except Exception as error:  # a site file that is damaged, or a method that the weights are not of
            return make_failed_answer(self, options, str(error))
        return write_answer(extract_page(self.page, changed), self.layout)

    def run(self, state: ExtractOptions, steps: range, attempt: int) -> Iterator[PageAnswer]:
        """Yield the answer."""
        yield self.make_answer(state)

    def find_seconds(self, settings: ExtractOptions, attempt: int) -> float:
        """Return the time limit of the service, and a little more."""
        return settings.limits.max_seconds + _GRACE_SECONDS

    def fail(self, settings: ExtractOptions, step: int, lost: WorkerLost, attempt: int) -> PageAnswer | None:
        """Return a failed record. Another program or an earlier page may cause a first loss."""
        if lost.loss is not Loss.LATE and attempt == 1:
            return None
        status, reason = describe_loss(lost, find_extra_memory(settings))
        return self.make_failed(settings, reason, status)

    def make_failed(self, options: ExtractOptions, reason: str, status: Status) -> PageAnswer:
        """Return a failed record."""
        return make_failed_answer(self, options, reason, status)

    def count_pages(self, result: PageAnswer) -> int:
        """Return 1."""
        return 1


@dataclass(frozen=True, slots=True)
class RequestTask:
    """A request as it arrived. The process unpacks and parses it: the event loop does not look into bodies."""

    sent: SentPage
    encoding: str  # of the body
    rules: RequestRules

    @property
    def step_count(self) -> int:
        """One page."""
        return 1

    def read(self) -> PageTask:
        """Return the page and its options. Raises Refusal."""
        from broadsheet.server.requests import read_page_task  # imports this module

        body = unpack_body(self.sent.body, self.encoding, self.rules.max_body_bytes)
        return read_page_task(self.sent._replace(body=body), self.rules)

    def run(self, state: ExtractOptions, steps: range, attempt: int) -> Iterator[PageAnswer]:
        """Yield the answer, or the refusal."""
        try:
            task = self.read()
        except Refusal as refusal:
            yield PageAnswer(b"", Status.FAILED.value, refusal.line, refusal.code)
            return
        yield task.make_answer(state)

    def find_seconds(self, settings: ExtractOptions, attempt: int) -> float:
        """Return the time limit of the service, and a little more."""
        return settings.limits.max_seconds + _GRACE_SECONDS

    def fail(self, settings: ExtractOptions, step: int, lost: WorkerLost, attempt: int) -> PageAnswer | None:
        """Return a failed record, as that of the page."""
        is_last = lost.loss is Loss.LATE or attempt > 1
        return self._read_safely().fail(settings, step, lost, attempt) if is_last else None

    def make_failed(self, options: ExtractOptions, reason: str, status: Status) -> PageAnswer:
        """Return a failed record."""
        return self._read_safely().make_failed(options, reason, status)

    def _read_safely(self) -> PageTask:
        try:
            return self.read()
        except Refusal:
            return PageTask(PageInput(None, None))

    def count_pages(self, result: PageAnswer) -> int:
        """Return 1."""
        return 1


@lru_cache(_MAX_SITES)
def _load_site(path: Path, modified: int) -> Site:  # noqa: ARG001 - a file that was written again is read again
    return Site.load(path)


def write_answer(article: Article, layout: Format | None = None) -> PageAnswer:
    """Write an article: its record, or another format. A page that failed has a record only."""
    if layout is not None and not article.status.is_failure:
        return PageAnswer(
            layout.write(article).encode("utf-8", "replace"), article.status.value, media_type=layout.media_type
        )
    record = article.to_dict()
    reason = find_reason(article) or "" if article.status.is_failure else ""
    return PageAnswer(dump_json(record).encode("utf-8", "replace"), article.status.value, reason)


def make_failed_answer(
    task: PageTask, options: ExtractOptions, reason: str, status: Status = Status.FAILED
) -> PageAnswer:
    """Return the answer for a page that could not be extracted."""
    changes = task.changes or {}
    try:
        options = replace(options, **changes)
    except UsageError:  # the page failed because of them
        options = replace(options, fields=changes.get("fields"))
    return write_answer(make_failed(task.page, options, reason, status))
