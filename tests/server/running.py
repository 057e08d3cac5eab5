"""A real server on a free port of this machine."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from tests.server.scripted import Scripted

from broadsheet.options import ExtractOptions
from broadsheet.page import Limits
from broadsheet.server.app import make_app
from broadsheet.server.run import make_config
from broadsheet.server.service import Service
from broadsheet.server.settings import ServerSettings

PAGES = Path(__file__).parents[2] / "examples" / "pages"
HARBOUR = (PAGES / "harbour.html").read_bytes()
TITLE = "Harbour ferry returns after eleven years"


@dataclass(frozen=True, slots=True)
class Running:
    """A server that is running."""

    address: str
    service: Service
    http: httpx.Client

    @property
    def host_and_port(self) -> tuple[str, int]:
        host, _, port = self.address.removeprefix("http://").partition(":")
        return host, int(port)

    def post(self, path: str, **more: Any) -> httpx.Response:
        return self.http.post(path, **more)


@contextlib.contextmanager
def run_service(*, add_routes: Callable[[FastAPI], None] | None = None, **changes: Any) -> Iterator[Running]:
    """Start a service with one worker, and stop it at the end."""
    settings = ServerSettings(**{"workers": 1, **changes})
    service = Service(settings)
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = make_app(service, add_routes)
    server = uvicorn.Server(make_config(app, settings, lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_until(lambda: server.started or not thread.is_alive())
        assert server.started
        with httpx.Client(base_url=address, timeout=600, trust_env=False) as client:
            yield Running(address, service, client)
    finally:
        server.should_exit = True
        thread.join(300)
        listener.close()
    assert not thread.is_alive()


def wait_until(condition: Callable[[], bool], seconds: float = 300.0) -> None:
    """Wait for something that another thread or process does. The time is only for the case that it never does."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def script_options(**limits: Any) -> ExtractOptions:
    """Return options with the method that does what the page says."""
    return ExtractOptions(method=Scripted(), limits=Limits(**limits))


def send_raw(server: Running, data: bytes, *, seconds: float = 300.0) -> bytes:
    """Send bytes over a new connection, and return what comes until the server closes it or the time is over."""
    with socket.create_connection(server.host_and_port, timeout=seconds) as connection:
        connection.sendall(data)
        return receive_all(connection)


def receive_all(connection: socket.socket) -> bytes:
    received = b""
    with contextlib.suppress(TimeoutError, ConnectionError):
        while piece := connection.recv(65536):
            received += piece
    return received


logging.getLogger("uvicorn.error").setLevel("CRITICAL")
