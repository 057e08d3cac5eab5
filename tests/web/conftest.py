"""Servers on this machine."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

Answer = Callable[[BaseHTTPRequestHandler], None]
Serve = Callable[[Answer], str]


class QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # the client closed the connection, as many tests want it to


class QuietHandler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is given
        pass


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Return a function that starts a server, which answers GET requests by calling `answer`, and returns its address."""
    with contextlib.ExitStack() as stack:

        def start(answer: Answer) -> str:
            class Handler(QuietHandler):
                def do_GET(self) -> None:
                    answer(self)

            server = stack.enter_context(QuietServer(("127.0.0.1", 0), Handler))
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
            stack.callback(server.shutdown)
            return f"http://127.0.0.1:{server.server_port}"

        yield start


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
