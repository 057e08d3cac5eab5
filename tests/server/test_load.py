"""Full queues, slow pages and lost processes: each costs only the request that it belongs to."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

from tests.server.running import HARBOUR, TITLE, Running, receive_all, run_service, script_options


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_busy_service_refuses_before_it_reads(scripted: Running) -> None:
    """One page is in progress, one waits, the third is refused although nothing of its body was sent."""
    with ThreadPoolExecutor(2) as threads:
        page = b"<p>sleep 0.8</p>"
        accepted = [threads.submit(scripted.post, "/v1/extract", content=page) for _ in range(2)]
        wait_until(lambda: scripted.service.gate.inside == 2)
        assert scripted.http.get("/ready").status_code == 503
        assert scripted.http.get("/health").status_code == 200
        with socket.create_connection(scripted.host_and_port, timeout=60) as connection:
            connection.sendall(b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n")
            answer = receive_all(connection)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"the service is busy; try again later" in answer
        assert b"retry-after: 1\r\n" in answer.lower()
        assert [future.result().status_code for future in accepted] == [200, 200]
    assert scripted.http.get("/ready").status_code == 200


def test_refused_body_is_read_so_that_the_answer_arrives(scripted: Running) -> None:
    page = b"<p>sleep 0.2</p>" + b" " * 3_000_000
    with ThreadPoolExecutor(8) as threads:
        futures = [threads.submit(scripted.post, "/v1/extract", content=page) for _ in range(8)]
        codes = {future.result().status_code for future in futures}  # no error of the connection
    assert 503 in codes
    assert codes <= {200, 503, 504}  # 504: on a busy machine


def test_slow_page(scripted: Running) -> None:
    """The method does not check the time limit, so the process is killed, a second later."""
    started = time.monotonic()
    answer = scripted.post("/v1/extract", content=b"<p>sleep 50</p>")
    assert answer.status_code == 504
    assert answer.json() == {"error": "the page took longer than its time limit", "status": "timeout"}
    assert time.monotonic() - started < 30
    assert scripted.post("/v1/extract", content=b"<p>fine</p>").json()["text"] == "fine"


def test_page_that_reaches_its_own_limit(scripted: Running) -> None:
    answer = scripted.post("/v1/extract?max_seconds=0.05", content=b"<p>sleep 0.2</p>")
    assert (answer.status_code, answer.json()["status"]) == (504, "timeout")


def test_page_that_ends_its_process(scripted: Running) -> None:
    answer = scripted.post("/v1/extract", content=b"<p>die</p>")
    assert answer.status_code == 422
    assert answer.json() == {"error": "the page ended the worker process", "status": "failed"}
    assert scripted.post("/v1/extract", content=b"<p>fine</p>").json()["text"] == "fine"


def test_waiting_too_long() -> None:
    with run_service(answer_seconds=1.0, options=script_options()) as running, ThreadPoolExecutor(2) as threads:
        pages = (b"<p>sleep 5</p>", b"<p>waits</p>")
        futures = [threads.submit(running.post, "/v1/extract", content=page) for page in pages]
        for future in futures:
            assert future.result().status_code == 504
            assert future.result().json()["error"] == "no answer within 1 seconds; try again later"


def test_job_of_a_client_that_left_is_dropped(scripted: Running) -> None:
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(scripted.post, "/v1/extract", content=b"<p>sleep 0.8</p>")
        wait_until(lambda: scripted.service.gate.inside == 1)
        with socket.create_connection(scripted.host_and_port, timeout=60) as connection:
            connection.sendall(b"POST /v1/extract HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n<p>gone</p")
            wait_until(lambda: scripted.service.gate.inside == 2)
        wait_until(lambda: scripted.service.gate.inside == 1)
        assert not slow.done()
        assert slow.result().status_code == 200


def test_killed_workers_cost_no_request() -> None:
    """20 clients send pages while both workers are killed from outside; then idle ones are killed."""
    with run_service(workers=2) as running:
        count = itertools.count(1)

        def send_page(_: int) -> tuple[int, str]:
            if next(count) in (30, 60):
                os.kill(running.service.extractor.pids[0], signal.SIGKILL)
            answer = running.post("/v1/extract", content=HARBOUR)
            return answer.status_code, answer.json()["title"]

        with ThreadPoolExecutor(20) as threads:
            results = list(threads.map(send_page, range(100)))
        for pid in running.service.extractor.pids:
            os.kill(pid, signal.SIGKILL)
        results += [send_page(0), send_page(0)]
        assert running.service.extractor.loss_count >= 3
    assert results == [(200, TITLE)] * 102
