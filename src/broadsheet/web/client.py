"""WebClient: fetch addresses within limits of time and size, each host at the pace that it allows.

The one HTTP core of the package: redirects, retries, robots.txt, delays, decoding, cache and WARC output. It is
asynchronous; `fetch.py` runs it in a thread for plain programs.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit
from urllib.request import Request

import httpx

from broadsheet.errors import FetchError, LimitReached
from broadsheet.page import Deadline
from broadsheet.version import __version__
from broadsheet.web.body import BodyReader, ContentType, list_encodings, parse_content_type
from broadsheet.web.failure import StatusError, choose_delay, explain_error
from broadsheet.web.guard import hide_passwords
from broadsheet.web.recording import CachedResponse, CacheFolder, Exchange, WarcOutput
from broadsheet.web.robots import ROBOTS_LIMITS, RobotsCache, RobotsRules
from broadsheet.web.settings import PoliteSettings
from broadsheet.web.transport import GuardedTransport

CheckType = Callable[[ContentType], None]

_HEADERS = {
    "User-Agent": f"Broadsheet/{__version__} (news article extraction)",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1",
    "Accept-Language": "*",
}
_MAX_REDIRECTS = 10
_NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete response; `url` is the address after redirects."""

    url: str
    body: bytes
    content_type: ContentType
    fetched_at: datetime
    is_unchanged: bool = False  # the server answered that the cached copy is current


@dataclass(frozen=True, slots=True)
class _FetchRules:
    """What one address may take."""

    max_bytes: int
    check_type: CheckType | None = None
    asks_robots: bool = True


class WebClient:
    """Fetches addresses. Use it as an asynchronous context manager."""

    def __init__(
        self, settings: PoliteSettings, *, robots: RobotsCache | None = None, deadline: Deadline | None = None
    ) -> None:
        """Prepare a client; nothing is sent yet.

        Args:
            settings: Limits, delays, guard, recording.
            robots: Rules of sites that several clients share. Default: a cache of this client's own.
            deadline: The end of all requests together. Default: every response has the seconds of the settings.

        """
        self._settings = settings
        self._deadline = deadline
        self._robots = robots or RobotsCache(self._fetch_robots)
        self._cache = CacheFolder(settings.cache) if settings.cache else None
        self._warc = WarcOutput(settings.warc) if settings.warc else None
        self._hosts: dict[str, _HostQueue] = {}
        self._slots = asyncio.Semaphore(settings.max_requests)
        self._http = httpx.AsyncClient(
            transport=GuardedTransport(settings.guard),
            headers={**_HEADERS, "Accept-Encoding": list_encodings()},
            cookies=CookieJar(_HostCookies()),
            timeout=None,  # every response has a time limit as a whole
            trust_env=False,  # the transport chooses the proxy
        )
        self.request_count = 0  # requests that were sent

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()
        if self._warc:
            self._warc.close(error)

    async def get(self, address: str, *, max_bytes: int | None = None, check_type: CheckType | None = None) -> Reply:
        """Fetch an address. Raises FetchError with the reason in one line.

        `check_type` raises FetchError for a type that is not wanted, before the body is read. `max_bytes` replaces
        the limit on the size.
        """
        return await self._get(address, _FetchRules(max_bytes or self._settings.limits.max_bytes, check_type))

    async def find_rules(self, address: str) -> RobotsRules:
        """Return the rules of robots.txt for an address, fetched once an hour."""
        return await self._robots.find_rules(address)

    async def _fetch_robots(self, address: str) -> bytes:
        return (await self._get(address, _FetchRules(ROBOTS_LIMITS.max_bytes, asks_robots=False))).body

    async def _get(self, address: str, limits: _FetchRules) -> Reply:
        try:
            self._settings.guard.check_address(address)
            url = str(httpx.URL(address.strip()).copy_with(fragment=None))
            return await self._get_with_retries(url, limits)
        except Exception as error:  # the border to the network: several packages with error types of their own
            reason = explain_error(error, self._settings.limits.max_seconds)
            raise FetchError(f"cannot fetch {hide_passwords(address)}: {hide_passwords(reason)}") from error

    async def _get_with_retries(self, url: str, limits: _FetchRules) -> Reply:
        for retry in range(self._settings.max_retries):
            try:
                return await self._follow_redirects(url, limits)
            except Exception as error:
                delay = choose_delay(error, retry)
                if delay is None or delay > self._settings.max_wait or delay >= self._count_seconds_left():
                    raise
            self._find_queue(url).pause(delay)
        return await self._follow_redirects(url, limits)

    async def _follow_redirects(self, url: str, limits: _FetchRules) -> Reply:
        """Send the request and those that redirects ask for; guard and robots.txt are asked for each."""
        await self._ask_robots(url, limits)
        sent: set[tuple[str, str]] = set()
        for _ in range(_MAX_REDIRECTS + 1):
            cached = self._cache.find(_drop_fragment(url)) if self._cache else None
            request = self._http.build_request("GET", url, headers=cached.conditions if cached else {})
            key = (_drop_fragment(url), request.headers.get("Cookie", ""))  # some sites redirect to set a cookie
            if key in sent:
                raise FetchError("it redirects in a circle; check the address")
            sent.add(key)
            reply = await self._send(request, cached, limits)
            if isinstance(reply, Reply):
                return reply
            url = reply
            try:
                self._settings.guard.check_address(url)
                await self._ask_robots(url, limits)
            except FetchError as error:
                raise FetchError(f"it redirects to an address that is not fetched: {error}") from error
        raise FetchError(
            f"more than {_MAX_REDIRECTS} redirects, perhaps in a circle; "
            "check the address, or save the page in a browser and pass the file"
        )

    async def _ask_robots(self, url: str, limits: _FetchRules) -> None:
        if limits.asks_robots and self._settings.respects_robots:
            rules = await self._robots.find_rules(url)
            rules.check(url)
            self._find_queue(url).slow_down(min(rules.crawl_delay, self._settings.max_crawl_delay))

    async def _send(self, request: httpx.Request, cached: CachedResponse | None, limits: _FetchRules) -> Reply | str:
        """Send one request. Return the reply, or the address of a redirect, whose body may be endless."""
        async with self._find_queue(str(request.url)).take_turn(), self._slots:
            self.request_count += 1
            seconds = min(self._settings.limits.max_seconds, self._count_seconds_left())
            request.extensions["timeout"] = {"connect": None if math.isinf(seconds) else seconds}
            try:
                async with asyncio.timeout(None if math.isinf(seconds) else seconds):
                    response = await self._http.send(request, stream=True)
                    try:
                        return await self._read(response, cached, limits)
                    finally:
                        await response.aclose()
            except TimeoutError as error:
                raise LimitReached("no complete response in time") from error

    async def _read(self, response: httpx.Response, cached: CachedResponse | None, limits: _FetchRules) -> Reply | str:
        url, now = str(response.request.url), datetime.now(UTC)
        if response.next_request is not None:
            self._archive(response, b"", now)
            return str(response.next_request.url)
        if response.status_code == _NOT_MODIFIED and cached is not None:
            return Reply(url, cached.body, parse_content_type(cached.content_type or None), now, is_unchanged=True)
        if not response.is_success:
            self._archive(response, b"", now)
            raise StatusError(response.status_code, response.headers.get("Retry-After", ""))
        header = next(iter(response.headers.get_list("Content-Type")), "")
        content_type = parse_content_type(header or None)
        if limits.check_type is not None:
            limits.check_type(content_type)
        body = await _read_body(response, limits.max_bytes)
        self._archive(response, body, now)
        if self._cache is not None:
            self._cache.store(_drop_fragment(url), _make_cached(response, header, body))
        return Reply(url, body, content_type, now)

    def _archive(self, response: httpx.Response, body: bytes, now: datetime) -> None:
        if self._warc is not None:
            request = response.request
            self._warc.add(
                Exchange(
                    url=_drop_fragment(str(request.url)),
                    request_headers=tuple(request.headers.raw),
                    status=response.status_code,
                    response_headers=tuple(response.headers.raw),
                    body=body,
                    fetched_at=now,
                )
            )

    def _find_queue(self, url: str) -> _HostQueue:
        host = urlsplit(url).netloc.lower()
        if host not in self._hosts:
            self._hosts[host] = _HostQueue(self._settings.delay, self._settings.max_per_host)
        return self._hosts[host]

    def _count_seconds_left(self) -> float:
        return math.inf if self._deadline is None else max(self._deadline.ends - time.monotonic(), 0.0)


