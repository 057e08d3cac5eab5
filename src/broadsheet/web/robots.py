"""robots.txt: which addresses a site allows programs to fetch (RFC 9309). The package protego reads the rules."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from broadsheet.errors import FetchError, RefusedAddress
from broadsheet.page import Limits
from broadsheet.web.failure import FetchFailure, find_failure, find_http_status

if TYPE_CHECKING:
    from protego import Protego

USER_AGENT = "Broadsheet"
ROBOTS_LIMITS = Limits(max_bytes=512_000, max_seconds=10.0)  # RFC 9309: at least 500 KiB are read
_KEEP_SECONDS = 3600.0  # rules are fetched again after this time
_KEEP_FAILURE_SECONDS = 60.0
_MAX_ORIGINS = 2_000  # whose rules are kept


class RobotsRefusal(RefusedAddress):
    """The site does not allow programs to fetch an address."""


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """The rules of one site."""

    protego: Protego | None  # None: the file could not be fetched, and nothing may be fetched
    advice: str = "try again later"  # if the network failed: how
    is_unreachable: bool = False  # the network or the host failed, not the site

    @classmethod
    def parse(cls, body: bytes) -> RobotsRules:
        """Read a robots.txt."""
        from protego import Protego

        return cls(Protego.parse(body.decode("utf-8-sig", "replace")))

    @classmethod
    def after_failure(cls, error: FetchError) -> RobotsRules:
        """Return the rules of a site whose robots.txt cannot be fetched: all is allowed if there is no such file."""
        status = find_http_status(error)
        is_unreachable = status is None or status == 429 or status >= 500
        if not is_unreachable:
            return cls.parse(b"")
        reason = str(error).partition(": ")[2]  # without "cannot fetch https://...: "
        if status is not None or not reason:
            return cls(None)
        return cls(None, reason, is_unreachable=find_failure(error) is not FetchFailure.REFUSED)

    @property
    def keep_seconds(self) -> float:
        """How long the rules may be used."""
        return _KEEP_FAILURE_SECONDS if self.protego is None else _KEEP_SECONDS

    def check(self, address: str) -> None:
        """Raise RobotsRefusal if an address may not be fetched, a plain FetchError if its host was not reached."""
        if self.protego is None:
            origin = find_origin(address)
            kind = FetchError if self.is_unreachable else RobotsRefusal
            raise kind(f"{origin}/robots.txt cannot be read, so the site is not fetched; {self.advice}")
        if not self.protego.can_fetch(address, USER_AGENT):
            raise RobotsRefusal("robots.txt of the site does not allow it; save the page in a browser and send it")

    def allows(self, address: str) -> bool:
        """Return whether an address may be fetched."""
        return self.protego is not None and self.protego.can_fetch(address, USER_AGENT)

    @property
    def crawl_delay(self) -> float:
        """Seconds between two requests that the site asks for; 0 if it asks for none."""
        if self.protego is None:
            return 0.0
        rate = self.protego.request_rate(USER_AGENT)
        seconds_per_request = rate.seconds / rate.requests if rate and rate.requests else 0.0
        return max(self.protego.crawl_delay(USER_AGENT) or 0.0, seconds_per_request)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The addresses of sitemaps that the file names."""
        return () if self.protego is None else tuple(self.protego.sitemaps)


@dataclass(frozen=True, slots=True)
class _CachedRules:
    rules: RobotsRules
    expires: float  # time.monotonic()


class RobotsCache:
    """Rules of sites, fetched once an hour. All calls are made in one event loop."""

    def __init__(self, fetch: Callable[[str], Awaitable[bytes]]) -> None:
        """Prepare an empty cache. `fetch` downloads a robots.txt; it raises FetchError."""
        self._fetch = fetch
        self._tasks: OrderedDict[str, asyncio.Task[_CachedRules]] = OrderedDict()  # by origin

    async def find_rules(self, address: str) -> RobotsRules:
        """Return the rules for an address. Requests for the same site wait for one download."""
        origin = find_origin(address)
        task = self._tasks.get(origin)
        if task is None or (task.done() and _is_outdated(task)):
            task = self._tasks[origin] = asyncio.create_task(self._fetch_rules(origin))
            if len(self._tasks) > _MAX_ORIGINS:
                self._tasks.popitem(last=False)
        return (await asyncio.shield(task)).rules

    async def _fetch_rules(self, origin: str) -> _CachedRules:
        try:
            rules = RobotsRules.parse(await self._fetch(f"{origin}/robots.txt"))
        except FetchError as error:
            rules = RobotsRules.after_failure(error)
        return _CachedRules(rules, time.monotonic() + rules.keep_seconds)


def find_origin(address: str) -> str:
    """Return scheme, host and port of an address."""
    parts = urlsplit(address.strip())
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}"


def _is_outdated(task: asyncio.Task[_CachedRules]) -> bool:
    """Tell whether a download that has ended must be repeated."""
    return task.cancelled() or task.exception() is not None or task.result().expires < time.monotonic()
