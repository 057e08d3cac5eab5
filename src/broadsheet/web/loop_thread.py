"""The thread in which plain functions run the asynchronous client."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


class LoopThread:
    """An event loop in a daemon thread, started on first use."""

    def __init__(self) -> None:
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        """Start without a loop. A forked process has the loop of its parent, but not the thread."""
        self._lock = threading.Lock()
        self._inherited = getattr(self, "_loop", None)  # kept: its end would close what the parent uses
        self._loop: asyncio.AbstractEventLoop | None = None

    def submit(self, work: Coroutine[Any, Any, ResultT]) -> Future[ResultT]:
        """Start work in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._find_loop())

    def run(self, work: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Wait for work in the loop. An interrupt of the waiting thread cancels it."""
        future = self.submit(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _find_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=self._loop.run_forever, name="broadsheet-http", daemon=True).start()
            return self._loop


HTTP_THREAD = LoopThread()
