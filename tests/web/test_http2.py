"""HTTPS and HTTP/2, with a server that speaks both and a certificate made for the test."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived
from tests.web.local import fetch_page

from broadsheet.errors import FetchError
from broadsheet.page import Limits
from broadsheet.web.transport import has_http2

PAGE = b"<!doctype html><p>The ferry was late."
HTTP1_RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + PAGE
HTTP2_HEADERS = [(":status", "200"), ("content-type", "text/html")]
Send = Callable[[ssl.SSLSocket, H2Connection, int], None]
StartServer = Callable[[Send, list[str]], str]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 with its key, in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*command.split(), "-keyout", "key.pem", "-out", "cert.pem"], cwd=folder, check=True, stderr=-3)
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "cert.pem").read_text())
    return both


@pytest.fixture
def start_server(certificate: Path) -> Iterator[StartServer]:
    """Return a function that starts a server for one connection, and returns its address."""
    with contextlib.ExitStack() as stack:

        def start(send: Send, protocols: list[str]) -> str:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            context.set_alpn_protocols(protocols)
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            thread = threading.Thread(target=serve_once, args=(listener, context, send), daemon=True)
            thread.start()
            stack.callback(thread.join, 60)
            return f"https://127.0.0.1:{listener.getsockname()[1]}/"

        yield start


def serve_once(listener: socket.socket, context: ssl.SSLContext, send: Send) -> None:
    # A client may close the connection during the handshake, or while data is sent.
    with contextlib.suppress(OSError), context.wrap_socket(listener.accept()[0], server_side=True) as connection:
        if connection.selected_alpn_protocol() == "h2":
            serve_http2(connection, send)
        else:
            connection.recv(65_536)
            connection.sendall(HTTP1_RESPONSE)


def serve_http2(connection: ssl.SSLSocket, send: Send) -> None:
    protocol = H2Connection(H2Configuration(client_side=False))
    protocol.initiate_connection()
    connection.sendall(protocol.data_to_send())
    while data := connection.recv(65_536):
        for event in protocol.receive_data(data):
            if isinstance(event, RequestReceived):
                send(connection, protocol, event.stream_id)
        connection.sendall(protocol.data_to_send())


def send_page(connection: ssl.SSLSocket, protocol: H2Connection, stream: int) -> None:
    protocol.send_headers(stream, HTTP2_HEADERS)
    protocol.send_data(stream, PAGE, end_stream=True)


def send_bytes_slowly(connection: ssl.SSLSocket, protocol: H2Connection, stream: int) -> None:
    protocol.send_headers(stream, HTTP2_HEADERS)
    while True:  # until the client closes the connection
        protocol.send_data(stream, b"x")
        connection.sendall(protocol.data_to_send())
        time.sleep(0.02)


@pytest.fixture
def trust(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))


@pytest.mark.usefixtures("trust")
@pytest.mark.parametrize("protocols", [["h2"], ["http/1.1"], []])
def test_page_arrives(start_server: StartServer, protocols: list[str]) -> None:
    assert fetch_page(start_server(send_page, protocols)).html == PAGE


@pytest.mark.usefixtures("trust")
def test_http1_without_the_extra(start_server: StartServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_http2()
    monkeypatch.setattr("broadsheet.web.transport.has_http2", lambda: False)
    assert fetch_page(start_server(send_page, ["h2", "http/1.1"])).html == PAGE


@pytest.mark.usefixtures("trust")
def test_time_limit_holds_for_http2(start_server: StartServer) -> None:
    address = start_server(send_bytes_slowly, ["h2"])
    started = time.monotonic()
    with pytest.raises(FetchError, match=r"no complete response within 0.3 seconds"):
        fetch_page(address, limits=Limits(max_seconds=0.3))
    assert time.monotonic() - started < 100  # the server goes on for longer


def test_certificate_that_is_not_trusted(start_server: StartServer) -> None:
    with pytest.raises(FetchError, match=r"its TLS certificate is not valid .self.signed certificate"):
        fetch_page(start_server(send_page, ["h2"]))
