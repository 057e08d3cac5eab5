"""robots.txt: which addresses a site allows programs to fetch (RFC 9309)."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from broadsheet.errors import FetchError, RefusedAddress
from broadsheet.page import Limits
from broadsheet.web import AddressGuard
from broadsheet.web.client import WebClient
from broadsheet.web.content_type import ContentType
from broadsheet.web.failure import find_http_status

if TYPE_CHECKING:
    from protego import Protego

USER_AGENT = "Broadsheet"
_LIMITS = Limits(max_bytes=512_000, max_seconds=10.0)  # RFC 9309: at least 500 KiB are read
_KEEP_SECONDS = 3600.0
_KEEP_FAILURE_SECONDS = 60.0
_MAX_ORIGINS = 2_000


class RobotsRefusal(RefusedAddress):
    """The site does not allow programs to fetch an address."""


@dataclass(frozen=True, slots=True)
class _Rules:
    protego: Protego | None  # None: the file could not be fetched
    expires: float


class RobotsCache:
    """Rules of sites, fetched once an hour. Used by several threads."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        self._rules: OrderedDict[str, _Rules] = OrderedDict()  # by origin
        self._lock = threading.Lock()

    def check(self, address: str) -> None:
        """Raise RobotsRefusal if an address may not be fetched."""
        parts = urlsplit(address.strip())
        origin = f"{parts.scheme.lower()}://{parts.netloc.lower()}"
        protego = self._find_rules(origin).protego
        if protego is None:
            raise RobotsRefusal(f"{origin}/robots.txt cannot be read, so the site is not fetched; try again later")
        if not protego.can_fetch(address, USER_AGENT):
            raise RobotsRefusal("robots.txt of the site does not allow it; save the page in a browser and send it")

    def _find_rules(self, origin: str) -> _Rules:
        with self._lock:
            rules = self._rules.get(origin)
        if rules is None or rules.expires < time.monotonic():
            rules = self._fetch_rules(origin)
            with self._lock:
                self._rules[origin] = rules
                if len(self._rules) > _MAX_ORIGINS:
                    self._rules.popitem(last=False)
        return rules

    def _fetch_rules(self, origin: str) -> _Rules:
        address = f"{origin}/robots.txt"
        try:
            with WebClient(_LIMITS, self._guard.allow_ports_of(address), max_retries=1) as client:
                text = client.download(address, _accept_any).body.decode("utf-8", "replace")
        except FetchError as error:
            status = find_http_status(error)
            if status is None or status == 429 or status >= 500:  # unreachable: nothing may be fetched
                return _Rules(None, time.monotonic() + _KEEP_FAILURE_SECONDS)
            text = ""  # the site has no such file
        return _Rules(_parse_rules(text), time.monotonic() + _KEEP_SECONDS)


def _parse_rules(text: str) -> Any:
    from protego import Protego

    return Protego.parse(text)


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
