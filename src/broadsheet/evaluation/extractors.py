"""Extractors: a contender as a function from html to an Answer with the time it took."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from broadsheet.api import extract
from broadsheet.blocks import CONTENT_ROLES
from broadsheet.errors import BroadsheetError
from broadsheet.evaluation.answer import MAX_ERROR_CHARS, Answer, read_answer
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.peers import adapters
from broadsheet.options import ExtractOptions
from broadsheet.workers.child import describe_error
from broadsheet.workers.process import Handler, WorkerLost, WorkerProcess, WorkerStartError

Extractor = Callable[[str, str | None, str | None], Answer]  # html, url, language

PEER_SECONDS = 50.0  # a peer that takes longer for one page is stopped, and the page counts as failed
IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError")  # the peer cannot run; other errors may be due to the page
WARM_UP_PAGE = "<title>Warm up</title><p>Imports and weights are loaded before the clock starts.</p>"


def open_extractor(contender: Contender) -> Extractor:
    """Load a contender, so that imports and weights are not part of any page's time. Raises if it cannot run."""
    peer = PeerProcess(contender) if contender.python else None
    if peer:
        run: Extractor = peer.extract
    else:
        run = _open_adapter(contender.name) if contender.is_peer else _open_method(contender)
    answer = run(WARM_UP_PAGE, None, "en")
    if answer.is_lost or (answer.error or "").startswith(IMPORT_ERRORS):
        if peer:
            peer.close()
        raise BroadsheetError(answer.error)
    return run


def _open_method(contender: Contender) -> Extractor:
    options = ExtractOptions(method=contender.method or contender.name, weights=contender.weights)
    options.load_method()

    def run(html: str, url: str | None, lang: str | None) -> Answer:  # noqa: ARG001
        start = time.perf_counter()
        try:
            article = extract(html, url=url, options=options)
            text = article.text
        except Exception as error:  # a failure counts as an empty answer and is reported
            seconds = time.perf_counter() - start
            return Answer(text="", seconds=seconds, error=describe_error(error)[:MAX_ERROR_CHARS])
        seconds = time.perf_counter() - start
        roles = article.labels.roles if article.labels else None
        return Answer(
            text=text,
            title=article.title,
            authors=article.authors,
            date=article.date.isoformat() if article.date else None,
            confidence=article.confidence,
            kept_blocks=None if roles is None else "".join("1" if role in CONTENT_ROLES else "0" for role in roles),
            seconds=seconds,
        )

    return run


def _open_adapter(name: str) -> Extractor:
    adapter = adapters.ADAPTERS[name]

    def run(html: str, url: str | None, lang: str | None) -> Answer:
        return read_answer(adapters.call(adapter, html, url, lang))

    return run


class PeerProcess:
    """A peer in a worker process that runs in a separate environment."""

    def __init__(self, contender: Contender) -> None:
        self._process = open_peer_process(contender)

    def extract(self, html: str, url: str | None, lang: str | None) -> Answer:
        """Extract one page. A process that dies or takes too long is a lost answer."""
        start = time.perf_counter()
        try:
            (values,) = self._process.ask((html, url, lang), PEER_SECONDS)
        except (WorkerLost, WorkerStartError) as error:
            seconds = time.perf_counter() - start
            return Answer(text="", seconds=seconds, error=str(error)[:MAX_ERROR_CHARS], is_lost=True)
        return read_answer(values)

    def close(self) -> None:
        """End the process."""
        self._process.close()


def open_peer_process(contender: Contender) -> WorkerProcess:
    """Return a worker process that runs a peer, in the peer's environment if it has one."""
    handler = Handler(str(Path(adapters.__file__)), adapters.open_peer.__name__, (contender.name,))
    return WorkerProcess(handler, python=contender.python)
