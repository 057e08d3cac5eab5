"""/v1/many: lines in, records out."""

from __future__ import annotations

import json
import socket

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")

import httpx
from tests.server.running import HARBOUR, TITLE, Running, receive_all, run_service, wait_until


def write_lines(*pages: object) -> bytes:
    return b"\n".join(page if isinstance(page, bytes) else json.dumps(page).encode() for page in pages)


def read_lines(answer: httpx.Response) -> list[dict[str, object]]:
    return [json.loads(line) for line in answer.text.split("\n") if line]


def test_records_come_in_order() -> None:
    with run_service(workers=2) as running:
        pages = [
            {"html": f"<p>page {number}" + "<p>x" * (number % 3 * 200), "url": f"https://x.example/{number}"}
            for number in range(40)
        ]
        answer = running.post("/v1/many", content=write_lines(*pages))
        assert answer.headers["Content-Type"] == "application/x-ndjson"
        assert [record["url"] for record in read_lines(answer)] == [page["url"] for page in pages]


def test_bad_lines_fail_alone(server: Running) -> None:
    content = write_lines(
        {"html": HARBOUR.decode()},
        b"",
        b"{broken",
        {"url": "https://x.example"},
        {"html": "x" * 1_000_001},
        {"html": "<p>a</p>", "options": {"method": "nope"}},
        b"\xff\xfe",
        {"html_base64": "JVBERi0xLjc="},
        {"html": "<p>last</p>"},
    )
    records = read_lines(server.post("/v1/many", content=content))
    assert [record["status"] for record in records] == ["ok", *["failed"] * 6, "empty"]
    assert (records[0]["title"], records[-1]["text"]) == (TITLE, "last")
    reasons = [record["sources"]["status"] for record in records[1:-1]]  # type: ignore[index]
    for reason, start in zip(
        reasons,
        [
            "line 3 is not valid JSON (key must be a string at column 2)",
            "line 4: pass either html or html_base64",
            "line 5 is longer than 1,000,000 bytes",
            "line 6: unknown method 'nope'",
            "line 7 is not valid JSON",
            "the page is a PDF, not HTML",
        ],
        strict=True,
    ):
        assert reason.startswith(start)


def test_both_streams_run_at_the_same_time(server: Running) -> None:
    """A record comes before the next page is sent."""
    with socket.create_connection(server.host_and_port, timeout=300) as connection:
        connection.sendall(b"POST /v1/many HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        received = b""
        for text in (b"first", b"second"):
            line = b'{"html": "<p>%s</p>"}\n' % text
            connection.sendall(b"%x\r\n%s\r\n" % (len(line), line))
            while b'"text": "%s"' % text not in received:
                received += connection.recv(65536)
        connection.sendall(b"0\r\n\r\n")
        while not received.endswith(b"0\r\n\r\n"):
            received += connection.recv(65536)
    assert received.startswith(b"HTTP/1.1 200 ")


def test_client_that_stops_sending(impatient: Running) -> None:
    """The records so far are sent, and a last one with the reason."""
    with socket.create_connection(impatient.host_and_port, timeout=300) as connection:
        line = b'{"html": "<p>first</p>"}\n'
        head = b"POST /v1/many HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(head + b"%x\r\n%s\r\n" % (len(line), line))
        received = receive_all(connection)
    assert b'"text": "first"' in received
    assert b"the body did not arrive within 1 seconds" in received
    wait_until(lambda: impatient.service.gate.inside == 0)
