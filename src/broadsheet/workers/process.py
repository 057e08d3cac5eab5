"""The caller's end of a worker process, and the deadlines of all processes.

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
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from broadsheet.errors import BroadsheetError
from broadsheet.workers import child
from broadsheet.workers.child import describe_error

_START_SECONDS = 120.0  # imports and weights, on a busy machine
_MAX_SECONDS = 86_400.0
_PIPE_BYTES = 262_144  # a user may have 64 MB of pipes in all
_KILL_SECONDS = 10.0  # a killed process ends at once, unless it is in a system call that cannot be interrupted
# By default glibc returns freed memory to the system: a page of 150 KB takes 570 page faults, and none with these.
_MALLOC_SETTINGS = {"MALLOC_MMAP_THRESHOLD_": "4194304", "MALLOC_TRIM_THRESHOLD_": "16777216"}


class Loss(Enum):
    """How a process was lost."""

    DIED = "ended unexpectedly"
    LATE = "missed its deadline"  # and was killed
    OUT_OF_MEMORY = "ran out of memory"
    FAILED = "failed"  # the handler raised, or a request or response could not be sent


class WorkerLost(BroadsheetError):
    """The process did not answer a request. The next request starts a new one."""

    def __init__(self, loss: Loss, reason: str = "") -> None:
        super().__init__(f"the worker process {loss.value}{f': {reason}' if reason else ''}")
        self.loss = loss
        self.reason = reason  # the error, if the handler raised


class WorkerStartError(BroadsheetError):
    """A worker process did not start, or its handler did not load."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the worker process did not start: {reason}")
        self.reason = reason


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


@dataclass(frozen=True, slots=True)
class Handler:
    """The function that makes the handler of a worker's requests, by name: it is loaded in the process."""

    module: str  # dotted name, or path of a file that imports nothing of Broadsheet
    factory: str
    arguments: tuple[object, ...] = ()


class WorkerProcess:
    """A process that answers requests. It starts on the first request, and again after it was lost."""

    def __init__(self, handler: Handler, *, python: Path | None = None, extra_memory: int | None = None) -> None:
        """Prepare a process.

        Args:
            handler: Makes the function that answers requests.
            python: Interpreter of another environment.
            extra_memory: Bytes that the process may allocate beyond its size after loading; None for no limit.

        """
        self._handler = handler
        self._python = python
        self._extra_memory = extra_memory
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        self._lock = threading.Lock()  # of `stop`, which other threads may call

    @property
    def is_running(self) -> bool:
        """Whether a process has been started."""
        return self._process is not None

    @property
    def pid(self) -> int | None:
        """Id of the process, if one has been started."""
        process = self._process
        return process.pid if process else None

    def ask(self, request: object, seconds: float) -> Iterator[Any]:
        """Send a request and yield its responses; each must come within `seconds`. Raises WorkerLost."""
        return self._exchange(child.ASK, request, seconds)

    def read_peak_memory(self, seconds: float) -> float | None:
        """Return the peak resident memory of the process in MB."""
        (peak,) = self._exchange(child.MEMORY, None, seconds)
        return None if peak is None else float(peak)

    def stop(self) -> None:
        """Kill the process for good. A request in progress in another thread raises WorkerLost."""
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
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_KILL_SECONDS)
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):  # unsent data cannot be flushed
                pipe and pipe.close()
        return is_late

    def _exchange(self, kind: str, request: object, seconds: float) -> Iterator[Any]:
        seconds = min(seconds, _MAX_SECONDS)
        message = pickle_request((kind, request, seconds))
        process = self._process or self._start()
        try:
            WATCHDOG.watch(process, seconds)
            _send(process, message)
            while (response := _receive(process))[0] == child.RESPONSE:
                yield response[1]
                WATCHDOG.watch(process, seconds)
            is_late = WATCHDOG.release(process)
        except Exception as error:  # a broken pipe, or half a pickle: the process is gone
            raise WorkerLost(Loss.LATE if self.discard() else Loss.DIED) from error
        except BaseException:  # the caller stopped listening: pending responses would go to the next request
            self.discard()
            raise
        end, value = response
        if end != child.DONE:
            self.discard()
            raise WorkerLost(Loss.OUT_OF_MEMORY) if end == child.OUT_OF_MEMORY else WorkerLost(Loss.FAILED, str(value))
        if is_late:  # killed just after its last response
            self.discard()

    def _start(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._is_stopped:
                raise BroadsheetError("the worker was stopped")
            self._process = process = _launch(self._python)
        try:
            kind, value = self._set_up(process)
        except Exception as error:
            is_late = self.discard()
            reason = f"not ready after {_START_SECONDS:.0f} seconds" if is_late else self._explain(error)
            raise WorkerStartError(reason) from error
        except BaseException:
            self.discard()
            raise
        if kind != child.READY:
            self.discard()
            raise WorkerStartError(str(value))
        return process

    def _set_up(self, process: subprocess.Popen[bytes]) -> tuple[str, Any]:
        """Send the setup to a new process and return its response."""
        handler = self._handler
        setup = (handler.module, handler.factory, handler.arguments, self._extra_memory)
        WATCHDOG.watch(process, _START_SECONDS)
        _send(process, [pickle.dumps(None if self._python else sys.path)])
        _send(process, [pickle.dumps(setup, pickle.HIGHEST_PROTOCOL)])
        response = _receive(process)
        WATCHDOG.release(process)
        return response

    def _explain(self, error: Exception) -> str:
        if isinstance(error, EOFError | OSError):
            return f"{self._python or sys.executable} exited before it was ready"
        return describe_error(error)  # a setup that cannot be pickled, or a program that is not Python


def _launch(python: Path | None) -> subprocess.Popen[bytes]:
    # In a separate process group, so that Ctrl-C in a terminal reaches only the caller, who then stops the workers.
    group: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {"creationflags": 0x200}
    # -P: no module of the current folder can hide one of the standard library. The other environment may be older
    # than Python 3.11, which introduced it.
    options = [] if python else ["-P"]
    command = [str(python or sys.executable), *options, str(Path(child.__file__))]
    try:
        environment = {**_MALLOC_SETTINGS, **os.environ}
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, **group)
    except (OSError, ValueError) as error:  # no such interpreter, or no more processes
        raise WorkerStartError(describe_error(error)) from error
    _enlarge_pipe(process)
    return process


def _enlarge_pipe(process: subprocess.Popen[bytes]) -> None:
    """Make room for most pages in the pipe of requests. By default it has 64 KB, and a larger page is sent in turns."""
    with contextlib.suppress(ImportError, AttributeError, OSError):  # not Linux, or too many large pipes
        import fcntl

        assert process.stdin is not None
        fcntl.fcntl(process.stdin, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class _Pieces(list[bytes]):
    """The output of a pickler, which passes on large `bytes` as they are: a page is not copied before it is sent."""

    write = list[bytes].append


def pickle_request(message: object) -> list[bytes]:
    """Return a pickle in pieces. Raises WorkerLost."""
    pieces = _Pieces()
    try:
        pickle.Pickler(pieces, pickle.HIGHEST_PROTOCOL).dump(message)
    except Exception as error:  # pickling can raise any error
        raise WorkerLost(Loss.FAILED, f"the request cannot be sent ({describe_error(error)})") from error
    return pieces


def _send(process: subprocess.Popen[bytes], message: Iterable[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.writelines(message)
    process.stdin.flush()


def _receive(process: subprocess.Popen[bytes]) -> tuple[str, Any]:
    assert process.stdout is not None
    message: tuple[str, Any] = pickle.load(process.stdout)
    return message
