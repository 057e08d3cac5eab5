"""The client for many addresses: robots.txt and its delay, queues, retries, conditional requests, WARC output."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import httpx
import pytest
from tests.local_site import LocalSite, serve_site

import broadsheet
from broadsheet.errors import FetchError, UsageError
from broadsheet.page import Limits
from broadsheet.web import AddressGuard, transport
from broadsheet.web import client as client_module
from broadsheet.web.client import Reply, WebClient, _HostCookies
from broadsheet.web.failure import FetchFailure, find_failure
from broadsheet.web.fetch import post_json
from broadsheet.web.robots import RobotsRules
from broadsheet.web.settings import PoliteSettings

LOCAL = PoliteSettings(guard=AddressGuard(allow_private=True), delay=0.0, limits=Limits(max_seconds=60.0))
Serve = Callable[[Callable[[BaseHTTPRequestHandler], None]], str]
T = TypeVar("T")


@pytest.fixture
def site() -> Iterator[LocalSite]:
    site = LocalSite(30, slow_seconds=0.0)
    with serve_site(site):
        yield site


def fetch(settings: PoliteSettings, *addresses: str) -> list[Reply | FetchError]:
    """Fetch addresses at the same time with one client."""

    async def run() -> list[Reply | FetchError]:
        async with WebClient(settings) as client:

            async def get(address: str) -> Reply | FetchError:
                try:
                    return await client.get(address)
                except FetchError as error:
                    return error

            return list(await asyncio.gather(*map(get, addresses)))

    return asyncio.run(run())


def fetch_body(settings: PoliteSettings, address: str) -> bytes:
    (reply,) = fetch(settings, address)
    assert isinstance(reply, Reply), reply
    return reply.body


def fetch_error(settings: PoliteSettings, address: str) -> FetchError:
    (error,) = fetch(settings, address)
    assert isinstance(error, FetchError)
    return error


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """When requests were sent, by a clock that only goes on while requests wait for their turn."""
    now = 0.0
    moments: list[float] = []
    send = transport.GuardedTransport.handle_async_request

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        await asyncio.sleep(0)

    async def send_and_note(self: Any, request: httpx.Request) -> httpx.Response:
        moments.append(now)
        return await send(self, request)

    monkeypatch.setattr(client_module, "time", SimpleNamespace(monotonic=lambda: now))
    clock = SimpleNamespace(Semaphore=asyncio.Semaphore, timeout=asyncio.timeout, sleep=sleep)
    monkeypatch.setattr(client_module, "asyncio", clock)
    monkeypatch.setattr(transport.GuardedTransport, "handle_async_request", send_and_note)
    return moments


def list_delays(moments: list[float]) -> list[float]:
    return [round(second - first, 6) for first, second in itertools.pairwise(moments)]


def test_crawl_delay(starts: list[float]) -> None:
    site = LocalSite(30, crawl_delay=30, slow_seconds=0.0)
    with serve_site(site) as base:
        fetch(LOCAL, *(f"{base}{path}" for path in ("/", "/about", "/privacy", "/sport/")))
    assert [request.path for request in site.requests].count("/robots.txt") == 1
    assert len(starts) == 5
    assert min(list_delays(starts[1:])) >= 30  # after robots.txt, which asks for it


def test_delay_of_the_settings(site: LocalSite, starts: list[float]) -> None:
    fetch(replace(LOCAL, delay=20), *(f"{site.base}{path}" for path in ("/", "/about", "/privacy")))
    assert len(site.requests) == 4  # robots.txt as well
    assert min(list_delays(starts)) >= 20


def test_robots_txt_is_fetched_once(site: LocalSite) -> None:
    fetch(LOCAL, *(f"{site.base}{path}" for path in ("/", "/about", "/privacy")))
    assert [request.path for request in site.requests].count("/robots.txt") == 1
    assert all(request.user_agent.startswith("Broadsheet/") for request in site.requests)


def test_site_that_cannot_be_reached() -> None:
    settings = replace(LOCAL, max_retries=0)
    error = str(fetch_error(settings, "http://127.0.0.1:1/"))
    assert "robots.txt cannot be read, so the site is not fetched; the server refused the connection" in error


@pytest.mark.parametrize("path", ["/members/", "/search?q=a", "/latest"])  # the last one redirects to the first
def test_forbidden(site: LocalSite, path: str) -> None:
    error = fetch_error(LOCAL, site.base + path)
    assert "robots.txt of the site does not allow it" in str(error)
    assert find_failure(error) is FetchFailure.REFUSED
    assert site.count_forbidden_requests() == 0
    assert b"Members" in fetch_body(replace(LOCAL, respects_robots=False), f"{site.base}/members/")


def test_retry_after(site: LocalSite) -> None:
    assert b"Farms" in fetch_body(LOCAL, f"{site.base}/farms/")
    first, second = [request for request in site.requests if request.path == "/farms/"]
    assert (first.status, second.status) == (503, 200)
    assert second.moment - first.moment >= 1.0  # as Retry-After asks
    site.requests.clear()


def test_a_wait_that_is_too_long(site: LocalSite) -> None:
    assert "503 Service Unavailable" in str(fetch_error(replace(LOCAL, max_wait=0.5), f"{site.base}/farms/"))


def test_a_body_that_breaks_off_is_fetched_again(site: LocalSite) -> None:
    address = site.address_of(site.cut_number)
    assert fetch_body(LOCAL, address).rstrip().endswith(b"</html>")
    assert [request.path for request in site.requests].count(address.removeprefix(site.base)) == 2


def test_conditional_requests(site: LocalSite, tmp_path: Path) -> None:
    settings = replace(LOCAL, cache=tmp_path / "cache")
    first = fetch_body(settings, f"{site.base}/about")
    (second,) = fetch(settings, f"{site.base}/about")
    assert isinstance(second, Reply)
    assert second.is_unchanged
    assert second.body == first
    assert [request.status for request in site.requests if request.path == "/about"] == [200, 304]


def test_damaged_cache(site: LocalSite, tmp_path: Path) -> None:
    settings = replace(LOCAL, cache=tmp_path / "cache")
    body = fetch_body(settings, f"{site.base}/about")
    for path in (tmp_path / "cache").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-10])
    assert fetch_body(settings, f"{site.base}/about") == body
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is a file; name a folder"):
        fetch(replace(LOCAL, cache=tmp_path / "file"), f"{site.base}/about")


def test_warc(site: LocalSite, tmp_path: Path) -> None:
    pytest.importorskip("fastwarc", reason="fastwarc is not installed (extra archive)")
    path = tmp_path / "crawl.warc.gz"
    address = site.address_of(site.moved_number)
    fetch(replace(LOCAL, warc=path), address, f"{site.base}/feed", f"{site.base}/nothing")
    pages = [capture for capture in broadsheet.read_captures(path) if capture.html]
    assert [page.url for page in pages] == [address]
    assert pages[0].fetched_at is not None
    assert broadsheet.extract(pages[0].html or "", address).status == "ok"
    assert not list(tmp_path.glob(".*"))  # no temporary file is left


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 2.5", 2.5),
        ("User-agent: broadsheet\nCrawl-delay: 7\n\nUser-agent: *\nCrawl-delay: 1", 7.0),
        ("User-agent: *\nRequest-rate: 1/10", 10.0),
        ("User-agent: *\nDisallow: /a", 0.0),
        ("\x00\xff<html>", 0.0),
    ],
)
def test_delays_of_robots_txt(text: str, delay: float) -> None:
    assert RobotsRules.parse(text.encode("latin-1")).crawl_delay == delay


def test_robots_txt_with_a_byte_order_mark() -> None:
    rules = RobotsRules.parse(b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /private/\r\n")
    assert not rules.allows("https://news.example/private/a")
    assert rules.allows("https://news.example/a")


@pytest.mark.parametrize(("name", "value"), [("delay", -1.0), ("max_per_host", 0), ("max_wait", float("nan"))])
def test_bad_settings(name: str, value: float) -> None:
    changes: dict[str, Any] = {name: value}
    with pytest.raises(UsageError, match=name):
        replace(LOCAL, **changes)


def test_redirects_in_a_circle_end_at_once(site: LocalSite) -> None:
    assert "redirects in a circle" in str(fetch_error(LOCAL, f"{site.base}/feeds/loop.xml"))
    assert len(site.requests) <= 4  # robots.txt as well


def test_webhook(site: LocalSite) -> None:
    post_json(f"{site.base}/hook", '{"a": 1}')
    assert site.received == [("/hook", b'{"a": 1}')]
    with pytest.raises(FetchError, match=r"cannot post to http://127\.0\.0\.1:9/: the server refused the connection"):
        post_json("http://127.0.0.1:9/", "{}")


@pytest.mark.parametrize("domain", ["", "; Domain=.co.uk", "; Domain=.news.co.uk"])
def test_a_cookie_is_returned_to_its_host_only(domain: str) -> None:
    jar = CookieJar(_HostCookies())
    request = httpx.Request("GET", "https://www.news.co.uk/")
    cookies = httpx.Cookies(jar)
    cookies.extract_cookies(httpx.Response(200, headers={"Set-Cookie": f"visitor=1{domain}"}, request=request))
    sent = {}
    for host in ("www.news.co.uk", "news.co.uk", "bank.co.uk"):
        request = httpx.Request("GET", f"https://{host}/")
        httpx.Cookies(cookies).set_cookie_header(request)  # a copy, as the client makes it
        sent[host] = request.headers.get("Cookie")
    assert sent == {"www.news.co.uk": "visitor=1", "news.co.uk": None, "bank.co.uk": None}


def test_the_answer_of_a_webhook_is_not_read() -> None:
    """A server that never stops sending would fill the memory."""
    stopped = threading.Event()

    class Endless(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                while True:
                    self.wfile.write(b"x" * 65536)
            stopped.set()

    with ThreadingHTTPServer(("127.0.0.1", 0), Endless) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        post_json(f"http://127.0.0.1:{server.server_port}/", "{}")
        assert stopped.wait(20)
        server.shutdown()
