"""An address guard that also asks robots.txt, for servers that fetch pages for others."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass

from broadsheet.errors import FetchError
from broadsheet.web import AddressGuard
from broadsheet.web.client import WebClient
from broadsheet.web.content_type import ContentType
from broadsheet.web.robots import ROBOTS_LIMITS, RobotsRules, find_origin

_MAX_ORIGINS = 2_000


@dataclass(frozen=True, slots=True)
class _CachedRules:
    rules: RobotsRules
    expires: float


class RobotsCache:
    """Rules of sites, fetched once an hour. Used by several threads."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        self._cached: OrderedDict[str, _CachedRules] = OrderedDict()  # by origin
        self._lock = threading.Lock()

    def check(self, address: str) -> None:
        """Raise FetchError if an address may not be fetched, or its host was not reached."""
        self._find_rules(find_origin(address)).check(address)

    def _find_rules(self, origin: str) -> RobotsRules:
        with self._lock:
            cached = self._cached.get(origin)
        if cached is None or cached.expires < time.monotonic():
            rules = self._fetch_rules(origin)
            cached = _CachedRules(rules, time.monotonic() + rules.keep_seconds)
            with self._lock:
                self._cached[origin] = cached
                if len(self._cached) > _MAX_ORIGINS:
                    self._cached.popitem(last=False)
        return cached.rules

    def _fetch_rules(self, origin: str) -> RobotsRules:
        address = f"{origin}/robots.txt"
        try:
            with WebClient(ROBOTS_LIMITS, self._guard.allow_ports_of(address), max_retries=1) as client:
                return RobotsRules.parse(client.download(address, _accept_any).body)
        except FetchError as error:
            return RobotsRules.after_failure(error)


def _accept_any(content_type: ContentType) -> None:
    """Accept any type: many servers state a wrong one for robots.txt."""


@dataclass(frozen=True)
class RobotsGuard(AddressGuard):
    """An address guard that also asks robots.txt, for every request and every redirect."""

    robots: RobotsCache | None = None

    def check_address(self, address: str) -> None:
        """Raise FetchError for an address that may not be fetched."""
        AddressGuard.check_address(self, address)
        if self.robots is not None:
            self.robots.check(address)
