"""The program of a worker process: requests on standard input, responses on standard output, both as pickles.

Only the standard library is imported, because peers run this file in other environments.

The first two messages are `sys.path` and a `Setup` as a plain tuple, which names a factory. The factory returns the
handler of all later requests: a function from a request to an iterable of responses. The process exits when its input
ends, or after a handler has raised.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import IO, Any, NamedTuple

Handler = Callable[[Any], Iterable[object]]

# Kinds of messages from the process
READY, RESPONSE, DONE, FAILED, OUT_OF_MEMORY = "ready", "response", "done", "failed", "out of memory"
ASK, MEMORY = "ask", "memory"  # kinds of requests to it

# The caller kills a process that misses its deadline. If the caller is gone, the process ends itself this much later.
_ORPHAN_SECONDS = 30.0
_TIMER_PERIOD_SECONDS = 1.0  # starting the timer costs 0.1 ms, so it is not restarted for every response


class Setup(NamedTuple):
    """How a process gets its handler. Sent as a plain tuple, since the process may not have this class."""

    module: str  # dotted name, or path of a file
    factory: str  # function of the module that returns the handler
    arguments: tuple[object, ...]
    extra_memory: int | None  # bytes that the process may allocate after setup; None: no limit


class _CallerGone(Exception):
    """The other end of a pipe is closed."""


def main() -> None:
    """Answer requests until the caller closes the input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller decides what an interrupt means
    requests, responses = _claim_pipes()
    with contextlib.suppress(_CallerGone):
        handler = _set_up(requests, responses)
        while handler is not None and _answer(handler, requests, responses):
            pass
    os._exit(0)  # a normal exit would wait for threads that the handler has started


def _claim_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes of requests and responses. Handlers get an empty input, and print to standard error instead."""
    null = os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:  # the caller has none
        os.dup2(null, 2)
        sys.stderr = os.fdopen(2, "w", closefd=False)
    requests, responses = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(null, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, responses


def _set_up(requests: IO[bytes], responses: IO[bytes]) -> Handler | None:
    """Make the handler. An error is sent to the caller, who raises it."""
    try:
        sys_path = _receive(requests)  # sent first, so that the setup can be unpickled
        if sys_path is not None:
            sys.path[:] = sys_path
        elif sys.path and Path(sys.path[0]) == Path(__file__).parent:
            del sys.path[0]  # the folder of this file, which the option -P of later Python versions leaves out
        setup = Setup(*_receive(requests))
        handler: Handler = getattr(_load_module(setup.module), setup.factory)(*setup.arguments)
        limit_memory(setup.extra_memory)
    except _CallerGone:
        raise
    except BaseException as error:
        _send(responses, FAILED, describe_error(error))
        return None
    _send(responses, READY)
    return handler


def _answer(handler: Handler, requests: IO[bytes], responses: IO[bytes]) -> bool:
    """Answer one request. Return False after an error: it is sent to the caller, who starts a new process."""
    try:
        kind, request, seconds = _receive(requests)
        with _limit_time(seconds) as restart_timer:
            for response in (read_peak_memory(),) if kind == MEMORY else handler(request):
                _send(responses, RESPONSE, response)
                restart_timer()
        _send(responses, DONE)
    except _CallerGone:
        raise
    except MemoryError:
        _send(responses, OUT_OF_MEMORY)
    except BaseException as error:
        _send(responses, FAILED, describe_error(error))
    else:
        return True
    return False


def _receive(requests: IO[bytes]) -> Any:
    try:
        return pickle.load(requests)
    except EOFError as error:
        raise _CallerGone from error


def _send(responses: IO[bytes], kind: str, value: object = None) -> None:
    message = pickle.dumps((kind, value), pickle.HIGHEST_PROTOCOL)
    try:
        responses.write(message)
        responses.flush()
    except OSError as error:
        raise _CallerGone from error


@contextlib.contextmanager
def _limit_time(seconds: float) -> Iterator[Callable[[], None]]:
    """End the process when a response is very late. Yields the function that starts the time of the next response.

    The timer of `faulthandler` does not need the interpreter lock, so it also ends a process that hangs in C code.
    """
    started_at = time.monotonic()

    def start() -> None:
        with contextlib.suppress(RuntimeError):  # no memory for its thread
            faulthandler.dump_traceback_later(seconds + _ORPHAN_SECONDS, exit=True, file=_open_null())

    def restart() -> None:
        nonlocal started_at
        now = time.monotonic()
        if now - started_at > _TIMER_PERIOD_SECONDS:
            started_at = now
            start()

    start()
    try:
        yield restart
    finally:
        faulthandler.cancel_dump_traceback_later()


@cache
def _open_null() -> IO[str]:
    return Path(os.devnull).open("w")


def _load_module(name: str) -> Any:
    if not name.endswith(".py"):
        return import_module(name)
    spec = spec_from_file_location(Path(name).stem, name)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def describe_error(error: BaseException) -> str:
    """Return the type and the message of an error; only its type if it has no message, or cannot make one.

    The messages of Broadsheet's own errors are complete sentences for users, so these have no type. This file also runs
    where Broadsheet is not installed, so they are known by the name of their module.
    """
    try:
        message = str(error)
    except Exception:
        message = ""
    if message and type(error).__module__ == "broadsheet.errors":
        return message
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def limit_memory(extra_memory: int | None) -> None:
    """Limit the address space of this process to its present size plus `extra_memory` bytes. Only works on Linux."""
    if extra_memory is None:
        return
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + extra_memory
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
    except (ImportError, OSError, ValueError):  # not Linux
        return


def read_peak_memory() -> float | None:
    """Return the peak resident memory of this process in MB; None where the system does not report it."""
    # On Linux ru_maxrss starts at the peak of the parent process; the status file does not.
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text().splitlines()
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), None)
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    main()
