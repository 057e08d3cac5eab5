"""Who may use the service, and how many at a time. Checked for every route, before anything of the body is read."""

from __future__ import annotations

import contextlib
import hmac
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from typing import Self
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import ServerSettings

OPEN_PATHS = frozenset(("/health", "/ready", "/"))  # probes, and the page of the desk: no token, no rate limit
OPEN_FOLDER = "/desk/static/"  # files of the desk, the same for everybody; the page itself asks for the token
DESK_FOLDER = "/desk/"
CLIP_PATH = "/desk/clip"  # shows the bookmarklet, and what it sends; other sites may open it, in a tab
# The documents that a link or form of another site may open.
_CROSS_SITE_DOCUMENTS = frozenset((("GET", "/"), ("GET", CLIP_PATH), ("POST", CLIP_PATH)))
_FREE_PATHS = OPEN_PATHS | {"/metrics"}  # cheap, and needed most when all places are taken
_SAME_SITES = frozenset(("same-origin", "none"))  # values of Sec-Fetch-Site
_MAX_CLIENTS = 10_000  # addresses that are remembered
_WRONG_TOKENS_PER_SECOND = 1.0
_MAX_WRONG_TOKENS = 20  # in a row
_MAX_HELD_BYTES = 256_000_000  # of all bodies together
_MIN_HELD_BODIES = 4
_MAX_RETRY_SECONDS = 60
_MEAN_WEIGHT = 0.1  # of the newest value in the running mean
_FIRST_MEAN_SECONDS = 0.05


class RateLimit:
    """A token bucket for each client address: `rate` requests per second, and bursts of two seconds' worth."""

    def __init__(self, rate: float, burst: float | None = None) -> None:
        self._rate = rate
        self._capacity = burst or max(1.0, 2 * rate)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> tokens, time

    def find_wait(self, client: str) -> float:
        """Return the seconds until there is a token."""
        return max(0.0, 1 - self._count_tokens(client, time.monotonic())) / self._rate

    def _count_tokens(self, client: str, now: float) -> float:
        tokens, since = self._buckets.get(client, (self._capacity, now))
        return min(self._capacity, tokens + (now - since) * self._rate)

    def take(self, client: str) -> float:
        """Take a token. Return 0, or the seconds until there is one."""
        now = time.monotonic()
        tokens = self._count_tokens(client, now)
        self._buckets.pop(client, None)
        is_allowed = tokens >= 1
        self._buckets[client] = (tokens - 1 if is_allowed else tokens, now)
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if is_allowed else (1 - tokens) / self._rate


