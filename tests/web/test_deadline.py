"""The time limit holds for a whole fetch, and no thread or connection outlives it."""

from __future__ import annotations

import contextlib
import gc
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpcore
import pytest
from tests.web.local import fetch_page

from broadsheet.errors import FetchError
from broadsheet.page import Limits

Serve = Callable[[Callable[[BaseHTTPRequestHandler], None]], str]
LIMITS = Limits(max_seconds=0.3)


@contextlib.contextmanager
def expect_timeout() -> Iterator[None]:
    started = time.monotonic()
    with pytest.raises(FetchError, match=r"no complete response within 0.3 seconds; try again later"):
        yield
    assert time.monotonic() - started < 100  # the servers go on for longer


def has_thread(name: str) -> bool:
    return any(thread.name == name for thread in threading.enumerate())


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nX-A: ",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>",
        b"HTTP/1.1 302 Found\r\nLocation: ",
        b"",
    ],
)
def test_server_that_sends_a_byte_now_and_then(serve: Serve, head: bytes) -> None:
    is_closed = threading.Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        try:
            handler.wfile.write(head)
            while True:  # until the client closes the connection
                handler.wfile.write(b"x")
                time.sleep(0.02)
        except OSError:
            is_closed.set()

    address = serve(answer)
    with expect_timeout():
        fetch_page(address, limits=LIMITS)
    assert is_closed.wait(300)


def test_server_that_never_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        for scheme in ("http", "https"):  # the second waits in the TLS handshake
            with expect_timeout():
                fetch_page(f"{scheme}://127.0.0.1:{server.getsockname()[1]}/", limits=LIMITS)
    gc.collect()  # warns of connections that are left open


def test_server_that_accepts_no_connection() -> None:
    """With a full queue of connections Linux drops further attempts."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        with expect_timeout():
            fetch_page(f"http://127.0.0.1:{server.getsockname()[1]}/", limits=LIMITS)


def test_slow_name_lookup(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = threading.Event()

    def resolve(*args: Any, **options: Any) -> Any:
        is_over.wait(300)
        raise socket.gaierror(socket.EAI_NONAME, "no such host")

    monkeypatch.setattr("socket.getaddrinfo", resolve)
    try:
        with expect_timeout():
            fetch_page("http://slow.example/", limits=LIMITS)
    finally:
        is_over.set()
    wait_until(lambda: not has_thread("broadsheet-lookup"))


def test_body_of_a_redirect_is_not_read(serve: Serve) -> None:
    is_closed = threading.Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        if handler.path == "/page":
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Ferry")
            return
        handler.wfile.write(b"HTTP/1.1 302 Found\r\nLocation: /page\r\n\r\n")
        try:
            while True:
                handler.wfile.write(bytes(100_000))
        except OSError:
            is_closed.set()

    assert fetch_page(serve(answer)).html == b"<p>Ferry"
    assert is_closed.wait(300)


def test_all_addresses_of_a_host_get_their_share_of_the_time(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Ferry")

    address = serve(answer)
    resolve = socket.getaddrinfo
    connect = httpcore.AnyIOBackend.connect_tcp
    connections: list[tuple[str, float]] = []

    def resolve_twice(host: str, *args: Any, **options: Any) -> Any:
        if host != "two.example":
            return resolve(host, *args, **options)
        return resolve("127.0.0.9", *args, **options) + resolve("127.0.0.1", *args, **options)

    async def connect_to_second(self: Any, host: str, port: int, timeout: float, *options: Any) -> Any:
        connections.append((host, timeout))
        if host == "127.0.0.9":
            raise httpcore.ConnectTimeout
        return await connect(self, host, port, timeout, *options)

    monkeypatch.setattr("socket.getaddrinfo", resolve_twice)
    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect_to_second)
    page = fetch_page(address.replace("127.0.0.1", "two.example"), limits=Limits(max_seconds=1000))
    assert page.html == b"<p>Ferry"
    assert [ip for ip, _ in connections] == ["127.0.0.9", "127.0.0.1"]
    assert connections[0][1] < 500 < connections[1][1]


def test_unlimited_time(serve: Serve) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Ferry")

    assert fetch_page(serve(answer), limits=Limits(max_seconds=float("inf"))).html == b"<p>Ferry"
