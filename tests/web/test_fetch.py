"""Fetching pages from a server on this machine."""

from __future__ import annotations

import asyncio
import gzip
import os
import socket
import subprocess
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import brotli
import pytest
from tests.web.local import fetch_page, fetch_public_page

from broadsheet.errors import FetchError
from broadsheet.page import Limits
from broadsheet.web import AddressGuard

Serve = Callable[[Callable[[BaseHTTPRequestHandler], None]], str]

PAGE = b"<!doctype html><title>Ferry</title><p>The ferry was late again on Tuesday."
HTML = "text/html; charset=windows-1251"
ZERO_PAGE = b"<html>" + bytes(50_000_000)
SAMPLE = Path(__file__).parents[2] / "examples" / "pages" / "harbour.html"


def compress_raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


@dataclass(frozen=True)
class Response:
    body: bytes = PAGE
    content_type: str | None = HTML
    status: int = 200
    encoding: str = ""
    location: str = ""
    bytes_missing: int = 0  # announced in Content-Length and not sent


RESPONSES = {
    "/page": Response(),
    "/gzip": Response(gzip.compress(PAGE), encoding="gzip"),
    "/two-gzip-members": Response(gzip.compress(PAGE[:30]) + gzip.compress(PAGE[30:]), encoding="x-gzip"),
    "/deflate": Response(zlib.compress(PAGE), encoding="deflate"),
    "/raw-deflate": Response(compress_raw_deflate(PAGE), encoding="deflate"),
    "/brotli": Response(brotli.compress(PAGE), encoding="br"),
    "/identity": Response(encoding="Identity"),
    "/n%C3%A4chste%20seite?a=b%20c": Response(),
    "/plain": Response(content_type="text/plain"),
    "/untyped": Response(content_type=None),
    "/malformed-type": Response(content_type="html"),
    "/octets": Response(content_type="application/octet-stream"),
    "/moved": Response(b"", status=301, location="/page"),
    "/moved-twice": Response(b"", status=308, location="/moved"),
    "/moved-to-fragment": Response(b"", status=302, location="page#part"),
    "/not-modified": Response(b"", status=304),
    "/loop": Response(b"", status=302, location="/loop"),
    "/to-file": Response(b"", status=302, location="file:///etc/hostname"),
    "/to-ftp": Response(b"", status=302, location="ftp://127.0.0.1/x"),
    "/to-nowhere": Response(b"", status=302, location="http://[::1/"),
    "/forbidden": Response(b"no", status=403),
    "/missing": Response(b"no", status=404),
    "/error": Response(b"no", status=500),
    "/strange-status": Response(b"no", status=599),
    "/pdf": Response(b"%PDF-1.7", content_type="application/pdf"),
    "/hidden-pdf": Response(b"%PDF-1.7"),
    "/json": Response(b"{}", content_type="application/json"),
    "/control-characters": Response(b"{}", content_type="a/\x1b[31mb" + "c" * 1000),
    "/unknown-octets": Response(b"once upon a time", content_type="application/octet-stream"),
    "/empty": Response(b"", content_type=None),
    "/large": Response(b"<p>" + b"x" * 300_000),
    "/gzip-bomb": Response(gzip.compress(ZERO_PAGE), encoding="gzip"),
    "/deflate-bomb": Response(zlib.compress(ZERO_PAGE), encoding="deflate"),
    "/brotli-bomb": Response(brotli.compress(ZERO_PAGE, quality=3), encoding="br"),
    "/empty-gzip-members": Response(gzip.compress(b"") * 10_000, encoding="gzip"),
    "/zstd": Response(b"\x28\xb5\x2f\xfd", encoding="zstd"),
    "/not-gzip": Response(PAGE, encoding="gzip"),
    "/not-brotli": Response(PAGE, encoding="br"),
    "/truncated": Response(bytes_missing=10),
    "/truncated-gzip": Response(gzip.compress(PAGE)[:-9], encoding="gzip"),
    "/truncated-brotli": Response(brotli.compress(PAGE)[:-9], encoding="br"),
}


