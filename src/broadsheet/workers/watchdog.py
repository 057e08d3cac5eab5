"""Deadlines of worker processes, enforced by the caller: a late process is killed, whatever state it is in."""

from __future__ import annotations

import os
import subprocess
import threading
import time

_IDLE_SECONDS = 5.0  # how long the thread waits for another process before it ends
# A thread that wakes up much too late was suspended, together with the caller. Processes then get a little more time:
# the caller may not have read responses that came in time.
_MAX_DELAY_SECONDS = 1.0
_RESUME_SECONDS = 5.0


class Watchdog:
    """Kills processes whose deadline has passed. One daemon thread serves all processes, while there are any."""

    def __init__(self) -> None:
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        """Start without processes. A forked process has neither the thread nor the workers of its parent."""
        self._deadlines: dict[subprocess.Popen[bytes], float] = {}
        self._killed: set[subprocess.Popen[bytes]] = set()
        self._changed = threading.Condition()
        self._wakes_at = 0.0  # when the thread checks the deadlines next
        self._thread: threading.Thread | None = None

    def watch(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        """Set the deadline of a process to `seconds` from now. Replaces an earlier deadline."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self._deadlines[process] = deadline
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="broadsheet-watchdog", daemon=True)
                thread.start()
                self._thread = thread
            elif deadline < self._wakes_at:
                self._changed.notify_all()

    def release(self, process: subprocess.Popen[bytes]) -> bool:
        """Remove the deadline of a process. Return whether the process was killed for missing it."""
        with self._changed:
            self._deadlines.pop(process, None)
            is_late = process in self._killed
            self._killed.discard(process)
        return is_late

    def end_if_idle(self) -> None:
        """End the thread if no process is watched, so that none is left when the last worker is closed."""
        with self._changed:
            if self._deadlines:
                return
            thread, self._thread = self._thread, None
            self._changed.notify_all()
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        with self._changed:
            while self._thread is threading.current_thread():
                now = time.monotonic()
                self._wakes_at = min(self._deadlines.values(), default=now + _IDLE_SECONDS)
                self._changed.wait(max(self._wakes_at - now, 0))
                if self._thread is not threading.current_thread():
                    break
                now = time.monotonic()
                if now > self._wakes_at + _MAX_DELAY_SECONDS:
                    self._extend_deadlines(now + _RESUME_SECONDS)
                self._kill_late(now)
                if not self._deadlines and now >= self._wakes_at:
                    self._thread = None

    def _extend_deadlines(self, earliest: float) -> None:
        for process, deadline in self._deadlines.items():
            self._deadlines[process] = max(deadline, earliest)

    def _kill_late(self, now: float) -> None:
        for process in [process for process, deadline in self._deadlines.items() if deadline <= now]:
            del self._deadlines[process]
            self._killed.add(process)
            process.kill()


WATCHDOG = Watchdog()
