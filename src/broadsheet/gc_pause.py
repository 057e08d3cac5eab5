"""Python's collector of cycles, while a page is being read."""

from __future__ import annotations

import gc
from threading import Lock
from types import TracebackType
from typing import ClassVar


class PausedCollector:
    """Keeps the collector off for the length of a `with`, if it was on.

    A page becomes thousands of objects, all needed until the end and none in a cycle: looking for cycles among them,
    again and again, takes a tenth of the time. What was made meanwhile is looked at right after.
    """

    __slots__ = ()
    _lock: ClassVar[Lock] = Lock()
    _inside: ClassVar[int] = 0  # how many are at it, in all threads
    _was_on: ClassVar[bool] = False

    def __enter__(self) -> None:
        with self._lock:
            if not PausedCollector._inside:
                PausedCollector._was_on = gc.isenabled()
            PausedCollector._inside += 1
            gc.disable()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            PausedCollector._inside -= 1
            if PausedCollector._was_on:
                gc.enable()  # also when others are at it: where somebody always is, it would never run
