"""Extraction in worker processes: pages in, articles out, and a page that kills its process costs no other page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from broadsheet.api import extract
from broadsheet.article import Article, Status
from broadsheet.errors import BroadsheetError
from broadsheet.options import ExtractOptions
from broadsheet.workers.process import Handler, WorkerLost, WorkerProcess, WorkerStartError

# A page checks its time limit by itself. One that hangs in foreign code is killed at twice the limit plus a second.
_GRACE_SECONDS = 1.0


class PageInput(NamedTuple):
    """A page on its way to a method; `html` is None where the caller's item was not a page."""

    url: str | None
    html: str | bytes | None
    sheets: Mapping[str, str] | None = None  # the style sheets that it links to, by address


def extract_safely(page: PageInput, options: ExtractOptions) -> Article:
    """Extract a page. Any error becomes a failed article, with the reason in `sources["status"]`."""
    try:
        if page.html is None:
            raise TypeError("a page must be str or bytes, or a pair of its address and that")
        return extract(page.html, url=page.url, sheets=page.sheets, options=options)
    except Exception as error:  # the border of a page: one bad page must not stop the others
        return make_failed(page, options, f"{type(error).__name__}: {error}")


def make_failed(page: PageInput, options: ExtractOptions, reason: str, status: Status = Status.FAILED) -> Article:
    """Return the article of a page that could not be extracted."""
    return Article(url=page.url, status=status, method=options.method_name, sources={"status": reason})


def open_handler(options: ExtractOptions) -> Callable[[Sequence[PageInput]], Iterable[Article]]:
    """Load the method; return the handler that a worker process runs. Called in the process."""
    options.load_method()

    def handle(pages: Sequence[PageInput]) -> Iterator[Article]:
        for page in pages:
            yield extract_safely(page, options)

    return handle


class ExtractionWorker:
    """A worker process that extracts pages, and is replaced when it dies or misses a deadline."""

    def __init__(self, options: ExtractOptions) -> None:
        self._options = options
        self._page_seconds = 2 * options.limits.max_seconds + _GRACE_SECONDS
        self._process = WorkerProcess(Handler(__name__, open_handler.__name__, (options,)))

    def extract(self, pages: Sequence[PageInput]) -> list[Article]:
        """Extract pages in order. A page that kills the process is tried once more, alone, and then fails."""
        articles: list[Article] = []
        while len(articles) < len(pages):
            lost = self._extract_until_lost(pages[len(articles) :], articles)
            if lost is not None:
                articles.append(self._retry(pages[len(articles)], lost))
        return articles

    def stop(self) -> None:
        """Kill the process; an `extract` in progress in another thread ends with an error."""
        self._process.stop()

    def close(self) -> None:
        """Stop, and release the process. Not while an `extract` is in progress."""
        self._process.close()

    def _extract_until_lost(self, pages: Sequence[PageInput], articles: list[Article]) -> WorkerLost | None:
        """Add the articles of pages to a list; stop at the page that the process was lost on."""
        try:
            for article in self._process.ask(list(pages), self._page_seconds):
                articles.append(article)  # noqa: PERF402 - articles before the loss are kept
        except WorkerLost as lost:
            return lost
        except WorkerStartError as error:
            raise BroadsheetError(f"worker processes do not start ({error}); pass workers=1") from error
        return None

    def _retry(self, page: PageInput, lost: WorkerLost) -> Article:
        if lost.is_late:
            reason = "the page took much longer than its time limit"
            return make_failed(page, self._options, reason, Status.TIMEOUT)
        # An earlier page may have caused the death (memory), or another program.
        articles: list[Article] = []
        lost_again = self._extract_until_lost([page], articles)
        if lost_again is None:
            return articles[0]
        if lost_again.is_late:
            return self._retry(page, lost_again)
        return make_failed(page, self._options, lost_again.reason or "the page ended the worker process")
