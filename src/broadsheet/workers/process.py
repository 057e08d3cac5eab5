"""The caller's end of a worker process.

Plain subprocesses rather than `multiprocessing`: the caller's main module is not run again, no process with threads is
forked, and workers may be started from any thread and from daemonic processes. A worker whose caller is gone reads the
end of its input and exits.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from broadsheet.errors import BroadsheetError
from broadsheet.workers import child
from broadsheet.workers.watchdog import WATCHDOG

_START_SECONDS = 120.0  # imports and weights, on a busy machine
_MAX_SECONDS = 86_400.0


class WorkerLost(BroadsheetError):
    """The process died, missed its deadline and was killed (`is_late`), or sent no usable response (`reason`)."""

    def __init__(self, reason: str = "", *, is_late: bool = False) -> None:
        super().__init__(reason or ("missed its deadline" if is_late else "ended unexpectedly"))
        self.reason = reason
        self.is_late = is_late


class WorkerStartError(BroadsheetError):
    """A worker process did not start, or its handler did not load."""


@dataclass(frozen=True, slots=True)
class Handler:
    """The function that makes the handler of a worker's requests, by name: it is loaded in the process."""

    module: str  # dotted name, or path of a file that imports nothing of Broadsheet
    factory: str
    arguments: tuple[object, ...] = ()


class WorkerProcess:
    """A process that answers requests. It starts on the first request, and again after it was lost."""

    def __init__(self, handler: Handler, *, python: Path | None = None, extra_memory: int | None = None) -> None:
        """`python` is the interpreter of another environment; `extra_memory` bounds what a request may allocate."""
        self._handler = handler
        self._python = python
        self._extra_memory = extra_memory
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self._lock = threading.Lock()

    @property
    def is_running(self) -> bool:
        """Whether a process is at hand."""
        return self._process is not None

    def ask(self, request: object, seconds: float) -> Iterator[Any]:
        """Send a request and yield its responses; each must come within `seconds`. Raises WorkerLost."""
        return self._exchange(child.ASK, request, seconds)

    def read_peak_memory(self, seconds: float) -> float | None:
        """Return the peak resident memory of the process in MB."""
        (peak,) = self._exchange(child.MEMORY, None, seconds)
        return None if peak is None else float(peak)

    def stop(self) -> None:
        """Kill the process; a request in progress in another thread raises WorkerLost. It does not start again."""
        with self._lock:
            self._is_stopped = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """Stop, and release the pipes. Not while a request is in progress."""
        self.stop()
        self.discard()
        WATCHDOG.end_if_idle()

    def discard(self) -> bool:
        """Kill and forget the process; the next request starts a new one. Return whether it had missed its deadline."""
        process, self._process = self._process, None
        if process is None:
            return False
        is_late = WATCHDOG.release(process)
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # unsent data cannot be flushed
                pipe and pipe.close()
        return is_late

    def _exchange(self, kind: str, request: object, seconds: float) -> Iterator[Any]:
        process = self._process or self._start()
        seconds = min(seconds, _MAX_SECONDS)
        try:
            WATCHDOG.watch(process, seconds)
            _send(process, (kind, request))
            while True:
                message, value = _receive(process)
                if message == child.DONE:
                    break
                if message == child.FAILED:  # the response could not be pickled
                    raise WorkerLost(value)
                yield value
                WATCHDOG.watch(process, seconds)
            WATCHDOG.release(process)
        except WorkerLost:
            self.discard()
            raise
        except Exception as error:  # a broken pipe, or half a pickle: the process is gone
            is_late = self.discard()
            raise WorkerLost(is_late=is_late) from error
        except BaseException:  # the caller stopped listening: pending responses would go to the next request
            self.discard()
            raise

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._is_stopped:
                raise BroadsheetError("the worker was stopped")
            self._process = process = _launch(self._python)
        handler = self._handler
        try:
            WATCHDOG.watch(process, _START_SECONDS)
            _send(process, None if self._python else sys.path)
            _send(process, (handler.module, handler.factory, handler.arguments, self._extra_memory))
            message, value = _receive(process)
        except (EOFError, OSError, pickle.UnpicklingError):
            message, value = child.FAILED, f"{process.args[0] if isinstance(process.args, list) else ''} ended at once"
        if message != child.READY:
            self.discard()
            raise WorkerStartError(str(value))
        WATCHDOG.release(process)
        return process


def _launch(python: Path | None) -> subprocess.Popen[bytes]:
    # In its own process group, so that Ctrl-C in a terminal reaches only the caller, who then stops the workers.
    group: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {"creationflags": 0x200}
    # -P: no module of the current folder can hide one of the standard library.
    command = [str(python or sys.executable), "-P", str(Path(child.__file__))]
    if python is not None:
        del command[1]  # an option of Python 3.11; the other environment may be older
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **group)


def _send(process: subprocess.Popen[bytes], message: object) -> None:
    assert process.stdin is not None
    pickle.dump(message, process.stdin, pickle.HIGHEST_PROTOCOL)
    process.stdin.flush()


def _receive(process: subprocess.Popen[bytes]) -> tuple[str, Any]:
    assert process.stdout is not None
    message: tuple[str, Any] = pickle.load(process.stdout)
    return message
