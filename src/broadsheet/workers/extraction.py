"""Extraction in worker processes: pages in, articles out; a page that kills its process does not affect other pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from broadsheet.api import check_page, extract_input
from broadsheet.article import Article, Provenance, Status
from broadsheet.article.lazy import get_requested
from broadsheet.errors import BroadsheetError
from broadsheet.options import ExtractOptions
from broadsheet.output.requested import keep_fields
from broadsheet.page_input import PageInput
from broadsheet.version import __version__
from broadsheet.workers.child import describe_error
from broadsheet.workers.process import Handler, Loss, WorkerLost, WorkerProcess, WorkerStartError

# Extraction checks its time limit itself. A page that hangs in a library is killed at twice the limit plus a second.
_GRACE_SECONDS = 1.0

# A process is replaced after this many pages, so that memory leaks of a method or parser stay bounded. A start takes
# less than a second; 10,000 pages take about a minute.
PAGES_PER_PROCESS = 10_000


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


def open_handler(
    options: ExtractOptions, *, with_blocks: bool = True
) -> Callable[[Sequence[PageInput]], Iterable[Article]]:
    """Load the method; return the handler that a worker process runs. Called in the process."""
    options.load_method()

    def handle(pages: Sequence[PageInput]) -> Iterator[Article]:
        for page in pages:
            article = extract_page(page, options)  # after a MemoryError, a new process tries again
            yield article if with_blocks else drop_blocks(article)

    return handle


def open_slim_handler(options: ExtractOptions) -> Callable[[Sequence[PageInput]], Iterable[Article]]:
    """Do the same for articles without the blocks of their pages."""
    return open_handler(options, with_blocks=False)


class ExtractionWorker:
    """A worker process that extracts pages, and is replaced when it dies, runs out of memory or misses a deadline."""

    def __init__(self, options: ExtractOptions, *, with_blocks: bool = True) -> None:
        self._options = options
        self._page_seconds = 2 * options.limits.max_seconds + _GRACE_SECONDS
        self._max_memory = None if options.render else options.limits.max_memory
        handler = Handler(__name__, (open_handler if with_blocks else open_slim_handler).__name__, (options,))
        self._process = WorkerProcess(handler, extra_memory=self._max_memory)
        self._page_count = 0  # since the process was replaced

    def extract(self, pages: Sequence[PageInput]) -> list[Article]:
        """Extract pages in order. A page that kills the process is tried once more, alone, and then fails."""
        if self._page_count >= PAGES_PER_PROCESS:
            self._process.discard()
            self._page_count = 0
        self._page_count += len(pages)
        articles: list[Article] = []
        while len(articles) < len(pages):
            lost = self._extract_until_lost(pages[len(articles) :], articles)
            if lost is not None and len(articles) < len(pages):  # it may be lost after its last response
                articles.append(self._retry(pages[len(articles)], lost))
        return articles

    def stop(self) -> None:
        """Kill the process; an `extract` in progress in another thread ends with an error."""
        self._process.stop()

    def close(self) -> None:
        """Release the process. Not while an `extract` is in progress."""
        self._process.close()

    def _extract_until_lost(self, pages: Sequence[PageInput], articles: list[Article]) -> WorkerLost | None:
        """Add the articles of pages to a list; stop at the page on which the process was lost."""
        try:
            for article in self._process.ask(list(pages), self._page_seconds):
                articles.append(article)  # noqa: PERF402 - articles before the loss are kept
        except WorkerLost as lost:
            return lost
        except WorkerStartError as error:
            raise BroadsheetError(f"worker processes do not start ({error.reason}); pass workers=1") from error
        return None

    def _retry(self, page: PageInput, lost: WorkerLost) -> Article:
        """Extract a page in a new process: an earlier page or another program may have caused the loss."""
        if lost.loss is Loss.LATE:
            return self._fail(page, lost)
        articles: list[Article] = []
        lost_again = self._extract_until_lost([page], articles)
        return articles[0] if articles else self._fail(page, lost_again or lost)

    def _fail(self, page: PageInput, lost: WorkerLost) -> Article:
        if lost.loss is Loss.LATE:
            reason = "the page took much longer than its time limit"
            return make_failed(page, self._options, reason, Status.TIMEOUT)
        if lost.loss is Loss.OUT_OF_MEMORY:
            limit = f": the page needs more than {self._max_memory:,} bytes (max_memory)" if self._max_memory else ""
            return make_failed(page, self._options, f"out of memory{limit}")
        return make_failed(page, self._options, lost.reason or "the page ended the worker process")