@pytest.fixture
def server(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> str:
    """A server of the responses above; retries follow at once."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        response = RESPONSES[handler.path]
        handler.send_response(response.status)
        headers = {
            "Content-Type": response.content_type,
            "Content-Encoding": response.encoding,
            "Location": response.location,
            "Content-Length": str(len(response.body) + response.bytes_missing),
        }
        for name, value in headers.items():
            if value:
                handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(response.body)

    monkeypatch.setattr("broadsheet.web.failure._FIRST_DELAY", 0.0)
    return serve(answer)


@pytest.mark.parametrize(
    "path",
    [
        "/page",
        "/gzip",
        "/two-gzip-members",
        "/deflate",
        "/raw-deflate",
        "/brotli",
        "/identity",
        "/moved",
        "/moved-twice",
    ],
)
def test_page_arrives_complete(server: str, path: str) -> None:
    page = fetch_page(server + path)
    assert page.html == PAGE
    assert page.charset == "windows-1251"


@pytest.mark.parametrize("path", ["/plain", "/untyped", "/octets", "/malformed-type"])
def test_html_of_another_type_is_accepted(server: str, path: str) -> None:
    page = fetch_page(server + path)
    assert page.html == PAGE
    assert page.charset is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/page#part", "/page"), ("/moved-twice", "/page"), ("/moved-to-fragment", "/page#part")],
)
def test_url_is_the_address_after_redirects(server: str, path: str, expected: str) -> None:
    assert fetch_page(server + path).url == server + expected


def test_address_with_characters_outside_ascii(server: str) -> None:
    assert fetch_page(server + "/nächste seite?a=b c#part ").html == PAGE


def test_host_outside_ascii(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = socket.getaddrinfo
    hosts: list[str] = []

    def resolve_to_this_machine(host: str, *args: Any, **options: Any) -> Any:
        hosts.append(host)
        return resolve("127.0.0.1", *args, **options)

    monkeypatch.setattr("socket.getaddrinfo", resolve_to_this_machine)
    page = fetch_page(server.replace("127.0.0.1", "Bücher.example") + "/page")
    assert page.html == PAGE
    assert hosts[0] == "xn--bcher-kva.example"


def test_request_headers(serve: Serve) -> None:
    requests: list[dict[str, str]] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        requests.append(dict(handler.headers))
        handler.send_error(404)

    with pytest.raises(FetchError):
        fetch_page(serve(answer))
    assert requests[0]["User-Agent"].startswith("Broadsheet/")
    assert requests[0]["Accept-Encoding"] == "gzip, deflate, br"


def test_cookies_of_a_redirect_are_sent_back(serve: Serve) -> None:
    """Some sites redirect to the same address until the cookie comes back."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        if handler.headers.get("Cookie") == "visitor=1":
            handler.send_response(200)
            handler.send_header("Content-Type", HTML)
            handler.end_headers()
            handler.wfile.write(PAGE)
        else:
            handler.send_response(302)
            handler.send_header("Set-Cookie", "visitor=1")
            handler.send_header("Location", "/")
            handler.end_headers()

    assert fetch_page(serve(answer)).html == PAGE


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/missing", "the server answered 404 Not Found; check the address"),
        ("/forbidden", "the server answered 403 Forbidden; it refuses automated requests: save the page in a browser"),
        ("/error", "the server answered 500 Internal Server Error; try again later"),
        ("/strange-status", "the server answered 599; try again later"),
        ("/not-modified", "the server answered 304 Not Modified; check the address"),
        ("/loop", "it redirects in a circle; check the address"),
        (
            "/to-file",
            "it redirects to an address that is not fetched: only http and https addresses can be fetched; write https://...",
        ),
        (
            "/to-ftp",
            "it redirects to an address that is not fetched: only http and https addresses can be fetched; write https://...",
        ),
        ("/to-nowhere", "the response is invalid (Invalid URL in location header"),
        ("/pdf", "is application/pdf, not an HTML page"),
        ("/hidden-pdf", "is a PDF, not an HTML page"),
        ("/json", "is application/json, not an HTML page"),
        ("/control-characters", "is a/ [31mbccc"),
        ("/unknown-octets", "is not an HTML page: it has no specific Content-Type and does not start like HTML"),
        ("/empty", "is not an HTML page: it has no specific Content-Type and does not start like HTML"),
        ("/large", "the page is larger than 100,000 bytes; save it and pass the file"),
        ("/gzip-bomb", "the page is larger than 100,000 bytes"),
        ("/deflate-bomb", "the page is larger than 100,000 bytes"),
        ("/brotli-bomb", "the page is larger than 100,000 bytes"),
        ("/empty-gzip-members", "the body does not match its Content-Encoding"),
        ("/zstd", "unsupported Content-Encoding: zstd"),
        ("/not-gzip", "the body does not match its Content-Encoding"),
        ("/not-brotli", "the body does not match its Content-Encoding"),
        ("/truncated", "the response is incomplete or invalid (peer closed connection"),
        ("/truncated-gzip", "the compressed body is incomplete; try again later"),
        ("/truncated-brotli", "the compressed body is incomplete; try again later"),
    ],
)
def test_failure_has_its_reason_in_one_line(server: str, path: str, reason: str) -> None:
    with pytest.raises(FetchError) as caught:
        fetch_page(server + path, limits=Limits(max_bytes=100_000))
    message = str(caught.value)
    assert message.startswith(f"cannot fetch {server}{path}: {reason}")
    assert message.isprintable()
    assert len(message) < 400


