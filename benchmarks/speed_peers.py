"""The peers that `benchmarks/speed.py` compares, by the work they do: the text alone, or all fields.

The module imports nothing of Broadsheet, because a worker process in a peer's separate environment loads this file by
its path (`open_timer`).
"""

from __future__ import annotations

import gc
import logging
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

Page = tuple[str, str | None]  # html, address
Extractor = Callable[[str, str | None], object]
Timer = Callable[[Sequence[Page]], list[float]]  # pages -> milliseconds of processor time of each

CHUNK_SECONDS = 600.0  # time limit of a peer in another process
WARM_UP_PAGE: Page = ("<title>Warm up</title><p>Imports are not part of the time of a page.</p>", None)


def open_trafilatura() -> Extractor:
    from trafilatura import extract

    return lambda html, url: extract(html, url=url, include_comments=False)


def open_trafilatura_fast() -> Extractor:
    from trafilatura import extract

    return lambda html, url: extract(html, url=url, include_comments=False, fast=True)


def open_trafilatura_with_metadata() -> Extractor:
    from trafilatura import bare_extraction

    return lambda html, url: bare_extraction(html, url=url, with_metadata=True, include_comments=False)


def open_resiliparse() -> Extractor:
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, _url: extract_plain_text(html, main_content=True)


def open_turbohtml() -> Extractor:
    import turbohtml

    return lambda html, _url: turbohtml.parse(html).article().text


def open_readability() -> Extractor:
    """Return readability-lxml, which gives the article as HTML: its text would take more time."""
    from readability import Document

    return lambda html, _url: Document(html).summary()


def open_newspaper4k() -> Extractor:
    from newspaper import Article

    def extract(html: str, url: str | None) -> object:
        article = Article(url or "https://example.org/", language="en", fetch_images=False)
        article.download(input_html=html)
        article.parse()
        return article

    return extract


TEXT_PEERS = {
    "resiliparse": open_resiliparse,
    "trafilatura": open_trafilatura,
    "trafilatura fast": open_trafilatura_fast,
    "turbohtml": open_turbohtml,
    "readability": open_readability,
}
FIELD_PEERS = {"trafilatura with metadata": open_trafilatura_with_metadata, "newspaper4k": open_newspaper4k}
PEERS = {**TEXT_PEERS, **FIELD_PEERS}


def make_timer(extract: Extractor) -> Timer:
    """Return a function that measures an extractor page by page. A page that the extractor fails on counts too."""

    def time_pages(pages: Sequence[Page]) -> list[float]:
        gc.collect()  # of what another extractor left behind
        times = []
        for html, url in pages:
            start = time.thread_time()
            try:
                extract(html, url)
            except Exception as error:  # peers raise on some pages
                logging.debug("%s", error)
            times.append(1000 * (time.thread_time() - start))
        return times

    time_pages([WARM_UP_PAGE])
    return time_pages


def open_peer_timer(name: str) -> Timer | None:
    """Return the timer of a peer in this environment, or else in its own; None if it is not installed."""
    try:
        return make_timer(PEERS[name]())
    except ImportError:
        python = _find_python(name)
        return _open_process(name, python) if python else None


def _find_python(name: str) -> Path | None:
    from broadsheet.evaluation import peers

    peer = peers.PEERS.get(name)
    return peers.find_environment_python(peer.environment) if peer and peer.environment else None


def _open_process(name: str, python: Path) -> Timer | None:
    from broadsheet.workers.process import Handler, WorkerProcess, WorkerStartError

    process = WorkerProcess(Handler(__file__, open_timer.__name__, (name,)), python=python)

    def time_pages(pages: Sequence[Page]) -> list[float]:
        (times,) = process.ask(pages, CHUNK_SECONDS)
        return list(times)

    try:
        time_pages([WARM_UP_PAGE])
    except WorkerStartError:  # the environment is not complete
        return None
    return time_pages


def open_timer(name: str) -> Callable[[Sequence[Page]], list[list[float]]]:
    """Return the handler of a worker process (`broadsheet.workers`): pages in, one list of times out."""
    logging.disable(logging.CRITICAL)  # peers log warnings about many pages
    warnings.simplefilter("ignore")
    time_pages = make_timer(PEERS[name]())
    return lambda pages: [time_pages(pages)]
