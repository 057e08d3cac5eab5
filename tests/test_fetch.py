"""Fetching, against a server of our own on this machine."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from broadsheet.errors import FetchError
from broadsheet.fetch import fetch_page, is_address
from broadsheet.page import Limits

PAGE = b"<!doctype html><title>Ferry</title><p>The ferry was late again on Tuesday."
HTML = "text/html; charset=windows-1251"
ZERO_PAGE = b"<html>" + bytes(50_000_000)


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@dataclass(frozen=True)
class Answer:
    """What the server says."""

    body: bytes = PAGE
    kind: str | None = HTML
    status: int = 200
    encoding: str = ""
    location: str = ""
    extra_length: int = 0  # how much less comes than was announced


ANSWERS = {
    "/page": Answer(),
    "/gzip": Answer(gzip.compress(PAGE), encoding="gzip"),
    "/deflate": Answer(zlib.compress(PAGE), encoding="deflate"),
    "/bare-deflate": Answer(bare_deflate(PAGE), encoding="deflate"),
    "/n%C3%A4chste%20seite?a=b%20c": Answer(),
    "/plain": Answer(kind="text/plain"),
    "/untyped": Answer(kind=None),
    "/octets": Answer(kind="application/octet-stream"),
    "/moved": Answer(b"", status=301, location="/page"),
    "/gone-on": Answer(b"", status=308, location="/moved"),
    "/not-modified": Answer(b"", status=304),
    "/round": Answer(b"", status=302, location="/round"),
    "/to-file": Answer(b"", status=302, location="file:///etc/hostname"),
    "/to-ftp": Answer(b"", status=302, location="ftp://127.0.0.1/x"),
    "/forbidden": Answer(b"no", status=403),
    "/missing": Answer(b"no", status=404),
    "/broken": Answer(b"no", status=503),
    "/pdf": Answer(b"%PDF-1.7", kind="application/pdf"),
    "/hidden-pdf": Answer(b"%PDF-1.7"),
    "/json": Answer(b"{}", kind="application/json"),
    "/unknown-octets": Answer(b"once upon a time", kind="application/octet-stream"),
    "/large": Answer(b"<p>" + b"x" * 300_000),
    "/bomb": Answer(gzip.compress(ZERO_PAGE), encoding="gzip"),
    "/brotli": Answer(b"\x0b\x02", encoding="br"),
    "/unpackable": Answer(PAGE, encoding="gzip"),
    "/cut": Answer(extra_length=10),
}


class Handler(BaseHTTPRequestHandler):
    """Answers from the table; the last request's headers are kept."""

    asked: ClassVar[dict[str, str]] = {}

    def do_GET(self) -> None:
        Handler.asked = dict(self.headers)
        if self.path in ("/slow-head", "/slow-body"):
            self.drip()
            return
        answer = ANSWERS[self.path]
        self.send_response(answer.status)
        for name, value in (
            ("Content-Type", answer.kind),
            ("Content-Encoding", answer.encoding),
            ("Location", answer.location),
            ("Content-Length", str(len(answer.body) + answer.extra_length)),
        ):
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def drip(self) -> None:
        """Send a byte now and then: no single read ever times out."""
        self.wfile.write(b"HTTP/1.0 200 OK\r\n" + (b"\r\n<p>" if self.path == "/slow-body" else b"X-A: "))
        for _ in range(100):
            try:
                self.wfile.write(b"x")
            except OSError:
                return
            time.sleep(0.05)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        pass  # clients that hang up are what is tested


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with QuietServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


@pytest.mark.parametrize("path", ["/page", "/gzip", "/deflate", "/bare-deflate", "/moved", "/gone-on"])
def test_page_arrives_whole(server: str, path: str) -> None:
    fetched = fetch_page(server + path)
    assert fetched.html == PAGE
    assert fetched.charset == "windows-1251"


@pytest.mark.parametrize("path", ["/plain", "/untyped", "/octets"])
def test_other_types_pass_when_it_is_a_page(server: str, path: str) -> None:
    assert fetch_page(server + path).html == PAGE


def test_url_is_where_redirects_led(server: str) -> None:
    assert fetch_page(server + "/gone-on").url == server + "/page"


def test_address_with_other_characters(server: str) -> None:
    assert fetch_page(server + "/nächste seite?a=b c#part").html == PAGE


def test_server_is_told_who_asks(server: str) -> None:
    fetch_page(server + "/page")
    assert Handler.asked["User-Agent"].startswith("Broadsheet/")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/missing", "404 Not Found; check the address"),
        ("/forbidden", "403 Forbidden; it does not serve programs"),
        ("/broken", "503 Service Unavailable; try again later"),
        ("/round", ": it redirects in circles, or too often (302); check the address"),
        ("/to-file", ": it redirects to what is not on the web (302)"),
        ("/to-ftp", ": it redirects to what is not on the web (302)"),
        ("/not-modified", "304 Not Modified; check the address"),
        ("/pdf", "no page but application/pdf"),
        ("/hidden-pdf", "no page but a PDF"),
        ("/json", "no page but application/json"),
        ("/unknown-octets", "does not begin like HTML"),
        ("/large", "larger than 100,000 bytes"),
        ("/bomb", "larger than 100,000 bytes"),
        ("/brotli", "packs its answer as 'br'"),
        ("/unpackable", "not packed as it says"),
        ("/cut", "closed the connection"),
    ],
)
def test_failure_says_why_in_one_line(server: str, path: str, reason: str) -> None:
    with pytest.raises(FetchError) as caught:
        fetch_page(server + path, limits=Limits(max_bytes=100_000))
    message = str(caught.value)
    assert reason in message
    assert message.startswith(f"cannot fetch {server}{path}: ")
    assert "\n" not in message
    assert "HTTP server returned" not in message  # urllib's words


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://no-such-host.invalid/", "no such host, or no network"),
        ("file:///etc/hostname", "only http and https"),
        ("ftp://127.0.0.1/", "only http and https"),
        ("http://127.0.0.1:notaport/", "no valid address"),
        ("http://[::1/", "no valid address"),
        ("http://" + "ü" * 80 + ".example/", "no valid address"),
        ("http:///", "there is no host in the address; write https://host/path"),
        ("http://", "there is no host in the address"),
        ("http://:80/", "there is no host in the address"),
    ],
)
def test_addresses_that_lead_nowhere(address: str, reason: str) -> None:
    with pytest.raises(FetchError, match=reason):
        fetch_page(address, limits=Limits(max_seconds=10))


def test_refused_connection() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(FetchError, match="refused the connection"):
            fetch_page(f"http://127.0.0.1:{unused.getsockname()[1]}/")


def test_tls_against_a_server_without_it(server: str) -> None:
    with pytest.raises(FetchError, match="TLS failed"):
        fetch_page(server.replace("http:", "https:") + "/page")


@pytest.mark.parametrize("path", ["/slow-head", "/slow-body"])
def test_time_limit_holds_for_the_whole_and_leaves_no_thread(server: str, path: str) -> None:
    began = time.monotonic()
    with pytest.raises(FetchError, match=r"no whole answer within 0.3 seconds"):
        fetch_page(server + path, limits=Limits(max_seconds=0.3))
    assert time.monotonic() - began < 2
    until = time.monotonic() + 2
    while any(thread.name == "broadsheet-fetch" for thread in threading.enumerate()):
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://a.example/", True),
        ("HTTPS://a.example", True),
        ("page.html", False),
        ("httpd.html", False),
        ("", False),
    ],
)
def test_is_address(text: str, expected: bool) -> None:
    assert is_address(text) is expected
