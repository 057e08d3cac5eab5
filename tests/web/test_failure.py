"""Retries after temporary failures."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler

import pytest
from tests.web.local import fetch_page, fetch_sheets

from broadsheet.errors import FetchError
from broadsheet.page import Limits
from broadsheet.web.failure import StatusError, choose_delay, parse_retry_after

Serve = Callable[[Callable[[BaseHTTPRequestHandler], None]], str]
GOOD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 8\r\n\r\n<p>Ferry"


class Server:
    """Sends one response after the other, and then the last one again; counts the requests."""

    def __init__(self, *responses: bytes) -> None:
        self.responses = list(responses)
        self.requests = 0

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        response = self.responses[min(self.requests, len(self.responses) - 1)]
        self.requests += 1
        handler.wfile.write(response)


def make_status(code: int, *headers: str) -> bytes:
    return "\r\n".join((f"HTTP/1.1 {code} X", "Content-Length: 0", *headers, "", "")).encode()


@pytest.mark.parametrize(
    "failure",
    [
        make_status(429),
        make_status(502),
        make_status(503),
        make_status(504),
        make_status(503, "Retry-After: 0"),
        make_status(503, "Retry-After: soon"),
        b"",  # the connection is closed
        GOOD[:-3],
        b"nonsense\r\n\r\n",
    ],
)
def test_temporary_failures_are_retried(serve: Serve, monkeypatch: pytest.MonkeyPatch, failure: bytes) -> None:
    monkeypatch.setattr("broadsheet.web.failure._FIRST_DELAY", 0.01)
    server = Server(failure, failure, GOOD)
    assert fetch_page(serve(server)).html == b"<p>Ferry"
    assert server.requests == 3


def test_third_failure_is_final(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.web.failure._FIRST_DELAY", 0.01)
    server = Server(make_status(503))
    with pytest.raises(FetchError, match="the server answered 503 Service Unavailable; try again later"):
        fetch_page(serve(server))
    assert server.requests == 3


@pytest.mark.parametrize("code", [401, 403, 404, 410, 500, 501])
def test_other_statuses_are_not_retried(serve: Serve, code: int) -> None:
    server = Server(make_status(code))
    with pytest.raises(FetchError, match=f"the server answered {code}"):
        fetch_page(serve(server))
    assert server.requests == 1


def test_retry_after_is_waited_for(serve: Serve) -> None:
    server = Server(make_status(503, "Retry-After: 1"), GOOD)
    started = time.monotonic()
    assert fetch_page(serve(server)).html == b"<p>Ferry"
    assert time.monotonic() - started >= 1


@pytest.mark.parametrize("wait", ["600", "9" * 5000, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_retry_after_the_deadline_fails_at_once(serve: Serve, wait: str) -> None:
    server = Server(make_status(429, f"Retry-After: {wait}"), GOOD)
    started = time.monotonic()
    with pytest.raises(FetchError, match="the server answered 429 Too Many Requests; it refuses automated requests"):
        fetch_page(serve(server), limits=Limits(max_seconds=500))
    assert time.monotonic() - started < 250
    assert server.requests == 1


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", 0),
        ("120", 120),
        (" 7 ", 7),
        ("-7", 0),
        ("1.5", 0),
        ("²", 0),
        ("soon", 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("Wed, 99 Oct 2015 07:28:00 GMT", 0),
        ("Wed, 21 Oct 2015 07:28:00 -0000", 0),
        (f"Wed, 21 Oct {'9' * 30} 07:28:00 GMT", 0),
        (f"Wed, 21 Oct 2015 07:28:00 +{'9' * 30}", 0),
    ],
)
def test_parse_retry_after(header: str, expected: float) -> None:
    assert parse_retry_after(header) == expected


def test_no_retry_after_a_very_long_delay() -> None:
    assert choose_delay(StatusError(503, "1800"), 0) == 1800
    assert choose_delay(StatusError(503, "9" * 40), 0) is None


def test_parse_retry_after_date() -> None:
    header = format_datetime(datetime.now(UTC) + timedelta(seconds=1000), usegmt=True)
    assert 900 < parse_retry_after(header) <= 1000


def test_style_sheets_are_not_retried(serve: Serve) -> None:
    server = Server(make_status(503))
    address = serve(server)
    assert fetch_sheets("<link rel=stylesheet href=a.css>", address) == {}
    assert server.requests == 1
