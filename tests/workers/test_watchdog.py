"""The watchdog's thread: it ends when it is not needed, and never blocks a caller that closes its workers."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from broadsheet.workers import process as watchdog_module
from broadsheet.workers.process import Watchdog


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    yield from run_sleeping()


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    yield from run_sleeping()


def run_sleeping() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
        yield process
        process.kill()


@pytest.fixture(autouse=True)
def _no_earlier_thread() -> None:
    """The watchdog of the workers of earlier tests may run for some seconds more."""
    wait_for_no_thread()


def count_threads() -> int:
    return sum(thread.name == "broadsheet-watchdog" for thread in threading.enumerate())


def wait_for_no_thread() -> None:
    until = time.monotonic() + 300
    while count_threads():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_later_deadline_replaces_an_earlier_one(
    process: subprocess.Popen[bytes], other: subprocess.Popen[bytes]
) -> None:
    watchdog = Watchdog()
    with watchdog._changed:  # no deadline is checked between the two calls, however long they take
        watchdog.watch(process, 0.2)
        watchdog.watch(process, 600)
        watchdog.watch(other, 0.3)
    assert other.wait(300)
    assert process.poll() is None
    watchdog.watch(process, 0.05)
    assert process.wait(300)
    for late in (process, other):
        assert watchdog.release(late)
        assert not watchdog.release(late)
    watchdog.end_if_idle()
    assert count_threads() == 0


def test_the_thread_ends_after_some_time_without_processes(
    process: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog_module, "_IDLE_SECONDS", 0.1)
    watchdog = Watchdog()
    watchdog.watch(process, 0.05)
    process.wait(300)
    watchdog.release(process)
    wait_for_no_thread()
    watchdog.end_if_idle()


def test_ending_does_not_wait_for_a_process_that_is_watched_meanwhile(process: subprocess.Popen[bytes]) -> None:
    """Several threads end and watch at the same time; nobody waits for the deadline of somebody else's process."""
    watchdog = Watchdog()
    finished = threading.Barrier(4, timeout=600)

    def work() -> None:
        for _ in range(300):
            watchdog.watch(process, 600)
            watchdog.release(process)
            watchdog.end_if_idle()
        finished.wait()

    for _ in range(3):
        threading.Thread(target=work).start()
    finished.wait()
    assert process.poll() is None
    watchdog.end_if_idle()
    wait_for_no_thread()
