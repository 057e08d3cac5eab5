"""Python's collector of cycles, while a page is being read."""

from __future__ import annotations

import gc
from types import TracebackType


class PausedCollector:
    """Keeps the collector off for the length of a `with`, if it was on.

    A page becomes thousands of objects, all needed until the end and none in a cycle: looking for cycles among them,
    again and again, takes a tenth of the time. What was made meanwhile is looked at right after.
    """

    __slots__ = ("_was_on",)

    def __enter__(self) -> None:
        self._was_on = gc.isenabled()
        gc.disable()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._was_on:
            gc.enable()
