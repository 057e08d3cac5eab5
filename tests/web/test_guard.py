"""The address guard: no form of a private address, redirect or changing name reaches a server on this machine."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from broadsheet.errors import FetchError
from broadsheet.web import AddressGuard, fetch_page, fetch_sheets, find_fault, hide_passwords, is_address
from broadsheet.web.guard import is_public

Serve = Callable[[Callable[[BaseHTTPRequestHandler], None]], str]

PAGE = b"<!doctype html><title>Ferry</title><p>The ferry was late."
PRIVATE_HOSTS = """
127.0.0.1 127.1 127.0.1 127.255.255.254 0 0.0.0.0 2130706433 0x7f000001 0x7f.1 0177.0.0.1 017700000001 0x7F.0x0.0x0.0x1
localhost LOCALHOST localhost. 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 2852039166 0xa9fea9fe
100.64.0.1 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
192.88.99.1 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [::ffff:0:127.0.0.1]
[64:ff9b::7f00:1] [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fc00::1]
[fd00:ec2::254] [fec0::1] [ff02::1] [2001:db8::1] [100::1] [::ffff:10.0.0.1] [::ffff:8.8.8.8]
""".split()
PUBLIC_IPS = "8.8.8.8 1.1.1.1 93.184.216.34 2606:2800:220:1:248:1893:25c8:1946 2a00:1450:4001:81b::200e".split()


@pytest.fixture
def visits(serve: Serve) -> tuple[int, list[str]]:
    """Return the port of a server on this machine and the list of its requests."""
    requests: list[str] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        requests.append(handler.path)
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        handler.wfile.write(PAGE)

    return int(serve(answer).rpartition(":")[2]), requests


@pytest.mark.parametrize("host", PRIVATE_HOSTS)
def test_private_hosts_are_refused(host: str, visits: tuple[int, list[str]]) -> None:
    port, requests = visits
    with pytest.raises(FetchError) as caught:
        fetch_page(f"http://{host}:{port}/")
    assert re.search("private or reserved|no such host|not a valid address", str(caught.value))
    assert not requests


def test_there_are_enough_forms() -> None:
    assert len(PRIVATE_HOSTS) >= 40


def test_allow_private(visits: tuple[int, list[str]]) -> None:
    port, requests = visits
    assert fetch_page(f"http://127.0.0.1:{port}/a", guard=AddressGuard(allow_private=True)).html == PAGE
    assert requests == ["/a"]


@pytest.mark.parametrize("ip", PUBLIC_IPS)
def test_public_addresses(ip: str) -> None:
    assert is_public(ip)


@pytest.mark.parametrize("ip", ["", "example.org", "127.0.0.1.", "fe80::1%eth0"])
def test_texts_that_are_not_public_addresses(ip: str) -> None:
    assert not is_public(ip)


def resolve_to(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Make name lookups give these addresses, one answer after the other, the last one again; return the names."""
    names: list[str] = []
    lookup = socket.getaddrinfo

    def stub(host: Any, port: Any, *arguments: Any, **options: Any) -> Any:
        if options.get("flags") or _is_ip(str(host)):
            return lookup(host, port, *arguments, **options)
        names.append(str(host))
        ips = answers[min(len(names), len(answers)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in ips]

    monkeypatch.setattr(socket, "getaddrinfo", stub)
    return names


def _is_ip(host: str) -> bool:
    """Return whether a host is an IP address in any form that the system understands."""
    try:
        socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except OSError:
        return False
    return True


def connect_to(monkeypatch: pytest.MonkeyPatch, port: int) -> list[str]:
    """Send connections to public addresses to a server on this machine; return the addresses they were meant for."""
    import httpcore

    connected: list[str] = []
    connect = httpcore.AnyIOBackend.connect_tcp

    async def stub(self: Any, host: str, _: int, *arguments: Any) -> Any:
        connected.append(host)
        return await connect(self, "127.0.0.1", port, *arguments)

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", stub)
    return connected


def test_public_names_are_fetched(visits: tuple[int, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    port, requests = visits
    resolve_to(monkeypatch, ["93.184.216.34"])
    connected = connect_to(monkeypatch, port)
    assert fetch_page("http://news.example/story").html == PAGE
    assert (connected, requests) == (["93.184.216.34"], ["/story"])


def test_one_private_address_of_a_name_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve_to(monkeypatch, ["93.184.216.34", "127.0.0.1"])
    connected = connect_to(monkeypatch, 1)
    with pytest.raises(FetchError, match=r"news\.example is a private or reserved address"):
        fetch_page("http://news.example/story")
    assert not connected


def test_a_name_that_resolves_differently_the_second_time(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection goes to the address that was checked; a later connection is checked again."""
    requests: list[str] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        requests.append(handler.path)
        handler.send_response(302)
        handler.send_header("Location", "http://news.example/again")
        handler.send_header("Connection", "close")
        handler.end_headers()

    port = int(serve(answer).rpartition(":")[2])
    names = resolve_to(monkeypatch, ["93.184.216.34"], ["127.0.0.1"])
    connected = connect_to(monkeypatch, port)
    with pytest.raises(FetchError, match="private or reserved"):
        fetch_page("http://news.example/story")
    assert names == ["news.example", "news.example"]
    assert connected == ["93.184.216.34"]
    assert requests == ["/story"]


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1/",
        "http://[::ffff:127.0.0.1]/",
        "http://0/",
        "http://2130706433/",
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost:22/",
        "https://news.example:8443/",
        "http://me:secret@news.example/",
        "//10.0.0.1/x",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
    ],
)
def test_redirects_are_checked(target: str, serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[str] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        requests.append(handler.path)
        handler.send_response(302)
        handler.send_header("Location", target)
        handler.end_headers()

    port = int(serve(answer).rpartition(":")[2])
    resolve_to(monkeypatch, ["93.184.216.34"])
    connected = connect_to(monkeypatch, port)
    with pytest.raises(FetchError) as caught:
        fetch_page("http://news.example/story")
    assert "secret" not in str(caught.value)
    assert connected == ["93.184.216.34"]
    assert requests == ["/story"]


def test_style_sheets_are_checked(visits: tuple[int, list[str]]) -> None:
    port, requests = visits
    html = f"<link rel=stylesheet href='http://127.0.0.1:{port}/a.css'>"
    assert fetch_sheets(html, "http://news.example/story") == {}
    assert not requests


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://me:secret@news.example/", "addresses with a user name or password are not fetched"),
        ("http://me@news.example/", "addresses with a user name or password are not fetched"),
        ("ftp://news.example/", "only http and https addresses"),
    ],
)
def test_addresses_are_checked(address: str, reason: str) -> None:
    with pytest.raises(FetchError, match=reason) as caught:
        fetch_page(address)
    assert "secret" not in str(caught.value)


def test_ports_of_the_user_are_allowed_and_others_are_not() -> None:
    guard = AddressGuard().allow_ports_of("http://news.example:8080/", None, "https://news.example/")
    guard.check_address("http://other.example:8080/")
    with pytest.raises(FetchError, match="port 8081 is not allowed"):
        guard.check_address("http://news.example:8081/")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cannot fetch https://me:secret@a.example/x@y", "cannot fetch https://me:***@a.example/x@y"),
        ("https://:secret@a.example", "https://:***@a.example"),
        ("https://u:p@ss@a.example/", "https://u:***@a.example/"),
        ("http://a.example/?mail=b@c.example", "http://a.example/?mail=b@c.example"),
        ("a@b", "a@b"),
    ],
)
def test_passwords_are_hidden(text: str, expected: str) -> None:
    assert hide_passwords(text) == expected


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "127.1",
        "0x7f000001",
        "127.0.0.1.",
        "localhost",
        "a.localhost",
        "0",
        "169｡254｡169｡254",
        "localhost。",
        "0x7f。1",
    ],
)
def test_without_a_lookup_all_spellings_are_refused(host: str) -> None:
    with pytest.raises(FetchError, match="private or reserved"):
        AddressGuard(use_proxy=True).check_address(f"http://{host}/")


def test_port_0_is_refused() -> None:
    with pytest.raises(FetchError, match="port 0 is not allowed"):
        AddressGuard().check_address("http://news.example:0/")


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


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://a.example/b?c#d", None),
        ("http://[::1]:8080/", None),
        ("http://bücher.example/", None),
        ("file:///etc/hostname", "only http and https addresses can be fetched; write https://..."),
        ("http://a.example:port/", "not a valid address"),
        ("http://[::1/", "not a valid address"),
        ("http://", "the address has no host; write https://host/path"),
        ("http://:80/", "the address has no host; write https://host/path"),
    ],
)
def test_find_fault(address: str, expected: str | None) -> None:
    assert find_fault(address) == expected
