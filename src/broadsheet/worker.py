"""A worker: another Python process that turns pages into articles and may die without harm.

Plain subprocesses rather than `multiprocessing`: nothing of the caller's main module is run again, no process with
threads is forked, and they may be started from any thread and from daemonic processes (Celery, Ray, web servers).
Caller and worker talk in pickles over the worker's stdin and stdout; a worker whose caller is gone reads the end of
its input and ends.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, NamedTuple

from broadsheet.api import extract
from broadsheet.article import Article, Status
from broadsheet.errors import BroadsheetError
from broadsheet.methods import Method, load_method
from broadsheet.page import Limits
from broadsheet.site import Site, Sites

# The first thing sent is sys.path, so that the worker finds what the caller would find. -P: nothing from the current
# folder can take the place of a standard module before that.
_START = (
    "import sys, pickle; sys.path[:] = pickle.load(sys.stdin.buffer);"
    "from broadsheet.worker import serve_pages; serve_pages()"
)
# A page checks its own time limit; one that hangs in foreign code is given up at twice that and a bit, or in a day.
_GRACE = 1.0
_LONGEST = 86_400.0


class PageIn(NamedTuple):
    """A page on its way to a method; no html where the caller's item was no page."""

    url: str | None
    html: str | bytes | None
    sheets: Mapping[str, str] | None = None  # the style sheets that it links to, by address


@dataclass(frozen=True, slots=True)
class Task:
    """What is the same for all pages."""

    method: str | Method
    charset: str | None
    home: str | bytes | None
    limits: Limits
    site: Site | Sites | None = None
    render: bool = False

    @property
    def method_name(self) -> str:
        """Name of the method."""
        return self.method if isinstance(self.method, str) else str(getattr(self.method, "name", self.method))

    @property
    def patience(self) -> float:
        """Seconds after which a page is taken to hang."""
        return min(2 * self.limits.max_seconds + _GRACE, _LONGEST)


def extract_safely(page: PageIn, task: Task) -> Article:
    """Extract a page; whatever goes wrong becomes a failed article, with the reason as the source of its status."""
    try:
        if page.html is None:
            raise TypeError("a page is str or bytes, or a pair of its address and that")
        return extract(
            page.html,
            url=page.url,
            method=task.method,
            charset=task.charset,
            home=task.home,
            site=task.site,
            sheets=page.sheets,
            render=task.render,
            limits=task.limits,
        )
    except Exception as error:  # the border of a page: one bad page must not stop the others
        return fail(page, task, f"{type(error).__name__}: {error}")


def fail(page: PageIn, task: Task, reason: str, status: Status = Status.FAILED) -> Article:
    """Make the article of a page that could not be extracted."""
    return Article(url=page.url, status=status, method=task.method_name, sources={"status": reason})


class Worker:
    """The caller's end of a worker process, which is started when first needed and again after it has died."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._process: subprocess.Popen[bytes] | None = None
        self._asked_at = 0.0  # when the worker began with the page that it is at
        self._is_stopped = False
        self._lock = threading.Lock()

    def extract(self, pages: Sequence[PageIn]) -> list[Article]:
        """Extract pages in order. One that kills the process is tried once more, alone, and then given up."""
        articles: list[Article] = []
        while len(articles) < len(pages):
            articles += self._ask(pages[len(articles) :])
            if len(articles) < len(pages):
                articles.append(self._try_again(pages[len(articles)]))
        return articles

    def stop(self) -> None:
        """End the process at once; an `extract` under way in another thread ends with it."""
        with self._lock:
            self._is_stopped = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """Stop, and let go of what the process held. Not while an `extract` is under way."""
        self.stop()
        self._bury()

    def _ask(self, pages: Sequence[PageIn]) -> list[Article]:
        """Send pages and collect the answers: all of them, or those that came before the process died."""
        process = self._process or self._start()
        articles: list[Article] = []
        try:
            _send(process, list(pages))
            for _ in pages:
                self._asked_at = time.monotonic()
                articles.append(_receive(process))
        except Exception:  # half an answer can break in any way; a process that gives one is done for
            self._bury()
        return articles

    def _try_again(self, page: PageIn) -> Article:
        if time.monotonic() - self._asked_at >= self._task.patience:
            return fail(page, self._task, "the page took much longer than its time limit", Status.TIMEOUT)
        # The process may have died of what came before (memory), or by another's hand.
        if articles := self._ask([page]):
            return articles[0]
        return fail(page, self._task, "the page ended the worker process")

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._is_stopped:
                raise BroadsheetError("the worker was stopped")
            self._process = process = _launch()
        try:
            _send(process, sys.path)
            _send(process, self._task)
            trouble = _receive(process)
        except (EOFError, OSError, pickle.UnpicklingError):
            trouble = f"{sys.executable} ended at once"
        if trouble:
            self._bury()
            raise BroadsheetError(f"worker processes do not start ({trouble}); pass workers=1")
        return process

    def _bury(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # what was not sent yet has nobody to go to
                pipe and pipe.close()


def _launch() -> subprocess.Popen[bytes]:
    # A process group of its own: Ctrl-C in a terminal goes to the caller, who then stops the workers.
    apart: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {"creationflags": 0x200}
    command = [sys.executable, "-P", "-c", _START]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **apart)


def _send(process: subprocess.Popen[bytes], message: object) -> None:
    assert process.stdin is not None
    pickle.dump(message, process.stdin, pickle.HIGHEST_PROTOCOL)
    process.stdin.flush()


def _receive(process: subprocess.Popen[bytes]) -> Any:
    assert process.stdout is not None
    return pickle.load(process.stdout)


def serve_pages() -> None:
    """Run in the worker process: answer lists of pages with their articles, one by one, until the caller is gone."""
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a method prints must not get in between the answers
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(EOFError, BrokenPipeError):
        task, trouble = _prepare(questions)
        _answer(answers, pickle.dumps(trouble))
        while task is not None:
            for page in pickle.load(questions):
                _answer(answers, _pickle_article(page, task, nowhere))
    os._exit(0)  # the interpreter's own way out would flush into a pipe that nobody reads


def _prepare(questions: IO[bytes]) -> tuple[Task | None, str]:
    """Read the task and load its method before the first page; or say what is wrong with it."""
    try:
        task: Task = pickle.load(questions)
        if isinstance(task.method, str):
            load_method(task.method)
    except Exception as error:  # told to the caller, who raises it
        return None, f"{type(error).__name__}: {error}"
    return task, ""


def _pickle_article(page: PageIn, task: Task, nowhere: int) -> bytes:
    # The watch is a thread in C that needs no lock of Python's: it also ends a page that hangs in foreign code.
    faulthandler.dump_traceback_later(task.patience, exit=True, file=nowhere)
    try:
        return pickle.dumps(extract_safely(page, task), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # a method of another package may return what cannot be sent
        return pickle.dumps(fail(page, task, f"{type(error).__name__}: {error}"), pickle.HIGHEST_PROTOCOL)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _answer(answers: IO[bytes], message: bytes) -> None:
    answers.write(message)
    answers.flush()