class AccessControl:
    """ASGI middleware that refuses requests."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app = app
        self._token = _encode(settings.token)
        self._desk_secret = _encode(settings.desk_secret)
        self._hosts = {host.lower() for host in settings.accepted_hosts}
        self._origins = frozenset(origin.lower().rstrip("/") for origin in settings.cors_origins)
        self._rate_limit = RateLimit(settings.max_rate) if settings.max_rate else None
        self._wrong_tokens = RateLimit(_WRONG_TOKENS_PER_SECOND, _MAX_WRONG_TOKENS)

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
        _check_framing(request)
        self._check_host(request)
        self._check_origin(request)
        path = request.scope["path"]  # not request.url, which is built with the Host header
        if path in OPEN_PATHS or path.startswith(OPEN_FOLDER):
            return
        if request.scope["method"] == "OPTIONS":  # browsers ask without a token
            return
        # A bookmarklet cannot send a secret. Nothing that it sends is stored, and a desk with a secret is not public.
        if path != CLIP_PATH or self._desk_secret is None:
            self._check_token(request, self._find_token(path))
        if self._rate_limit and (seconds := self._rate_limit.take(_find_client(request.scope))):
            raise _refuse_often("too many requests from this address", seconds)

    def _find_token(self, path: str) -> bytes | None:
        return self._desk_secret if self._token is None and path.startswith(DESK_FOLDER) else self._token

    def _check_host(self, request: HTTPConnection) -> None:
        if self._hosts:
            host = _strip_port(request.headers.get("Host", "")).lower()
            if host not in self._hosts:
                raise Refusal(403, f"the host {host[:80]!r} is not accepted; pass --accept-host to the service")

    def _check_origin(self, request: HTTPConnection) -> None:
        """Refuse what a browser sends for a page of another site, unless the operator named its origin.

        Any web page can make the browser send requests to 127.0.0.1. Browsers state the origin of the page in Origin,
        in Sec-Fetch-Site, or in both. Programs that are not browsers send neither.
        """
        origin = request.headers.get("Origin")
        site = request.headers.get("Sec-Fetch-Site", "none")
        if origin is None and site in _SAME_SITES:
            return
        if origin is not None and origin.lower() in self._origins:
            return
        is_own = origin is None or urlsplit(origin).netloc.lower() == request.headers.get("Host", "").lower()
        if is_own and site in _SAME_SITES:
            return
        is_document = request.headers.get("Sec-Fetch-Dest", "document") == "document"
        if is_document and (request.scope["method"], request.scope["path"]) in _CROSS_SITE_DOCUMENTS:
            return
        raise Refusal(403, "pages of other sites may not use this service; --cors-origin names those that may")

    def _check_token(self, request: HTTPConnection, token: bytes | None) -> None:
        if token is None:
            return
        client = _find_client(request.scope)
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        is_given = scheme.lower() == "bearer"
        if is_given and (seconds := self._wrong_tokens.find_wait(client)):
            raise _refuse_often("too many wrong tokens from this address", seconds)
        # compare_digest takes the same time whatever the first difference is.
        if is_given and hmac.compare_digest(given.strip().encode("latin-1"), token):
            return
        if is_given:
            self._wrong_tokens.take(client)
        headers = {"WWW-Authenticate": "Bearer"}
        raise Refusal(401, "a token is needed; send Authorization: Bearer TOKEN", headers=headers)


def _encode(token: str | None) -> bytes | None:
    return None if token is None else token.strip().encode()


def _find_client(scope: Scope) -> str:
    return scope["client"][0] if scope.get("client") else ""


def _refuse_often(reason: str, seconds: float) -> Refusal:
    return Refusal(429, f"{reason}; try again later", headers={"Retry-After": str(int(seconds) + 1)})


def _check_framing(request: HTTPConnection) -> None:
    """Refuse a body with two statements of its length: a proxy may believe the other one (request smuggling)."""
    if "Content-Length" in request.headers and "Transfer-Encoding" in request.headers:
        headers = {"Connection": "close"}
        raise Refusal(400, "send either Content-Length or Transfer-Encoding, not both", headers=headers)


def _strip_port(host: str) -> str:
    if host.startswith("["):  # IPv6
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


class Gate:
    """Limits the requests in the service and the bytes of their bodies. All calls are made from the event loop."""

    def __init__(
        self, max_inside: int, lanes: int, *, client_share: float = 1.0, max_held_bytes: int = _MAX_HELD_BYTES
    ) -> None:
        self.max_inside = max_inside
        self.inside = 0
        self.is_closed = False  # the service is stopping
        self.max_held_bytes = max_held_bytes
        self.held_bytes: Counter[str] = Counter()  # by client
        self._clients: Counter[str] = Counter()  # places
        self._client_share = client_share
        self._lanes = lanes  # requests that are processed at the same time
        self._mean_seconds = _FIRST_MEAN_SECONDS  # of processing, without waiting
        self._refused = 0  # requests that are likely to come back

    @property
    def is_full(self) -> bool:
        """Whether the next request would be refused."""
        return self.inside >= self.max_inside

    def check(self, client: str) -> None:
        """Raise Refusal (503 or 429) if there is no place for a client."""
        headers = {"Retry-After": str(self.estimate_wait())}
        if self.is_closed or self.is_full:
            reason = "is stopping" if self.is_closed else "is busy"
            self._refused += 1
            raise Refusal(503, f"the service {reason}; try again later", headers=headers)
        if self._clients[client] >= math.ceil(self._client_share * self.max_inside):
            raise Refusal(429, "too many requests of this address are in progress; try again later", headers=headers)

    def check_bytes(self, client: str) -> None:
        """Raise Refusal (503) if all bodies together, or those of a client, are too large."""
        share = self._client_share * self.max_held_bytes
        if self.held_bytes.total() > self.max_held_bytes or self.held_bytes[client] > share:
            headers = {"Retry-After": str(self.estimate_wait())}
            raise Refusal(503, "the service holds too many large bodies; try again later", headers=headers)

    def add(self, client: str, change: int) -> None:
        """Count a place that is taken (1) or left (-1)."""
        self.inside += change
        _add(self._clients, client, change)

    def record_seconds(self, seconds: float) -> None:
        """Note how long a request was processed."""
        self._refused = max(self._refused - 1, 0)
        self._mean_seconds += _MEAN_WEIGHT * (seconds - self._mean_seconds)

    def estimate_wait(self) -> int:
        """Return the whole seconds after which half of the places are likely to be free.

        Those that were refused before come first: clients that all came back at once would be refused again.
        """
        seconds = (self.max_inside / 2 + self._refused) * self._mean_seconds / self._lanes
        return min(max(1, math.ceil(seconds)), _MAX_RETRY_SECONDS)


def find_held_bytes(max_body_bytes: int) -> int:
    """Return how many bytes all bodies may have: a few of the largest, at least."""
    return max(_MAX_HELD_BYTES, _MIN_HELD_BODIES * max_body_bytes)


def _add(counter: Counter[str], client: str, change: int) -> None:
    """Change a count, and forget a client that has none."""
    counter[client] += change
    if not counter[client]:
        del counter[client]


class GatePlace:
    """A place of a request in a gate, and the bytes of its body that are held in memory."""

    def __init__(self, gate: Gate, client: str) -> None:
        """Take a place. Raises Refusal (503 or 429) if there is none."""
        gate.check(client)
        self._gate: Gate | None = gate
        self._body_gate = gate  # counts the bytes, wherever the request is
        self._client = client
        self._held = 0
        self.is_kept = False  # until the end of the response, not its start
        gate.add(client, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def hold(self, size: int) -> None:
        """State how many bytes the request holds. Raises Refusal (503) if they are too many."""
        _add(self._body_gate.held_bytes, self._client, size - self._held)
        is_more, self._held = size > self._held, size
        if is_more:
            self._body_gate.check_bytes(self._client)

    @contextlib.contextmanager
    def visit(self, gate: Gate) -> Iterator[None]:
        """Change to another gate until the end of the block: slow downloads do not take the places of others.

        Raises Refusal (503 or 429). The way back is always free.
        """
        gate.check(self._client)
        home = self._gate
        self._change(gate)
        try:
            yield
        finally:
            self._change(home)

    def leave(self) -> None:
        """Give up the place."""
        self.hold(0)
        self._change(None)

    def _change(self, gate: Gate | None) -> None:
        for side, change in ((self._gate, -1), (gate, 1)):
            if side is not None:
                side.add(self._client, change)
        self._gate = gate


class Admission:
    """ASGI middleware that gives each request a place, for all routes but probes and files of the front end.

    The place is held until the response begins: a client that reads slowly takes none. `request.state.place` is it.
    """

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on as soon as it has a place, or refuse it."""
        path = scope.get("path", "")
        if scope["type"] != "http" or path in _FREE_PATHS or path.startswith(OPEN_FOLDER):
            await self._app(scope, receive, send)
            return
        try:
            place = GatePlace(self._gate, _find_client(scope))
        except Refusal as refusal:
            await refusal.make_response()(scope, receive, send)
            return

        async def send_and_leave(message: Message) -> None:
            if message["type"] == "http.response.start" and not place.is_kept:
                place.leave()
            await send(message)

        scope.setdefault("state", {})["place"] = place
        with place:
            await self._app(scope, receive, send_and_leave)