def test_page_of_exactly_the_size_limit(server: str) -> None:
    assert fetch_page(server + "/gzip", limits=Limits(max_bytes=len(PAGE))).html == PAGE


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://no-such-host.invalid/", "no such host, or no network; check the address and the connection"),
        ("file:///etc/hostname", "only http and https addresses can be fetched; write https://..."),
        ("ftp://127.0.0.1/", "only http and https addresses can be fetched; write https://..."),
        ("http://127.0.0.1:port/", "not a valid address"),
        ("http://[::1/", "not a valid address"),
        ("http://" + "ü" * 80 + ".example/", "not a valid address"),
        ("http://" + "u" * 80 + ".example/", "not a valid address"),
        ("http://a\x00b.example/", "not a valid address"),
        ("http:///", "the address has no host; write https://host/path"),
    ],
)
def test_address_that_cannot_be_fetched(address: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = socket.getaddrinfo

    def resolve_known(host: str, *args: Any, **options: Any) -> Any:
        """Answer as a name server does at once; without a network it may take longer than the limit."""
        if str(host).endswith(".invalid"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolve(host, *args, **options)

    monkeypatch.setattr("socket.getaddrinfo", resolve_known)
    with pytest.raises(FetchError) as caught:
        fetch_page(address)
    assert str(caught.value) == f"cannot fetch {address}: {reason}"


def test_refused_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broadsheet.web.failure._FIRST_DELAY", 0.0)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(FetchError, match="the server refused the connection; check the address and the port"):
            fetch_page(f"http://127.0.0.1:{unused.getsockname()[1]}/")


def test_https_address_of_an_http_server(server: str) -> None:
    with pytest.raises(FetchError, match="TLS failed"):
        fetch_page(server.replace("http:", "https:") + "/page")


def test_proxy_of_the_environment_is_used_if_asked(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[str] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        requests.append(handler.path)
        handler.send_response(200)
        handler.send_header("Content-Type", HTML)
        handler.end_headers()
        handler.wfile.write(PAGE)

    proxy = serve(answer)
    monkeypatch.setenv("http_proxy", proxy.removeprefix("http://"))
    monkeypatch.setenv("no_proxy", "localhost")
    guard = AddressGuard(use_proxy=True)
    assert fetch_public_page("http://a.example/story", guard=guard).html == PAGE
    assert requests == ["http://a.example/story"]
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert fetch_page(proxy + "/direct", guard=replace(guard, allow_private=True)).html == PAGE
    assert requests[1:] == ["/direct"]
    with pytest.raises(FetchError, match="private or reserved"):
        fetch_public_page("http://169.254.169.254/meta-data", guard=guard)
    monkeypatch.setenv("no_proxy", "localhost")
    assert fetch_page(proxy + "/not-through-the-proxy").html == PAGE
    assert requests[2:] == ["/not-through-the-proxy"]


def test_many_redirects(serve: Serve) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", handler.path + "a")
        handler.end_headers()

    with pytest.raises(FetchError, match="more than 10 redirects, perhaps in a circle; check the address"):
        fetch_page(serve(answer) + "/")


def test_inside_an_event_loop(server: str) -> None:
    async def fetch() -> bytes:
        return fetch_page(server + "/page").html

    assert asyncio.run(fetch()) == PAGE


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # of forks in a process with threads
def test_after_a_fork(server: str) -> None:
    """A forked process has the event loop of its parent without its thread, and starts one of its own."""
    assert fetch_page(server + "/page").html == PAGE
    child = os.fork()
    if child == 0:
        os._exit(0 if fetch_page(server + "/page").html == PAGE else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert fetch_page(server + "/page").html == PAGE


def test_httpx_is_not_imported_for_a_local_page() -> None:
    code = f"import sys; from broadsheet.cli.app import run; run(['extract', {str(SAMPLE)!r}]); assert 'httpx' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
