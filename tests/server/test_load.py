"""Full queues, slow pages and lost processes: each costs only the request that it belongs to."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import os
import re
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from tests.server.running import HARBOUR, TITLE, Running, receive_all, run_service, script_options, wait_until


@pytest.fixture
def hold(tmp_path: Path) -> Hold:
    """A page that stays in progress until the test releases it."""
    return Hold(tmp_path)


@dataclass(frozen=True, slots=True)
class Hold:
    folder: Path

    @property
    def page(self) -> bytes:
        return f"<p>hold {self.folder}</p>".encode()

    def wait(self) -> None:
        """Wait until a worker process has the page."""
        wait_until((self.folder / "held").exists)

    def close(self) -> None:
        """Let the worker process go on."""
        (self.folder / "released").touch()


def test_busy_service_refuses_before_it_reads(scripted: Running, hold: Hold) -> None:
    """One page is in progress, one waits, the third is refused although nothing of its body was sent."""
    with ThreadPoolExecutor(2) as threads, contextlib.closing(hold):
        accepted = [threads.submit(scripted.post, "/v1/extract", content=hold.page) for _ in range(2)]
        wait_until(lambda: scripted.service.gate.inside == 2)
        assert scripted.http.get("/ready").status_code == 503
        assert scripted.http.get("/health").status_code == 200
        with socket.create_connection(scripted.host_and_port, timeout=300) as connection:
            head = b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 100\r\n\r\n"
            connection.sendall(head)
            answer = receive_all(connection)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"the service is busy; try again later" in answer
        assert re.search(rb"retry-after: \d+\r\n", answer.lower())
        hold.close()
        assert [future.result().status_code for future in accepted] == [200, 200]
    wait_until(lambda: scripted.http.get("/ready").status_code == 200)


def test_refused_body_is_read_so_that_the_answer_arrives(scripted: Running, hold: Hold) -> None:
    with ThreadPoolExecutor(8) as threads, contextlib.closing(hold):
        accepted = [threads.submit(scripted.post, "/v1/extract", content=hold.page) for _ in range(2)]
        wait_until(lambda: scripted.service.gate.inside == 2)
        page = b"<p>large</p>" + b" " * 3_000_000
        refused = [threads.submit(scripted.post, "/v1/extract", content=page) for _ in range(6)]
        assert [future.result().status_code for future in refused] == [503] * 6  # no error of the connection
        hold.close()
        assert [future.result().status_code for future in accepted] == [200, 200]


def test_no_step_of_the_event_loop_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """While pages are read and answered, /health must not wait. CPU time: other programs may use the machine, too."""
    steps: list[float] = []
    run_step = asyncio.Handle._run  # private; the loop has no public hook

    def measure(handle: asyncio.Handle) -> None:
        started = time.thread_time()
        run_step(handle)
        steps.append(time.thread_time() - started)

    page = HARBOUR + b"<!--" + b"x" * 150_000 + b"-->"
    with run_service(max_waiting=4) as running, ThreadPoolExecutor(16) as threads:
        running.post("/v1/extract", json={"html": page.decode()})  # the first request imports and compiles
        gc.freeze()  # a collection of all objects of the test run would count as a long step
        monkeypatch.setattr(asyncio.Handle, "_run", measure)
        bodies: list[dict[str, Any]] = [{"content": page}, {"json": {"html": page.decode()}}] * 24
        futures = [threads.submit(running.post, "/v1/extract", **body) for body in bodies]
        assert {future.result().status_code for future in futures} == {200, 429}
    gc.unfreeze()
    assert len(steps) > 200
    assert max(steps) < 0.04


def test_slow_page() -> None:
    """The method does not check the time limit, so the process is killed, a second later."""
    with run_service(options=script_options(max_seconds=2.0)) as running:
        started = time.monotonic()
        answer = running.post("/v1/extract", content=b"<p>sleep 500</p>")
        assert answer.status_code == 504
        assert answer.json() == {"error": "the page took longer than its time limit", "status": "timeout"}
        assert time.monotonic() - started < 250
        assert running.post("/v1/extract", content=b"<p>fine</p>").json()["text"] == "fine"


def test_page_that_reaches_its_own_limit(scripted: Running) -> None:
    answer = scripted.post("/v1/extract?max_seconds=0.05", content=b"<p>sleep 0.2</p>")
    assert (answer.status_code, answer.json()["status"]) == (504, "timeout")


def test_page_that_ends_its_process(scripted: Running) -> None:
    answer = scripted.post("/v1/extract", content=b"<p>die</p>")
    assert answer.status_code == 422
    assert answer.json() == {"error": "the page ended the worker process", "status": "failed"}
    assert scripted.post("/v1/extract", content=b"<p>fine</p>").json()["text"] == "fine"


def test_waiting_too_long(hold: Hold) -> None:
    """The first page is in progress for too long, the second waits for too long."""
    options = script_options(max_seconds=600.0)
    with (
        run_service(answer_seconds=1.0, options=options) as running,
        ThreadPoolExecutor(2) as threads,
        contextlib.closing(hold),
    ):
        futures = [threads.submit(running.post, "/v1/extract", content=hold.page)]
        hold.wait()
        futures.append(threads.submit(running.post, "/v1/extract", content=b"<p>waits</p>"))
        for future in futures:
            assert future.result().status_code == 504
            assert future.result().json()["error"] == "no answer within 1 seconds; try again later"


def test_job_of_a_client_that_left_is_dropped(scripted: Running, hold: Hold) -> None:
    with ThreadPoolExecutor(1) as threads, contextlib.closing(hold):
        slow = threads.submit(scripted.post, "/v1/extract", content=hold.page)
        hold.wait()
        with socket.create_connection(scripted.host_and_port, timeout=300) as connection:
            connection.sendall(b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n<p>gone</p")
            wait_until(lambda: scripted.service.gate.inside == 2)
        wait_until(lambda: scripted.service.gate.inside == 1)
        assert not slow.done()
        hold.close()
        assert slow.result().status_code == 200


def test_killed_workers_cost_no_request() -> None:
    """20 clients send pages while both workers are killed from outside; then idle ones are killed."""
    with run_service(workers=2) as running:
        count = itertools.count(1)

        def send_page(_: int) -> tuple[int, str]:
            if (number := next(count)) in (30, 60):
                # Each worker once: a page that loses two processes fails, as it should.
                os.kill(running.service.extractor.pids[0 if number == 30 else -1], signal.SIGKILL)
            answer = running.post("/v1/extract", content=HARBOUR)
            return answer.status_code, answer.json()["title"]

        with ThreadPoolExecutor(20) as threads:
            results = list(threads.map(send_page, range(100)))
        for pid in running.service.extractor.pids:
            os.kill(pid, signal.SIGKILL)
        results += [send_page(0), send_page(0)]
        assert running.service.extractor.loss_count >= 3
    assert results == [(200, TITLE)] * 102
