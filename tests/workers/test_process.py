"""The worker protocol: responses, deaths, deadlines, and processes that stop reading."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from broadsheet.workers.process import Handler, WorkerLost, WorkerProcess, WorkerStartError

SECONDS = 30.0


def open_test_handler(greeting: str) -> Callable[[Any], Iterable[object]]:
    """The handler of these tests; called in the worker process."""

    def handle(request: Any) -> Iterable[object]:
        order, value = request
        match order:
            case "repeat":
                return [f"{greeting} {value}"] * 3
            case "pid":
                return [os.getpid()]
            case "sleep":
                time.sleep(value)
            case "exit":
                os._exit(value)
            case "raise":
                raise ValueError(value)
            case "unpicklable":
                return [lambda: value]
            case "print":
                print(value, flush=True)
            case "allocate":
                return [len(bytearray(value))]
        return [order]

    return handle


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    process = WorkerProcess(Handler(__file__, open_test_handler.__name__, ("hello",)))
    yield process
    process.close()


def ask(worker: WorkerProcess, order: str, value: object = None, seconds: float = SECONDS) -> Any:
    first, *_ = worker.ask((order, value), seconds)
    return first


def test_responses_come_in_order(worker: WorkerProcess) -> None:
    assert list(worker.ask(("repeat", "you"), SECONDS)) == ["hello you"] * 3
    assert ask(worker, "print", "not a response") == "print"
    assert ask(worker, "pid") == ask(worker, "pid") != os.getpid()


@pytest.mark.parametrize(
    ("order", "value", "reason"),
    [
        ("exit", 3, "ended unexpectedly"),
        ("raise", "broken", "ValueError: broken"),
        ("unpicklable", 1, "pickle"),
    ],
)
def test_a_lost_process_is_replaced(worker: WorkerProcess, order: str, value: object, reason: str) -> None:
    before = ask(worker, "pid")
    with pytest.raises(WorkerLost, match=reason) as caught:
        ask(worker, order, value)
    assert not caught.value.is_late
    assert ask(worker, "pid") != before


def test_a_late_process_is_killed(worker: WorkerProcess) -> None:
    ask(worker, "pid")
    began = time.monotonic()
    with pytest.raises(WorkerLost, match="missed its deadline") as caught:
        ask(worker, "sleep", 60, seconds=0.3)
    assert caught.value.is_late
    assert time.monotonic() - began < 3


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="there is no SIGSTOP on this system")
@pytest.mark.parametrize("size", [10, 1_000_000], ids=["fits the pipe", "fills the pipe"])
def test_a_stopped_process_is_killed(worker: WorkerProcess, size: int) -> None:
    os.kill(ask(worker, "pid"), signal.SIGSTOP)
    with pytest.raises(WorkerLost) as caught:
        ask(worker, "repeat", "x" * size, seconds=0.3)
    assert caught.value.is_late
    assert ask(worker, "repeat", "you") == "hello you"


def test_the_caller_may_stop_listening(worker: WorkerProcess) -> None:
    responses = worker.ask(("repeat", "you"), SECONDS)
    assert next(responses) == "hello you"
    responses.close()  # type: ignore[attr-defined]
    assert ask(worker, "sleep", 0) == "sleep"


def test_stop_ends_a_request_in_another_thread(worker: WorkerProcess) -> None:
    ask(worker, "pid")
    timer = threading.Timer(0.2, worker.stop)
    timer.start()
    with pytest.raises(WorkerLost):
        ask(worker, "sleep", 60)
    timer.join()


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        (Handler("no_such_module", "open"), "ModuleNotFoundError"),
        (Handler("os", "no_such_function"), "AttributeError"),
        (Handler(__file__, "open_test_handler", (1, 2, 3)), "TypeError"),
    ],
)
def test_a_handler_that_does_not_load_says_why(handler: Handler, reason: str) -> None:
    worker = WorkerProcess(handler)
    with pytest.raises(WorkerStartError, match=reason):
        ask(worker, "pid")
    worker.close()


def test_another_interpreter(worker: WorkerProcess) -> None:
    other = WorkerProcess(Handler(__file__, "open_test_handler", ("hi",)), python=Path(sys.executable))
    try:
        assert ask(other, "repeat", "you") == "hi you"
    finally:
        other.close()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is bounded on Linux only")
def test_memory_is_bounded_beyond_the_base() -> None:
    bounded = WorkerProcess(Handler(__file__, "open_test_handler", ("hi",)), extra_memory=200_000_000)
    try:
        assert ask(bounded, "allocate", 50_000_000) == 50_000_000
        with pytest.raises(WorkerLost, match="MemoryError"):
            ask(bounded, "allocate", 500_000_000)
        assert ask(bounded, "repeat", "you") == "hi you"
    finally:
        bounded.close()


def test_peak_memory(worker: WorkerProcess) -> None:
    ask(worker, "allocate", 100_000_000)
    peak = worker.read_peak_memory(SECONDS)
    assert peak is None or 100 < peak < 1_000


def test_no_thread_is_left_when_all_are_closed(worker: WorkerProcess) -> None:
    ask(worker, "pid")
    worker.close()
    assert "broadsheet-watchdog" not in {thread.name for thread in threading.enumerate()}
