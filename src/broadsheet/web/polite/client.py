"""PoliteClient: fetch addresses of many hosts, each at the pace that it allows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx

from broadsheet.errors import FetchError, LimitReached
from broadsheet.extras import import_extra
from broadsheet.web.address import hide_passwords
from broadsheet.web.async_transport import GuardedTransport
from broadsheet.web.body import BodyReader
from broadsheet.web.client import HEADERS, MAX_REDIRECTS
from broadsheet.web.content_encoding import list_encodings
from broadsheet.web.content_type import ContentType, parse_content_type
from broadsheet.web.explain import explain_error
from broadsheet.web.polite.cache import CachedResponse, CacheFolder
from broadsheet.web.polite.hosts import HostQueue
from broadsheet.web.polite.settings import PoliteSettings
from broadsheet.web.polite.warc import Exchange, WarcOutput
from broadsheet.web.retry import choose_delay
from broadsheet.web.robots import ROBOTS_LIMITS, RobotsRules, find_origin
from broadsheet.web.status import StatusError

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
class _Hop:
    """The response to one request: a redirect, or a body."""

    next_url: str | None
    reply: Reply | None


@dataclass(frozen=True, slots=True)
class _CachedRules:
    rules: RobotsRules
    expires: float  # time.monotonic()


class PoliteClient:
    """Fetches addresses. Use it as an asynchronous context manager."""

    def __init__(self, settings: PoliteSettings) -> None:
        if settings.respects_robots:
            import_extra("protego", "discover")
        self._settings = settings
        self._cache = CacheFolder(settings.cache) if settings.cache else None
        self._warc = WarcOutput(settings.warc) if settings.warc else None
        self._hosts: dict[str, HostQueue] = {}
        self._rules: dict[str, asyncio.Task[_CachedRules]] = {}  # by origin
        self._slots = asyncio.Semaphore(settings.max_requests)
        self._http = httpx.AsyncClient(
            transport=GuardedTransport(settings.guard),
            headers={**HEADERS, "Accept-Encoding": list_encodings()},
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

    async def get(self, address: str, *, max_bytes: int | None = None) -> Reply:
        """Fetch an address. Raises FetchError with the reason in one line."""
        size = max_bytes or self._settings.limits.max_bytes
        return await self._explain(address, lambda: self._get_with_retries(address, size, asks_robots=True))

    async def find_rules(self, address: str) -> RobotsRules:
        """Return the rules of robots.txt for an address, fetched once an hour."""
        origin = find_origin(address)
        task = self._rules.get(origin)
        if task is None or (task.done() and (task.cancelled() or task.result().expires < time.monotonic())):
            task = self._rules[origin] = asyncio.create_task(self._fetch_rules(origin))
        return (await asyncio.shield(task)).rules

    async def _fetch_rules(self, origin: str) -> _CachedRules:
        address = f"{origin}/robots.txt"
        try:
            reply = await self._explain(address, lambda: self._get_with_retries(address, ROBOTS_LIMITS.max_bytes))
            rules = RobotsRules.parse(reply.body)
        except FetchError as error:
            rules = RobotsRules.after_failure(error)
        return _CachedRules(rules, time.monotonic() + rules.keep_seconds)

    async def _explain(self, address: str, fetch: Callable[[], Awaitable[Reply]]) -> Reply:
        try:
            self._settings.guard.check_address(address)
            return await fetch()
        except Exception as error:  # the border to the network: several packages with error types of their own
            reason = explain_error(error, self._settings.limits.max_seconds)
            raise FetchError(f"cannot fetch {hide_passwords(address)}: {hide_passwords(reason)}") from error

    async def _get_with_retries(self, address: str, max_bytes: int, *, asks_robots: bool = False) -> Reply:
        for retry in range(self._settings.max_retries):
            try:
                return await self._follow_redirects(address, max_bytes, asks_robots=asks_robots)
            except Exception as error:
                delay = choose_delay(error, retry)
                if delay is None or delay > self._settings.max_wait:
                    raise
            self._find_queue(address).pause(delay)
        return await self._follow_redirects(address, max_bytes, asks_robots=asks_robots)

    async def _follow_redirects(self, address: str, max_bytes: int, *, asks_robots: bool) -> Reply:
        """Send the request and those that redirects ask for; guard and robots.txt are asked for each."""
        url = str(httpx.URL(address.strip()).copy_with(fragment=None))
        visited = {url}
        for _ in range(MAX_REDIRECTS + 1):
            if asks_robots and self._settings.respects_robots:
                rules = await self.find_rules(url)
                rules.check(url)
                self._find_queue(url).slow_down(min(rules.crawl_delay, self._settings.max_crawl_delay))
            hop = await self._send(url, max_bytes)
            if hop.reply is not None:
                return hop.reply
            url = hop.next_url or ""
            if url in visited:
                raise FetchError("it redirects in a circle; check the address")
            visited.add(url)
            try:
                self._settings.guard.check_address(url)
            except FetchError as error:
                raise FetchError(f"it redirects to an address that is not fetched: {error}") from error
        raise FetchError(f"more than {MAX_REDIRECTS} redirects; check the address")

    def _find_queue(self, url: str) -> HostQueue:
        host = urlsplit(url).netloc.lower()
        if host not in self._hosts:
            self._hosts[host] = HostQueue(self._settings.delay, self._settings.max_per_host)
        return self._hosts[host]

    async def _send(self, url: str, max_bytes: int) -> _Hop:
        cached = self._cache.find(url) if self._cache else None
        request = self._http.build_request("GET", url, headers=cached.conditions if cached else {})
        async with self._find_queue(url).take_turn(), self._slots:
            self.request_count += 1
            try:
                async with asyncio.timeout(self._settings.limits.max_seconds):
                    response = await self._http.send(request, stream=True)
                    try:
                        return await self._read(response, cached, max_bytes)
                    finally:
                        await response.aclose()
            except TimeoutError as error:
                raise LimitReached("no complete response in time") from error

    async def _read(self, response: httpx.Response, cached: CachedResponse | None, max_bytes: int) -> _Hop:
        url, now = str(response.request.url), datetime.now(UTC)
        if response.next_request is not None:
            self._archive(response, b"", now)
            return _Hop(str(response.next_request.url.copy_with(fragment=None)), None)
        if response.status_code == _NOT_MODIFIED and cached is not None:
            content_type = parse_content_type(cached.content_type or None)
            return _Hop(None, Reply(url, cached.body, content_type, now, is_unchanged=True))
        if not response.is_success:
            self._archive(response, b"", now)
            raise StatusError(response.status_code, response.headers.get("Retry-After", ""))
        reader = BodyReader(response.headers.get("Content-Encoding", ""), max_bytes)
        async for piece in response.aiter_raw():
            reader.add(piece)
        body = reader.finish()
        self._archive(response, body, now)
        header = response.headers.get("Content-Type", "")
        if self._cache is not None:
            self._cache.store(url, _make_cached(response, header, body))
        return _Hop(None, Reply(url, body, parse_content_type(header or None), now))

    def _archive(self, response: httpx.Response, body: bytes, now: datetime) -> None:
        if self._warc is not None:
            request = response.request
            self._warc.add(
                Exchange(
                    url=str(request.url),
                    request_headers=tuple(request.headers.raw),
                    status=response.status_code,
                    response_headers=tuple(response.headers.raw),
                    body=body,
                    fetched_at=now,
                )
            )


def _make_cached(response: httpx.Response, content_type: str, body: bytes) -> CachedResponse:
    if "no-store" in response.headers.get("Cache-Control", "").lower():
        return CachedResponse("", "", content_type, body)
    headers = response.headers
    return CachedResponse(headers.get("ETag", ""), headers.get("Last-Modified", ""), content_type, body)
