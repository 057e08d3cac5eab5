"""Contenders at work: html in, Answer out, with the time it took."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Timer

from broadsheet.api import extract
from broadsheet.blocks import CONTENT_ROLES
from broadsheet.errors import BroadsheetError
from broadsheet.evaluation.answer import Answer, read_answer
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.peers import adapters
from broadsheet.methods import load_method

Extractor = Callable[[str, str | None, str | None], Answer]  # html, url, language

SERVER_SECONDS = 50.0  # a peer that takes longer for one page is stopped, and the page counts as failed
_CANNOT_RUN = ("ImportError", "ModuleNotFoundError")  # any other error may be due to the page
_WARM_UP = "<title>Warm up</title><p>Imports and weights are loaded before the clock starts.</p>"


def open_extractor(contender: Contender) -> Extractor:
    """Make a contender ready: its imports and weights are not part of any page's time. Raises when it cannot run."""
    server = PeerServer(contender) if contender.python else None
    if server:
        run: Extractor = server.extract
    else:
        run = _open_adapter(contender.name) if contender.is_peer else _open_method(contender.name)
    answer = run(_WARM_UP, None, "en")
    if answer.is_lost or (answer.error or "").startswith(_CANNOT_RUN):
        if server:
            server.close()
        raise BroadsheetError(answer.error)
    return run


def _open_method(name: str) -> Extractor:
    load_method(name)

    def run(html: str, url: str | None, lang: str | None) -> Answer:  # noqa: ARG001
        start = time.perf_counter()
        try:
            article = extract(html, url=url, method=name)
            text = article.text
        except Exception as error:  # a failure is a result: it counts as an empty answer and is reported
            return Answer(text="", seconds=time.perf_counter() - start, error=f"{type(error).__name__}: {error}"[:300])
        seconds = time.perf_counter() - start
        roles = article.labels.roles if article.labels else None
        return Answer(
            text=text,
            title=article.title,
            authors=article.authors,
            date=article.date.isoformat() if article.date else None,
            confidence=article.confidence,
            kept=None if roles is None else "".join("1" if role in CONTENT_ROLES else "0" for role in roles),
            seconds=seconds,
        )

    return run


def _open_adapter(name: str) -> Extractor:
    adapter = adapters.ADAPTERS[name]

    def run(html: str, url: str | None, lang: str | None) -> Answer:
        return read_answer(adapters.call(adapter, html, url, lang))

    return run


class PeerServer:
    """A peer in another process, asked by JSON lines; started when first needed and again after it has died."""

    def __init__(self, contender: Contender) -> None:
        self._command = [str(contender.python or sys.executable), str(Path(adapters.__file__)), contender.name]
        self._process: subprocess.Popen[str] | None = None

    def extract(self, html: str, url: str | None, lang: str | None) -> Answer:
        """Ask for one page. A peer that dies or takes too long has failed on it."""
        start = time.perf_counter()
        process = self._process = self._process or self._start()
        assert process.stdin
        assert process.stdout
        timer = Timer(SERVER_SECONDS, process.kill)
        timer.start()
        try:
            # Lone surrogates cannot be encoded; JSON escapes keep them.
            process.stdin.write(json.dumps({"html": html, "url": url, "lang": lang}) + "\n")
            process.stdin.flush()
            return read_answer(json.loads(process.stdout.readline()))
        except (OSError, ValueError):  # no line, or half of one
            self.close()
            error = "the peer's process died or took too long"
            return Answer(text="", seconds=time.perf_counter() - start, error=error, is_lost=True)
        finally:
            timer.cancel()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
