"""The outermost layer: one log line and one count for each request, unexpected errors, refused bodies."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from broadsheet.server.refusal import Refusal

LOGGER = logging.getLogger("broadsheet.server")
CLIENT_GONE = 499  # in logs and metrics: the client closed the connection
_CONTROLS = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_REQUEST_ID = re.compile(r"[\w.-]{1,64}")
# A client that is still sending its body when it is refused must get the answer. If the connection is closed on unread
# data, the system resets it and the answer may be lost. So the rest is read and dropped, within these bounds.
_MAX_DRAIN_BYTES = 16_000_000
_MAX_DRAIN_SECONDS = 2.0

CountRequest = Callable[[str, int, float], None]


class RequestLog:
    """ASGI middleware around all others."""

    def __init__(self, app: ASGIApp, count_request: CountRequest) -> None:
        self._app = app
        self._count_request = count_request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, whatever happens inside, and log it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.monotonic()
        exchange = _Exchange(scope, receive, send)
        try:
            await self._app(scope, exchange.receive, exchange.send)
        except ClientDisconnect:
            exchange.code = exchange.code or CLIENT_GONE
        except Exception:  # the border: a fault of the service must not end it
            LOGGER.exception("internal error", extra={"request": exchange.request_id})
            if not exchange.code:
                refusal = Refusal(500, f"internal error; see the log of the service, request {exchange.request_id}")
                await refusal.make_response()(scope, exchange.receive, exchange.send)
        seconds = time.monotonic() - started
        route = scope.get("route")
        self._count_request(getattr(route, "path", "other"), exchange.code, seconds)
        LOGGER.info("request", extra={**exchange.describe(), "ms": round(seconds * 1000, 1)})


class _Exchange:
    """One request and its answer: notes the status, adds the request's id, reads the rest of a refused body."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.code = 0
        self._scope = scope
        self._receive = receive
        self._send = send
        self._bytes_in = 0
        self._has_whole_body = False
        headers = {name: value for name, value in scope["headers"] if name in (b"x-request-id", b"expect")}
        self._expects_continue = b"expect" in headers
        client_id = headers.get(b"x-request-id", b"").decode("latin-1")
        self.request_id = client_id if _REQUEST_ID.fullmatch(client_id) else os.urandom(8).hex()
        scope.setdefault("state", {})["log"] = {}

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._bytes_in += len(message.get("body", b""))
            self._has_whole_body = not message.get("more_body", False)
        else:
            self._has_whole_body = True
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.code = message["status"]
            id_header = (b"x-request-id", self.request_id.encode())
            message = {**message, "headers": [*message.get("headers", ()), id_header]}
        is_last = message["type"] == "http.response.body" and not message.get("more_body", False)
        if is_last and self.code >= 400 and not self._has_whole_body and not self._expects_continue:
            await self._deliver({**message, "more_body": True})
            await self._drain()
            message = {"type": "http.response.body", "body": b""}
        await self._deliver(message)

    async def _deliver(self, message: Message) -> None:
        try:
            await self._send(message)
        except Exception as error:  # the border: h11 is not imported here
            if type(error).__module__.startswith("h11"):  # the client has closed the connection, or broke the protocol
                raise ClientDisconnect from error
            raise

    async def _drain(self) -> None:
        end = self._bytes_in + _MAX_DRAIN_BYTES
        try:
            async with asyncio.timeout(_MAX_DRAIN_SECONDS):
                while not self._has_whole_body and self._bytes_in < end:
                    await self.receive()
        except TimeoutError:
            return

    def describe(self) -> dict[str, Any]:
        """Return the values of the log line. Query and body are left out: they may be private."""
        client = self._scope.get("client")
        return {
            "request": self.request_id,
            "method": self._scope["method"],
            "path": self._scope["path"][:200],
            "code": self.code,
            "client": client[0] if client else None,
            "bytes_in": self._bytes_in,
            **self._scope["state"]["log"],
        }


class JsonFormatter(logging.Formatter):
    """Writes a log record as one line of JSON."""

    _STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "color_message", "taskName"}

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        extra = {name: value for name, value in vars(record).items() if name not in self._STANDARD}
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": moment, "level": record.levelname.lower(), "message": record.getMessage(), **extra}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return escape_controls(json.dumps(line, ensure_ascii=False, default=str))


def escape_controls(text: str) -> str:
    """Escape, in JSON, what ends a line, moves the cursor or turns the direction of text; and half surrogate pairs."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
