"""extract_many: an iterator of pages in, an iterator of articles out, with the work done by worker processes."""

from __future__ import annotations

import pickle
import sys
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from broadsheet.api import PageInput
from broadsheet.article import Article, Provenance
from broadsheet.capture import Capture
from broadsheet.errors import BroadsheetError, UsageError
from broadsheet.methods import Method
from broadsheet.options import ExtractOptions, OptionChanges, make_options
from broadsheet.workers import count_cores
from broadsheet.workers.child import describe_error
from broadsheet.workers.extraction import ExtractionTask, drop_blocks, extract_safely, find_extra_memory, open_state

if TYPE_CHECKING:
    from concurrent.futures import Future

Sheets = Mapping[str, str]  # CSS by address
Item = (
    str
    | bytes
    | Capture
    | tuple[str | None, str | bytes | None]
    | tuple[str | None, str | bytes | None, Sheets]
    | tuple[Capture, Sheets]
)

# Pages are sent to workers in chunks: small enough to spread the work and to yield articles soon, large enough to make
# sending cheap. 16 pages are about 50 ms of work.
_CHUNK_PAGES = 16
_CHUNK_BYTES = 1_000_000
_CHUNK_SECONDS = 0.05  # pages of a slow iterator are sent after this time, and extracted while the next one is awaited
_CHUNKS_PER_WORKER = 2  # one in progress, one waiting


def extract_many(
    items: Iterable[Item],
    *,
    workers: int | None = None,
    with_blocks: bool = False,
    method: str | Method | None = None,
    options: ExtractOptions | None = None,
    **changes: Unpack[OptionChanges],
) -> Generator[Article, None, None]:
    """Extract pages in worker processes; articles come in the same order.

    One bad page never stops the others. A page on which the method raises, or which kills its worker, gives an article
    with the status "failed" and the reason in `sources["status"]`. So does a page for which a worker would need more
    memory than `Limits.max_memory`. The iterator is read a bounded number of pages ahead, so an endless one is fine. An
    error that it raises is raised here, after the articles of the pages before it.

    The iterator is read in the caller's thread, between articles: while it waits for a page (from a queue, for
    example), articles of earlier pages wait too. With `workers=1` each article comes before the next page is read.

    Args:
        items: Pages: html (str or bytes), a pair (address, html), a triple (address, html, style sheets by address), a
            `Capture` (from `read_captures`), or a pair (capture, style sheets by address). Paths are not read. The
            origin of a capture goes into its article's provenance; one without html has the status "failed".
        workers: Number of processes, by default one per core; 1 does the work in this process.
        with_blocks: Whether whole articles have `blocks`. Sending them between processes takes about half a
            millisecond. With `fields`, name "blocks" instead.
        method: A name from `broadsheet.methods()`, or a method object.
        options: An `ExtractOptions` value.
        changes: Fields of `ExtractOptions` as keyword arguments. With `fields`, only these are computed and sent
            between processes; without, articles are complete and do not keep their pages.

    """
    if isinstance(items, str | bytes):
        raise UsageError("extract_many takes an iterable of pages; for one page use extract")
    settings = make_options(options, method, **changes)
    count = _count_workers(workers)
    if count <= 1:
        settings.load_method()
        return _extract_here(items, settings, with_blocks=with_blocks)
    settings.check_method()
    _check_portable(settings.method)
    return _extract_in_workers(items, settings, count, with_blocks=with_blocks)


def _count_workers(workers: int | None) -> int:
    if workers is not None:
        if not isinstance(workers, int) or workers < 0:
            raise UsageError(f"workers must be a number of processes, not {workers!r}")
        return workers
    if not sys.executable or getattr(sys, "frozen", False):
        return 1  # Python embedded in another program: there is no interpreter to start
    return count_cores()


def _check_portable(method: str | Method) -> None:
    """Raise UsageError for a method that cannot be sent to processes that do not run the caller's main module."""
    try:
        pickle.dumps(method)
        reason = "its class is in the main module" if type(method).__module__ == "__main__" else ""
    except Exception as error:  # pickling can raise any error
        reason = str(error)
    if reason:
        raise UsageError(
            f"this method cannot be sent to worker processes ({reason}); pass workers=1, or move it to a module"
        )


