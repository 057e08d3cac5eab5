"""The worker protocol: responses, processes that die, deadlines, and processes that stop reading."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.workers.running import is_running, wait_for_end

from broadsheet.errors import BroadsheetError
from broadsheet.workers import process as process_module
from broadsheet.workers.process import (
    WATCHDOG,
    Handler,
    Loss,
    WorkerLost,
    WorkerProcess,
    WorkerStartError,
    pickle_request,
)

SECONDS = 300.0  # only for the case that a process never answers
HANDLER_FILE = str(Path(__file__).with_name("order_handler.py"))


class Unreadable:
    """Can be pickled, and fails when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return int, ("not a number",)


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    process = WorkerProcess(Handler(HANDLER_FILE, "open_handler", ("hello",)))
    yield process
    process.close()


def ask(worker: WorkerProcess, order: str, value: object = None, seconds: float = SECONDS) -> Any:
    first, *_ = worker.ask((order, value), seconds)
    return first


def test_responses_come_in_order(worker: WorkerProcess) -> None:
    assert list(worker.ask(("greet", "you"), SECONDS)) == ["hello you"] * 3
    assert ask(worker, "pid") == ask(worker, "pid") != os.getpid()


def test_printed_text_goes_to_standard_error(worker: WorkerProcess, capfd: pytest.CaptureFixture[str]) -> None:
    assert ask(worker, "print", "not a response") == "printed"
    assert ask(worker, "pid")
    output = capfd.readouterr()
    assert output.out == ""
    assert output.err.count("not a response") == 2


def test_standard_input_of_a_handler_is_empty(worker: WorkerProcess) -> None:
    assert list(worker.ask(("read", None), SECONDS)) == ["", b""]
    assert ask(worker, "greet", "you") == "hello you"


@pytest.mark.parametrize(
    ("order", "value", "loss", "reason"),
    [
        ("exit", 3, Loss.DIED, "ended unexpectedly"),
        ("raise", "value", Loss.FAILED, "failed: ValueError: broken"),
        ("raise", "unprintable", Loss.FAILED, "failed: Unprintable"),
        ("raise", "exit", Loss.FAILED, "failed: SystemExit: 3"),
        ("raise", "pipe", Loss.FAILED, "failed: BrokenPipeError: the handler's pipe"),
        ("raise", "end", Loss.FAILED, "failed: EOFError: the handler's file"),
        ("raise", "interrupt", Loss.FAILED, "failed: KeyboardInterrupt"),
        ("unpicklable", 1, Loss.FAILED, "pickle"),
        ("greet", lambda: 1, Loss.FAILED, "the request cannot be sent"),
        ("greet", Unreadable(), Loss.FAILED, "failed: ValueError: invalid literal"),
    ],
)
def test_a_failed_request_does_not_affect_the_next(
    worker: WorkerProcess, order: str, value: object, loss: Loss, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    ask(worker, "pid")
    with pytest.raises(WorkerLost, match=reason) as caught:
        ask(worker, order, value)
    assert caught.value.loss is loss
    assert ask(worker, "greet", "you") == "hello you"
    assert "Traceback" not in capfd.readouterr().err


def test_a_late_process_is_killed(worker: WorkerProcess) -> None:
    pid = ask(worker, "pid")
    started_at = time.monotonic()
    with pytest.raises(WorkerLost, match="missed its deadline") as caught:
        ask(worker, "sleep", 600, seconds=0.3)
    assert caught.value.loss is Loss.LATE
    assert time.monotonic() - started_at < 300
    assert not is_running(pid)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system has no SIGSTOP")
@pytest.mark.parametrize("size", [10, 1_000_000], ids=["fits the pipe", "fills the pipe"])
def test_a_stopped_process_is_killed(worker: WorkerProcess, size: int) -> None:
    os.kill(ask(worker, "pid"), signal.SIGSTOP)
    with pytest.raises(WorkerLost) as caught:
        ask(worker, "greet", "x" * size, seconds=0.3)
    assert caught.value.loss is Loss.LATE
    assert ask(worker, "greet", "you") == "hello you"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_does_not_reach_the_process(worker: WorkerProcess) -> None:
    pid = ask(worker, "pid")
    os.kill(pid, signal.SIGINT)
    assert ask(worker, "pid") == pid


def test_the_caller_may_stop_listening(worker: WorkerProcess) -> None:
    responses = worker.ask(("greet", "you"), SECONDS)
    assert next(responses) == "hello you"
    responses.close()  # type: ignore[attr-defined]
    assert ask(worker, "sleep", 0) == "slept"


def test_stop_ends_a_request_in_another_thread(worker: WorkerProcess) -> None:
    ask(worker, "pid")
    timer = threading.Timer(0.2, worker.stop)
    timer.start()
    with pytest.raises(WorkerLost):
        ask(worker, "sleep", 600)
    timer.join()
    with pytest.raises(BroadsheetError, match="the worker was stopped"):
        ask(worker, "pid")


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        (Handler("no_such_module", "open"), "ModuleNotFoundError"),
        (Handler("os", "no_such_function"), "AttributeError"),
        (Handler(HANDLER_FILE, "open_handler", (1, 2, 3)), "TypeError"),
        (Handler(HANDLER_FILE, "open_handler", (lambda: 1,)), "pickle"),
        (Handler(HANDLER_FILE, "open_handler", (Unreadable(),)), "ValueError: invalid literal"),
        (Handler("sys", "exit", (7,)), "SystemExit: 7"),
        (Handler("os", "_exit", (7,)), "exited before it was ready"),
    ],
)
def test_a_handler_that_does_not_load_is_reported(
    handler: Handler, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    worker = WorkerProcess(handler)
    with pytest.raises(WorkerStartError, match=reason):
        ask(worker, "pid")
    assert not worker.is_running
    worker.close()
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("program", "reason"),
    [(None, "FileNotFoundError"), ("#!/bin/sh\necho hello\n", "did not start"), ("#!/bin/sh\n", "exited before")],
)
def test_an_interpreter_that_does_not_start_is_reported(program: str | None, reason: str, tmp_path: Path) -> None:
    python = tmp_path / "python"
    if program:
        python.write_text(program)
        python.chmod(0o755)
    worker = WorkerProcess(Handler(HANDLER_FILE, "open_handler", ("hi",)), python=python)
    with pytest.raises(WorkerStartError, match=reason):
        ask(worker, "pid")
    worker.close()


