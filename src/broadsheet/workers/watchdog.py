"""The clock of worker processes, kept by the caller: a process that is late is killed, whatever state it is in."""

from __future__ import annotations

import os
import subprocess
import threading
import time

_IDLE_SECONDS = 5.0  # how long the thread waits for another process before it ends


class Watchdog:
    """Kills processes whose deadline has passed. One daemon thread serves all processes, while there are any."""

    def __init__(self) -> None:
        self._deadlines: dict[subprocess.Popen[bytes], float] = {}
        self._killed: set[subprocess.Popen[bytes]] = set()
        self._changed = threading.Condition()
        self._wakes_at = 0.0  # when the thread looks at the clock next
        self._is_ending = False
        self._thread: threading.Thread | None = None
        self._pid = 0

    def watch(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        """Give a process so many seconds from now. Replaces its earlier deadline."""
        deadline = time.monotonic() + seconds
        with self._changed:
            self._deadlines[process] = deadline
            if self._thread is None or self._pid != os.getpid():  # threads do not survive a fork
                self._pid, self._is_ending = os.getpid(), False
                self._thread = threading.Thread(target=self._run, name="broadsheet-watchdog", daemon=True)
                self._thread.start()
            elif deadline < self._wakes_at:
                self._changed.notify()

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
            thread = self._thread
            if self._deadlines or thread is None or self._pid != os.getpid():
                return
            self._is_ending = True
            self._changed.notify()
        thread.join()

    def _run(self) -> None:
        with self._changed:
            while True:
                now = time.monotonic()
                self._kill_late(now)
                if not self._deadlines and self._is_ending:
                    break
                self._wakes_at = min(self._deadlines.values(), default=now + _IDLE_SECONDS)
                is_notified = self._changed.wait(max(self._wakes_at - now, 0))
                if not is_notified and not self._deadlines:
                    break
            self._thread, self._is_ending = None, False

    def _kill_late(self, now: float) -> None:
        for process in [process for process, deadline in self._deadlines.items() if deadline <= now]:
            del self._deadlines[process]
            self._killed.add(process)
            process.kill()


WATCHDOG = Watchdog()
