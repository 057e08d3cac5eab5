"""Garbage collection is paused during extraction and restored after it; extraction leaves no cycles."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import broadsheet
from broadsheet.blocks import Blocks, Labels, Role
from broadsheet.gc_pause import GcPause
from broadsheet.page import Page

HTML = "<title>Ferry returns</title><article><h1>Ferry returns</h1>" + "<p>The ferry sails again, they say.</p>" * 40


@pytest.fixture(autouse=True)
def _gc_enabled() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_enabled_after_extraction_and_after_an_error() -> None:
    broadsheet.extract(HTML)
    assert gc.isenabled()
    with pytest.raises(TypeError), GcPause():
        len(None)  # type: ignore[arg-type]
    assert gc.isenabled()


class Recorder:
    """A method that records whether garbage collection is enabled."""

    name = "recorder"

    def __init__(self) -> None:
        self.is_enabled: list[bool] = []

    def label(self, page: Page, blocks: Blocks) -> Labels:
        self.is_enabled.append(gc.isenabled())
        return Labels([Role.BODY] * len(blocks), [1.0] * len(blocks))


def test_disabled_during_extraction() -> None:
    recorder = Recorder()
    broadsheet.extract(HTML, method=recorder)
    assert recorder.is_enabled == [False]


def test_stays_disabled_if_the_caller_disabled_it() -> None:
    gc.disable()
    broadsheet.extract(HTML)
    assert not gc.isenabled()


def test_enabled_after_many_threads() -> None:
    def work(_: int) -> None:
        for _ in range(300):
            with GcPause():
                pass

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(work, range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_forked_process_extracts_although_a_thread_of_the_parent_held_the_lock() -> None:
    is_held, may_release = threading.Event(), threading.Event()

    def hold_lock() -> None:
        with GcPause(), GcPause._lock:
            is_held.set()
            may_release.wait()

    thread = threading.Thread(target=hold_lock)
    thread.start()
    is_held.wait()
    child = os.fork()
    if not child:
        signal.alarm(20)  # ends the process if it waits for the lock
        broadsheet.extract(HTML)
        os._exit(0 if gc.isenabled() else 1)
    may_release.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("method", broadsheet.methods())
def test_extraction_leaves_no_cycles(method: str) -> None:
    broadsheet.extract(HTML, method=method)
    gc.collect()
    gc.disable()
    for _ in range(5):
        broadsheet.extract(HTML, method=method)
    assert gc.collect() < 100  # objects; a page consists of hundreds
