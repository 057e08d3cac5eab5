"""Who may use the service, and how many at a time. Checked before anything of the body is read."""

from __future__ import annotations

import contextlib
import hmac
import math
import time
from collections import OrderedDict
from collections.abc import Iterator

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import ServerSettings

OPEN_PATHS = frozenset(("/health", "/ready", "/"))  # probes, and the page of the desk: no token, no rate limit
OPEN_FOLDER = "/desk/static/"  # files of the desk, the same for everybody; the page itself asks for the token
_MAX_CLIENTS = 10_000  # addresses that are remembered
_MAX_RETRY_SECONDS = 60
_MEAN_WEIGHT = 0.1  # of the newest value in the running mean
_FIRST_MEAN_SECONDS = 0.05


class RateLimit:
    """A token bucket for each client address: `rate` requests per second, and bursts of two seconds' worth."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._capacity = max(1.0, 2 * rate)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> tokens, time

    def take(self, client: str) -> float:
        """Take a token. Return 0, or the seconds until there is one."""
        now = time.monotonic()
        tokens, since = self._buckets.pop(client, (self._capacity, now))
        tokens = min(self._capacity, tokens + (now - since) * self._rate)
        is_allowed = tokens >= 1
        self._buckets[client] = (tokens - 1 if is_allowed else tokens, now)
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if is_allowed else (1 - tokens) / self._rate


class AccessControl:
    """ASGI middleware that refuses requests."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._token = None if settings.token is None else settings.token.strip().encode()
        self._hosts = {host.lower() for host in settings.accepted_hosts}
        self._rate_limit = RateLimit(settings.max_rate) if settings.max_rate else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, then pass it on."""
        if scope["type"] == "http":
            try:
                self._check(HTTPConnection(scope))
            except Refusal as refusal:
                await refusal.make_response()(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _check(self, request: HTTPConnection) -> None:
        self._check_host(request)
        path = request.scope["path"]  # not request.url, which is built with the Host header
        if path in OPEN_PATHS or path.startswith(OPEN_FOLDER):
            return
        if request.scope["method"] == "OPTIONS":  # browsers ask without a token
            return
        self._check_token(request)
        if self._rate_limit and (seconds := self._rate_limit.take(request.client.host if request.client else "")):
            headers = {"Retry-After": str(int(seconds) + 1)}
            raise Refusal(429, "too many requests from this address; try again later", headers=headers)

    def _check_host(self, request: HTTPConnection) -> None:
        if self._hosts:
            host = _strip_port(request.headers.get("Host", "")).lower()
            if host not in self._hosts:
                raise Refusal(403, f"the host {host[:80]!r} is not accepted; pass --accept-host to the service")

    def _check_token(self, request: HTTPConnection) -> None:
        if self._token is None:
            return
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        # compare_digest takes the same time whatever the first difference is.
        if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode("latin-1"), self._token):
            headers = {"WWW-Authenticate": "Bearer"}
            raise Refusal(401, "a token is needed; send Authorization: Bearer TOKEN", headers=headers)


def _strip_port(host: str) -> str:
    if host.startswith("["):  # IPv6
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


class Gate:
    """Limits the requests in the service. All calls are made from the event loop."""

    def __init__(self, max_inside: int, lanes: int) -> None:
        self.max_inside = max_inside
        self.inside = 0
        self.is_closed = False  # the service is stopping
        self._lanes = lanes  # requests that are processed at the same time
        self._mean_seconds = _FIRST_MEAN_SECONDS  # of processing, without waiting

    @property
    def is_full(self) -> bool:
        """Whether the next request would be refused."""
        return self.inside >= self.max_inside

    @contextlib.contextmanager
    def enter(self, *, is_admitted: bool = False) -> Iterator[None]:
        """Take a place until the end of the block. Raises Refusal (503) if there is none.

        A request that another gate has admitted always gets one: its page was fetched already.
        """
        if self.is_closed or (self.is_full and not is_admitted):
            reason = "is stopping" if self.is_closed else "is busy"
            headers = {"Retry-After": str(self.estimate_wait())}
            raise Refusal(503, f"the service {reason}; try again later", headers=headers)
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1

    def record_seconds(self, seconds: float) -> None:
        """Note how long a request was processed."""
        self._mean_seconds += _MEAN_WEIGHT * (seconds - self._mean_seconds)

    def estimate_wait(self) -> int:
        """Return the whole seconds after which half of the places are likely to be free."""
        seconds = self.max_inside / 2 * self._mean_seconds / self._lanes
        return min(max(1, math.ceil(seconds)), _MAX_RETRY_SECONDS)
