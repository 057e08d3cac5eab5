"""/v1/many: a page on each line in, a record on each line out, in the same order, while both streams run."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from broadsheet.api import PageInput
from broadsheet.article import Status
from broadsheet.server.access import GatePlace
from broadsheet.server.body import Pace, read_pieces
from broadsheet.server.refusal import Refusal
from broadsheet.server.requests import SentPage
from broadsheet.server.service import Service
from broadsheet.server.settings import ServerSettings
from broadsheet.server.tasks import JSON_TYPE, PageAnswer, PageTask, RequestTask

NDJSON = "application/x-ndjson"
_BODY = "the body"  # start of messages about a request body; here the body is one line
_MAX_SEND_SECONDS = 60.0  # for a client that does not read its records


class LineReader:
    """Splits a request body into lines within a limit of bytes for each."""

    def __init__(self, request: Request, settings: ServerSettings, hold: Callable[[int], None]) -> None:
        self._max_bytes = settings.max_body_bytes
        self._pieces = read_pieces(request, Pace(settings.min_body_rate), settings.body_seconds)
        self._hold = hold  # called with the bytes of the line that has begun

    async def read(self) -> AsyncIterator[bytes | None]:
        """Yield the lines; None for one that is too long."""
        buffer = bytearray()
        is_too_long = False  # the line that has begun
        async for piece in self._pieces:
            *lines, rest = piece.split(b"\n")
            for line in lines:
                buffer += line
                yield None if is_too_long or len(buffer) > self._max_bytes else bytes(buffer)
                buffer.clear()
                is_too_long = False
            buffer += b"" if is_too_long else rest
            if len(buffer) > self._max_bytes:
                is_too_long = True
                buffer.clear()
            self._hold(len(buffer))
        if buffer or is_too_long:
            yield None if is_too_long else bytes(buffer)


class RecordStream(Response):
    """A response that reads the request while it is sent. Lines that are not pages give failed records."""

    media_type = NDJSON

    def __init__(self, request: Request, service: Service) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._request = request
        self._service = service
        self._place: GatePlace = request.state.place
        self._place.is_kept = True
        self._line_bytes = 0  # of lines in progress
        self._buffered_bytes = 0
        self._send_pace = Pace(service.settings.min_body_rate)
        self._is_started = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the records."""
        # A page is in progress in each worker, and as many wait: further lines are read when a record has been sent.
        tasks: asyncio.Queue[asyncio.Task[PageAnswer] | None] = asyncio.Queue(2 * self._service.settings.workers)
        reader = asyncio.create_task(self._read_lines(tasks))
        try:
            while (task := await tasks.get()) is not None:
                await self._send(send, (await task).record + b"\n")
            await self._finish(reader, scope, receive, send)
        finally:
            reader.cancel()
            while not tasks.empty():
                if task := tasks.get_nowait():
                    task.cancel()

    async def _finish(self, reader: asyncio.Task[int], scope: Scope, receive: Receive, send: Send) -> None:
        """End the response. An error that ended the input is sent as a refusal, or as the last record."""
        try:
            if await reader == 0:
                raise Refusal(422, 'the body has no lines; send {"html": "..."} on each')
        except Refusal as refusal:
            if not self._is_started:
                await refusal.make_response()(scope, receive, send)
                return
            await self._send(send, self._fail(refusal.line).record + b"\n")
        await send({"type": "http.response.body", "body": b""})

    async def _read_lines(self, tasks: asyncio.Queue[asyncio.Task[PageAnswer] | None]) -> int:
        """Start a task for each line. Return their number."""
        settings = self._service.settings
        count = 0
        try:
            numbers = itertools.count(1)
            async with asyncio.timeout(settings.stream_seconds):
                async for line in LineReader(self._request, settings, self._hold_buffer).read():
                    number = next(numbers)
                    if line is None or line.strip():
                        count += 1
                        await tasks.put(asyncio.create_task(self._extract_line(number, line)))
        except TimeoutError as error:
            line_text = f"the request took longer than {settings.stream_seconds:g} seconds (--stream-seconds)"
            raise Refusal(408, line_text) from error
        finally:
            await tasks.put(None)
        return count

    def _hold_buffer(self, size: int) -> None:
        self._buffered_bytes = size
        self._place.hold(self._line_bytes + size)

    async def _extract_line(self, number: int, line: bytes | None) -> PageAnswer:
        settings = self._service.settings
        if line is None:
            return self._fail(f"line {number} is longer than {settings.max_body_bytes:,} bytes")
        self._line_bytes += len(line)
        try:
            answer = (await self._service.extract(RequestTask(SentPage(line, JSON_TYPE), "", settings.rules))).answer
        except Refusal as refusal:
            return self._fail(refusal.line)
        finally:
            self._line_bytes -= len(line)
        if not answer.code and answer.media_type != JSON_TYPE:
            return self._fail(f"line {number}: the answers of /v1/many are records; leave format out")
        return self._fail(_describe_line(number, answer.reason)) if answer.code else answer

    def _fail(self, reason: str) -> PageAnswer:
        return PageTask(PageInput(None, None)).make_failed(self._service.settings.options, reason, Status.FAILED)

    async def _send(self, send: Send, line: bytes) -> None:
        try:
            async with asyncio.timeout(_MAX_SEND_SECONDS):
                with self._send_pace.wait():
                    if not self._is_started:
                        self._is_started = True
                        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                    await send({"type": "http.response.body", "body": line, "more_body": True})
            self._send_pace.count(len(line))
        except (TimeoutError, Refusal) as error:  # a client that reads slowly cannot be told so
            raise ClientDisconnect from error


def _describe_line(number: int, reason: str) -> str:
    """Return the reason with the number of the line. The body of its request is one line: positions are columns."""
    reason = reason.replace(" at line 1 column ", " at column ")
    return f"line {number}{reason.removeprefix(_BODY)}" if reason.startswith(_BODY) else f"line {number}: {reason}"
