"""Render a page in Chromium, and add the boxes and styles of its nodes.

Scripts and network are off by default: a page is rendered as it was saved. All threads of a process share one browser,
which runs in a thread of its own and is closed at exit.
"""

from __future__ import annotations

import atexit
import os
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

from broadsheet.errors import MissingExtra, RenderError
from broadsheet.page import Page
from broadsheet.style.browser.chromium import Chromium, RenderOptions, Task
from broadsheet.style.browser.snapshot import PROPERTIES, read_snapshot

_DEFAULT_OPTIONS = RenderOptions()
_DEFAULT_URL = "http://page.invalid/"  # of a page without one; the domain never resolves
_THREAD_CHECK_SECONDS = 1.0
_MAX_CLOSE_SECONDS = 10.0


def render_page(html: str, page: Page, options: RenderOptions = _DEFAULT_OPTIONS) -> Page:
    """Render a page in Chromium and return it with its rendering; `html` is the text that was parsed.

    Raises MissingExtra without playwright, RenderError without Chromium or if Chromium fails on the page.
    """
    url = (page.url or page.base or _DEFAULT_URL).partition("#")[0]
    snapshot = _get_browser_thread().run(Task(html, url, dict(page.sheets), options))
    return replace(page, rendering=read_snapshot(snapshot, page.nodes))


def close_browser() -> None:
    """Close the browser if one is open. The next page starts a new one."""
    global _browser_thread
    with _lock:
        if _browser_thread is not None and _browser_thread.pid == os.getpid():
            _browser_thread.close()
        _browser_thread = None


class _BrowserThread:
    """A thread with a browser, and a queue of tasks."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._queue: SimpleQueue[tuple[Task, Future[Any]] | None] = SimpleQueue()
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="broadsheet-render", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive() and not self._is_closed

    def run(self, task: Task) -> Any:
        """Return the snapshot of a page."""
        future: Future[Any] = Future()
        self._queue.put((task, future))
        while True:
            try:
                return future.result(timeout=_THREAD_CHECK_SECONDS)
            except FutureTimeoutError:
                if future.done():
                    raise
                if not self._thread.is_alive():
                    raise RenderError("the browser thread has ended; try again") from None

    def close(self) -> None:
        self._is_closed = True
        self._queue.put(None)
        self._thread.join(timeout=_MAX_CLOSE_SECONDS)

    def _work(self) -> None:
        chromium: Chromium | None = None
        while (item := self._queue.get()) is not None:
            task, future = item
            try:
                if chromium is not None and not chromium.can_run(task):
                    chromium.close()
                    chromium = None
                if chromium is None:
                    chromium = Chromium(task.options)
                future.set_result(chromium.capture(task, PROPERTIES))
            except (MissingExtra, RenderError) as error:
                future.set_exception(error)
            except Exception as error:  # playwright raises many types
                if chromium is not None:
                    chromium.close()
                    chromium = None
                reason = (str(error).strip() or type(error).__name__).splitlines()[0]
                future.set_exception(RenderError(f"the browser failed on the page: {reason}"))
        if chromium is not None:
            chromium.close()


_lock = threading.Lock()
_browser_thread: _BrowserThread | None = None


def _get_browser_thread() -> _BrowserThread:
    """Return the browser thread of the process; a forked process starts another."""
    global _browser_thread
    with _lock:
        if _browser_thread is None or _browser_thread.pid != os.getpid() or not _browser_thread.is_alive:
            _browser_thread = _BrowserThread()
            atexit.register(_browser_thread.close)
        return _browser_thread