class _HostCookies(DefaultCookiePolicy):
    """Returns a cookie only to the host that set it, and to hosts below it.

    A page may set a cookie for a whole domain, and `Domain=.co.uk` would send it to other sites.
    """

    def set_ok(self, cookie: Cookie, request: Request) -> bool:
        if cookie.domain_specified:
            cookie.domain = urlsplit(request.full_url).hostname or ""
            cookie.domain_specified = cookie.domain_initial_dot = False
        return super().set_ok(cookie, request)


class _HostQueue:
    """Turns of the requests to one host: a minimum delay, and a maximum number at a time."""

    def __init__(self, delay: float, max_requests: int) -> None:
        self._delay = delay
        self._slots = asyncio.Semaphore(max_requests)
        self._next_start = 0.0  # time.monotonic()

    @contextlib.asynccontextmanager
    async def take_turn(self) -> AsyncIterator[None]:
        """Wait for a turn; it ends with the block."""
        async with self._slots:
            while (seconds := self._next_start - time.monotonic()) > 0:
                await asyncio.sleep(seconds)
            self._next_start = time.monotonic() + self._delay
            yield

    def slow_down(self, delay: float) -> None:
        """Send one request at a time, with at least this delay, as the host asks in robots.txt."""
        if delay > self._delay:
            self._delay = delay
            self._slots = asyncio.Semaphore(1)

    def pause(self, seconds: float) -> None:
        """Start no request for some seconds, as the host asked in Retry-After."""
        self._next_start = max(self._next_start, time.monotonic() + seconds)


async def _read_body(response: httpx.Response, max_bytes: int) -> bytes:
    reader = BodyReader(response.headers.get("Content-Encoding", ""), max_bytes)
    async for piece in response.aiter_raw():
        reader.add(piece)
    return reader.finish()


def _make_cached(response: httpx.Response, content_type: str, body: bytes) -> CachedResponse:
    if "no-store" in response.headers.get("Cache-Control", "").lower():
        return CachedResponse("", "", content_type, body)
    headers = response.headers
    return CachedResponse(headers.get("ETag", ""), headers.get("Last-Modified", ""), content_type, body)


def _drop_fragment(url: str) -> str:
    return url.partition("#")[0]
