"""Extraction in worker processes: pages in, articles out; a page that kills its process does not affect other pages."""
# ruff: noqa: ARG002 - the signatures are those of workers.supervisor.Task

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from broadsheet.api import PageInput, check_page, extract_input
from broadsheet.article import Article, Provenance, Status
from broadsheet.article.lazy import get_requested
from broadsheet.options import ExtractOptions
from broadsheet.output.requested import keep_fields
from broadsheet.version import __version__
from broadsheet.workers.child import describe_error
from broadsheet.workers.process import Loss, WorkerLost

# Extraction checks its time limit itself. A page that hangs in a library is killed at twice the limit plus a second.
_GRACE_SECONDS = 1.0


def extract_safely(page: PageInput, options: ExtractOptions) -> Article:
    """Extract a page. Any error becomes a failed article, with the reason in `sources["status"]`."""
    try:
        return extract_page(page, options)
    except MemoryError:
        return make_failed(page, options, "out of memory")


def extract_page(page: PageInput, options: ExtractOptions) -> Article:
    """Extract a page. Any error but MemoryError becomes a failed article."""
    if page.html is None:
        return make_failed(page, options, page.problem)
    try:
        check_page(page.html, page.url)
        return extract_input(page, options, keep_page=False)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:  # one bad page must not stop the others
        return make_failed(page, options, describe_error(error))


def make_failed(page: PageInput, options: ExtractOptions, reason: str, status: Status = Status.FAILED) -> Article:
    """Return the article of a page that could not be extracted."""
    article = Article(
        url=page.url,
        status=status,
        method=options.method_name,
        sources={"status": reason},
        provenance=replace(page.origin or Provenance(), broadsheet_version=__version__),
    )
    return keep_fields(article, options.fields) if options.fields else article


def drop_blocks(article: Article) -> Article:
    """Return the article without the blocks of its page: two thirds of the bytes that are sent between processes.

    Blocks that were requested are kept.
    """
    return article if get_requested(article) else replace(article, page_blocks=None, labels=None)


def open_state(options: ExtractOptions) -> ExtractOptions:
    """Load the method; return the state of a process."""
    options.load_method()
    return options


def find_extra_memory(options: ExtractOptions) -> int | None:
    """Return the memory limit of a process; None with rendering, because a browser would inherit it."""
    return None if options.render else options.limits.max_memory


def describe_loss(lost: WorkerLost, extra_memory: int | None) -> tuple[Status, str]:
    """Return the status of a page on which a process was lost, and the reason."""
    if lost.loss is Loss.LATE:
        return Status.TIMEOUT, "the page took longer than its time limit"
    if lost.loss is Loss.OUT_OF_MEMORY:
        limit = f": the page needs more than {extra_memory:,} bytes (max_memory)" if extra_memory else ""
        return Status.FAILED, f"out of memory{limit}"
    return Status.FAILED, lost.reason or "the page ended the worker process"


class ExtractionTask(NamedTuple):
    """Pages of `extract_many`. A page that kills the process is tried once more, alone, and then fails."""

    pages: tuple[PageInput, ...]
    with_blocks: bool = True

    @property
    def step_count(self) -> int:
        """The number of pages."""
        return len(self.pages)

    def run(self, state: ExtractOptions, steps: range, attempt: int) -> Iterator[Article]:
        """Extract pages."""
        for page in self.pages[steps.start : steps.stop]:
            article = extract_page(page, state)  # after a MemoryError, a new process tries again
            yield article if self.with_blocks else drop_blocks(article)

    def find_seconds(self, settings: ExtractOptions, attempt: int) -> float:
        """Return a limit for pages that hang in a library. Extraction checks its time limit itself."""
        return 2 * settings.limits.max_seconds + _GRACE_SECONDS

    def fail(self, settings: ExtractOptions, step: int, lost: WorkerLost, attempt: int) -> Article | None:
        """Return a failed article. An earlier page or another program may have caused a first loss."""
        if lost.loss is not Loss.LATE and attempt == 1:
            return None
        status, reason = describe_loss(lost, find_extra_memory(settings))
        return make_failed(self.pages[step], settings, reason, status)

    def count_pages(self, result: Article) -> int:
        """Return 1."""
        return 1