def _extract_here(
    items: Iterable[Item], options: ExtractOptions, *, with_blocks: bool
) -> Generator[Article, None, None]:
    for item in items:
        article = extract_safely(read_item(item), options)
        yield article if with_blocks else drop_blocks(article)


def _extract_in_workers(
    items: Iterable[Item], options: ExtractOptions, count: int, *, with_blocks: bool
) -> Generator[Article, None, None]:
    """Keep a window of chunks in progress and yield the oldest."""
    from broadsheet.workers.process import WorkerStartError  # imported here: one worker needs no threads
    from broadsheet.workers.supervisor import Supervisor

    window: deque[Future[list[Article]]] = deque()
    failure: Exception | None = None
    try:
        with Supervisor(open_state, options, count, extra_memory=find_extra_memory(options)) as supervisor:
            for chunk in _read_chunks(items, count):
                if isinstance(chunk, Exception):
                    failure = chunk
                    break
                window.append(supervisor.submit(ExtractionTask(tuple(chunk), with_blocks)))
                while window and (len(window) >= count * _CHUNKS_PER_WORKER or window[0].done()):
                    yield from window.popleft().result()
            while window:
                yield from window.popleft().result()
    except WorkerStartError as error:
        raise BroadsheetError(f"worker processes do not start ({error.reason}); pass workers=1") from error
    if failure is not None:
        raise failure


def _read_chunks(items: Iterable[Item], count: int) -> Iterator[list[PageInput] | Exception]:
    """Group pages into chunks, the first ones small so that few pages spread over all workers.

    An error of the caller's iterator comes last, as a value: the pages before it are extracted first.
    """
    chunk: list[PageInput] = []
    number, size, started = 0, 0, time.monotonic()
    try:
        for item in items:
            page = read_item(item)
            chunk.append(page)
            size += len(page.html or "")
            max_pages = min(_CHUNK_PAGES, 1 << number // (count * _CHUNKS_PER_WORKER))
            if len(chunk) >= max_pages or size >= _CHUNK_BYTES or time.monotonic() - started >= _CHUNK_SECONDS:
                yield chunk
                number, chunk, size, started = number + 1, [], 0, time.monotonic()
    except Exception as error:  # the caller's error, raised later
        if chunk:
            yield chunk
        yield error
        return
    if chunk:
        yield chunk


def read_item(item: object) -> PageInput:
    """Split an item into address and page. One that is not a page, or raises when inspected, fails like a bad page."""
    try:
        return _split_item(item)
    except Exception as error:  # of the caller's object: a url whose __str__ raises, for example
        return PageInput(None, None, problem=describe_error(error))


def _split_item(item: object) -> PageInput:
    if isinstance(item, Capture):
        return _split_capture(item, None)
    if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Capture):
        return _split_capture(item[0], item[1])
    sheets = None
    if isinstance(item, tuple | list) and len(item) == 3 and isinstance(item[2], Mapping):
        sheets = {_to_str(address): _to_str(css) for address, css in item[2].items()}
        item = item[:2]
    url, html = item if isinstance(item, tuple | list) and len(item) == 2 else (None, item)
    address = None if url is None else _to_str(url)
    if isinstance(html, bytes | bytearray | memoryview):
        return PageInput(address, bytes(html), sheets)
    if isinstance(html, str):
        return PageInput(address, _to_str(html), sheets)
    return PageInput(address, None, sheets, problem=_describe_wrong_page(html))


def _describe_wrong_page(page: object) -> str:
    problem = f"TypeError: a page must be str or bytes, or a pair (address, html), not {type(page).__name__}"
    if not isinstance(page, PathLike):
        return problem
    warnings.warn("extract_many takes pages, not paths; pass path.read_bytes()", stacklevel=2)
    return f"{problem}; pass path.read_bytes()"


def _split_capture(capture: Capture, sheets: Sheets | None) -> PageInput:
    return PageInput(
        capture.url,
        capture.html,
        sheets,
        problem=capture.fault or (f"not a page: {capture.skipped}" if capture.skipped else "the capture has no html"),
        charset=capture.content_type,
        origin=Provenance(capture.source_file, capture.source_offset, capture.fetched_at, capture.http_status),
        fault=capture.fault,
    )


def _to_str(value: object) -> str:
    return str.__str__(value if isinstance(value, str) else str(value))  # a subclass may hold a whole parse tree
