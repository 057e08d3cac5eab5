"""The program of a worker process: requests on standard input, responses on standard output, both as pickles.

Only the standard library is imported here, because other extractors run this file in environments of their own.

The first two messages are `sys.path` and a `Setup` as a plain tuple, which names a factory. The factory returns the
handler of all later requests: a function from a request to an iterable of responses. The process ends when its input
does.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import IO, Any, NamedTuple

Handler = Callable[[Any], Iterable[object]]

READY, FAILED, RESPONSE, DONE = "ready", "failed", "response", "done"  # messages of the process
ASK, MEMORY = "ask", "memory"  # requests to it


class Setup(NamedTuple):
    """How a process gets its handler. Sent as a plain tuple, since the process may not have this class."""

    module: str  # dotted name, or path of a file
    factory: str  # function of the module that returns the handler
    arguments: tuple[object, ...]
    extra_memory: int | None  # bytes that the process may allocate after setup; None: no limit


def main() -> None:
    """Answer requests until the caller closes the input."""
    requests, responses = sys.stdin.buffer, _claim_stdout()
    with contextlib.suppress(EOFError, BrokenPipeError):
        handler = _set_up(requests, responses)
        while handler is not None:
            kind, request = pickle.load(requests)
            if kind == MEMORY:
                _send(responses, RESPONSE, read_peak_memory())
            else:
                _answer(handler, request, responses)
            _send(responses, DONE, None)
    os._exit(0)  # a normal exit would flush into a pipe that nobody reads


def _claim_stdout() -> IO[bytes]:
    """Return the real standard output, and send everything that is printed to standard error instead."""
    responses = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return responses


def _set_up(requests: IO[bytes], responses: IO[bytes]) -> Handler | None:
    sys_path = pickle.load(requests)  # sent first, so that the setup can be unpickled
    if sys_path is not None:
        sys.path[:] = sys_path
    elif sys.path and Path(sys.path[0]) == Path(__file__).parent:
        del sys.path[0]  # the folder of this file; later Python versions leave it out by -P
    try:
        setup = Setup(*pickle.load(requests))
        handler: Handler = getattr(_load_module(setup.module), setup.factory)(*setup.arguments)
        limit_memory(setup.extra_memory)
    except EOFError:
        raise
    except Exception as error:  # reported to the caller, who raises it
        _send(responses, FAILED, f"{type(error).__name__}: {error}")
        return None
    _send(responses, READY, None)
    return handler


def _answer(handler: Handler, request: object, responses: IO[bytes]) -> None:
    try:
        for response in handler(request):
            _send(responses, RESPONSE, response)
    except BrokenPipeError:
        raise
    except Exception as error:  # reported to the caller, who starts a new process
        _send(responses, FAILED, f"{type(error).__name__}: {error}")


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


def _send(responses: IO[bytes], kind: str, value: object) -> None:
    try:
        message = pickle.dumps((kind, value), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # a handler may return a value that cannot be pickled
        message = pickle.dumps((FAILED, f"{type(error).__name__}: {error}"))
    responses.write(message)
    responses.flush()


def limit_memory(extra_memory: int | None) -> None:
    """Bound the address space of this process to its present size and so many bytes more, where the system can."""
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