def test_a_start_that_takes_too_long_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_module, "_START_SECONDS", 0.3)
    worker = WorkerProcess(Handler("time", "sleep", (600,)))
    with pytest.raises(WorkerStartError, match="not ready after 0 seconds"):
        ask(worker, "pid")
    worker.close()


def test_another_interpreter() -> None:
    worker = WorkerProcess(Handler(HANDLER_FILE, "open_handler", ("hi",)), python=Path(sys.executable))
    try:
        assert ask(worker, "greet", "you") == "hi you"
    finally:
        worker.close()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is limited on Linux only")
def test_memory_is_limited() -> None:
    worker = WorkerProcess(Handler(HANDLER_FILE, "open_handler", ("hi",)), extra_memory=200_000_000)
    try:
        assert ask(worker, "allocate", 50_000_000) == 50_000_000
        with pytest.raises(WorkerLost, match="ran out of memory") as caught:
            ask(worker, "allocate", 500_000_000)
        assert caught.value.loss is Loss.OUT_OF_MEMORY
        assert ask(worker, "greet", "you") == "hi you"
    finally:
        worker.close()


def test_freed_memory_is_kept_for_the_next_page(worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "1000000")  # what the user sets is not changed
    assert ask(worker, "environment", "MALLOC_TRIM_THRESHOLD_") == "1000000"
    assert int(ask(worker, "environment", "MALLOC_MMAP_THRESHOLD_")) > 1_000_000


def test_peak_memory(worker: WorkerProcess) -> None:
    ask(worker, "allocate", 100_000_000)
    peak = worker.read_peak_memory(SECONDS)
    assert peak is None or 100 < peak < 1_000


def test_no_thread_is_left_when_all_workers_are_closed(worker: WorkerProcess) -> None:
    ask(worker, "pid")
    worker.close()
    assert "broadsheet-watchdog" not in {thread.name for thread in threading.enumerate()}


# Regular expression matching holds the interpreter lock: only a timer in C can end the process.
HANGING_CALLER = """
import re, sys
from broadsheet.workers.process import Handler, WorkerProcess

def open_hanging():
    sys.modules["__main__"]._ORPHAN_SECONDS = 0.5
    def handle(request):
        import os
        yield os.getpid()
        re.match("(a+)+$", "a" * 60 + "b")
    return handle

if __name__ == "__main__":
    worker = WorkerProcess(Handler(__file__, "open_hanging"))
    responses = worker.ask(None, 5.0)
    print(next(responses), flush=True)
    next(responses)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_hanging_process_ends_after_its_caller_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(HANGING_CALLER)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as caller:
        assert caller.stdout is not None
        pid = int(caller.stdout.readline())
        caller.kill()
    assert is_running(pid)
    wait_for_end(pid)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_can_use_workers_and_does_not_harm_those_of_its_parent(worker: WorkerProcess) -> None:
    pid = ask(worker, "pid")
    other = WorkerProcess(Handler(HANDLER_FILE, "open_handler", ("hi",)))
    with WATCHDOG._changed:  # as if another thread held the lock
        child_pid = os.fork()
        if child_pid == 0:
            try:
                worker.close()
                os._exit(0 if ask(other, "greet", "you") == "hi you" else 1)
            finally:
                os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child_pid, 0)[1]) == 0
    assert ask(worker, "pid") == pid


SUSPENDED_CALLER = """
import sys, time
from broadsheet.workers.process import Handler, WorkerProcess

def open_counting():
    def handle(count):
        for number in range(count):
            time.sleep(0.1)
            yield number
    return handle

if __name__ == "__main__":
    worker = WorkerProcess(Handler(__file__, "open_counting"))
    for number in worker.ask(12, 3.0):
        print(number, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system has no SIGSTOP")
def test_deadlines_are_extended_while_the_caller_is_suspended(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SUSPENDED_CALLER)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == "0\n"
        caller.send_signal(signal.SIGSTOP)
        time.sleep(6)  # longer than the deadline
        caller.send_signal(signal.SIGCONT)
        assert caller.stdout.read().split() == [str(number) for number in range(1, 12)]
    assert caller.returncode == 0


def test_pages_are_sent_without_a_copy() -> None:
    page = os.urandom(200_000)
    pieces = pickle_request(("ask", ("https://x.example/", page), 1.0))
    assert any(piece is page for piece in pieces)
    assert pickle.loads(b"".join(pieces)) == ("ask", ("https://x.example/", page), 1.0)
