"""Many pages: an iterator in, an iterator out, the work done by other processes."""

from __future__ import annotations

import pickle
import sys
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from broadsheet.article import Article
from broadsheet.cores import count_cores
from broadsheet.errors import UsageError
from broadsheet.methods import DEFAULT_METHOD, Method, check_method, load_method
from broadsheet.page import DEFAULT_LIMITS, Limits
from broadsheet.site import Site, Sites
from broadsheet.worker import PageIn, Task, Worker, extract_safely

Item = str | bytes | tuple[str | None, str | bytes | None] | tuple[str | None, str | bytes | None, Mapping[str, str]]

# A chunk is what is sent to a worker at once: few enough pages to spread and to answer soon, enough to make the
# sending cheap. 16 pages are about 50 ms of work.
_CHUNK_PAGES = 16
_CHUNK_BYTES = 1_000_000
_CHUNK_SECONDS = 0.05  # what a slow iterator gave already is sent off, and extracted while the next page is awaited
_CHUNKS_PER_WORKER = 2  # one at work, one waiting


def extract_many(
    items: Iterable[Item],
    *,
    workers: int | None = None,
    method: str | Method = DEFAULT_METHOD,
    charset: str | None = None,
    home: str | bytes | None = None,
    site: Site | Sites | None = None,
    render: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Generator[Article, None, None]:
    """Extract pages in worker processes; the articles come in the same order.

    A page is html, a pair of address and html, or these with a mapping of the style sheets that it links to.

    One bad page never stops it: a page on which the method breaks, or which kills its worker, gives an article with the
    status "failed" and the reason in `sources["status"]`. The iterator is read a bounded number of pages ahead, so that
    an endless one will do; its own errors are raised here, after the articles of the pages before. `workers` is the
    number of processes, by default one for each core; 1 does the work in this process.

    The iterator is read in the caller's thread, between articles: while it waits for a page (of a queue, say), the
    articles of earlier pages wait too. With `workers=1` each article comes before the next page is asked for.
    """
    if isinstance(items, str | bytes):
        raise UsageError("extract_many takes an iterable of pages; for one page use extract")
    if isinstance(method, str):
        load_method(method)
    else:
        check_method(method)
    task = Task(method, charset, home, limits, site, render)
    count = _count_workers(workers)
    if count <= 1:
        return _extract_here(items, task)
    _check_portable(method)
    return _extract_in_workers(items, task, count)


def _count_workers(asked: int | None) -> int:
    if asked is not None:
        if not isinstance(asked, int) or asked < 0:
            raise UsageError(f"workers is the number of processes, and cannot be {asked!r}")
        return asked
    if not sys.executable or getattr(sys, "frozen", False):
        return 1  # Python inside another program: there is no interpreter to start
    return count_cores()


def _check_portable(method: str | Method) -> None:
    """Raise UsageError for a method that other processes cannot have: they do not run the caller's main module."""
    try:
        pickle.dumps(method)
        reason = "its class is in the main module" if type(method).__module__ == "__main__" else ""
    except Exception as error:  # pickling raises whatever it meets
        reason = str(error)
    if reason:
        raise UsageError(
            f"this method cannot be sent to worker processes ({reason}); pass workers=1, or move it to a module"
        )


def _extract_here(items: Iterable[Item], task: Task) -> Generator[Article, None, None]:
    for item in items:
        yield extract_safely(_read_item(item), task)


def _extract_in_workers(items: Iterable[Item], task: Task, count: int) -> Generator[Article, None, None]:
    """Keep a window of chunks at work, and hand out the oldest. A thread per worker does nothing but wait for it."""
    workers = [Worker(task) for _ in range(count)]
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        idle.put(worker)

    def work(chunk: list[PageIn]) -> list[Article]:
        worker = idle.get()
        try:
            return worker.extract(chunk)
        finally:
            idle.put(worker)

    window: deque[Future[list[Article]]] = deque()
    failure: Exception | None = None
    pool = ThreadPoolExecutor(count, thread_name_prefix="broadsheet")
    try:
        for chunk in _read_chunks(items, count):
            if isinstance(chunk, Exception):
                failure = chunk
                break
            window.append(pool.submit(work, chunk))
            while window and (len(window) >= count * _CHUNKS_PER_WORKER or window[0].done()):
                yield from window.popleft().result()
        while window:
            yield from window.popleft().result()
        if failure is not None:
            raise failure
    finally:
        for worker in workers:
            worker.stop()
        pool.shutdown(cancel_futures=True)
        for worker in workers:
            worker.close()


def _read_chunks(items: Iterable[Item], count: int) -> Iterator[list[PageIn] | Exception]:
    """Group pages into chunks, the first ones small so that few pages spread over all workers.

    An error of the caller's iterator comes last, as a value: the pages before it are to be extracted first.
    """
    chunk: list[PageIn] = []
    number, size, began = 0, 0, time.monotonic()
    try:
        for item in items:
            page = _read_item(item)
            chunk.append(page)
            size += len(page.html or "")
            most = min(_CHUNK_PAGES, 1 << number // (count * _CHUNKS_PER_WORKER))
            if len(chunk) >= most or size >= _CHUNK_BYTES or time.monotonic() - began >= _CHUNK_SECONDS:
                yield chunk
                number, chunk, size, began = number + 1, [], 0, time.monotonic()
    except Exception as error:  # the caller's: raised to him later
        if chunk:
            yield chunk
        yield error
        return
    if chunk:
        yield chunk


def _read_item(item: object) -> PageIn:
    """Take an item apart. What is no page is sent on without html, and fails like any other bad page."""
    sheets = None
    if isinstance(item, tuple | list) and len(item) == 3 and isinstance(item[2], Mapping):
        sheets = {str(address): str(css) for address, css in item[2].items()}
        item = item[:2]
    url, html = item if isinstance(item, tuple | list) and len(item) == 2 else (None, item)
    if isinstance(html, bytes | bytearray | memoryview):
        html = bytes(html)
    elif html is not None:
        html = str(html) if isinstance(html, str) else None  # a subclass of str may drag its whole tree along
    return PageIn(None if url is None else str(url), html, sheets)
