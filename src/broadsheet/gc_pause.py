"""Pause Python's garbage collection during extraction."""

from __future__ import annotations

import gc
import os
from threading import Lock
from types import TracebackType
from typing import ClassVar


class GcPause:
    """Context manager that disables garbage collection, if it was enabled.

    A page becomes thousands of objects that live until the end and form no cycles. Searching them for cycles takes a
    tenth of the extraction time.
    """

    __slots__ = ()
    _lock: ClassVar[Lock] = Lock()
    _active: ClassVar[int] = 0  # open contexts in all threads
    _was_enabled: ClassVar[bool] = False  # before the first of them

    def __enter__(self) -> None:
        with self._lock:
            if not GcPause._active:
                GcPause._was_enabled = gc.isenabled()
            GcPause._active += 1
            gc.disable()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            GcPause._active = max(GcPause._active - 1, 0)  # 0 already in a process that was forked in a context
            if GcPause._was_enabled:
                gc.enable()  # even while other threads extract; otherwise a busy server would never collect


def _reset_after_fork() -> None:
    """Forget the threads of the parent process: one of them may have held the lock or been in a context."""
    GcPause._lock = Lock()
    if GcPause._active and GcPause._was_enabled:
        gc.enable()
    GcPause._active = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
