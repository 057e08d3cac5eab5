"""/v1/many: a page on each line in, a record on each line out, in the same order, while both streams run."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from broadsheet.article import Status
from broadsheet.page_input import PageInput
from broadsheet.server.body import refuse_late
from broadsheet.server.refusal import Refusal
from broadsheet.server.requests import read_json_task
from broadsheet.server.service import Service
from broadsheet.server.tasks import PageAnswer, PageTask, make_failed_answer

NDJSON = "application/x-ndjson"
_BODY = "the body"  # start of messages about a request body; here the body is one line
_MAX_SEND_SECONDS = 60.0  # for a client that does not read its records


class LineReader:
    """Splits a request body into lines within a limit of bytes for each."""

    def __init__(self, request: Request, max_bytes: int, max_seconds: float) -> None:
        self._request = request
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds  # between two pieces

    async def read(self) -> AsyncIterator[bytes | None]:
        """Yield the lines; None for one that is too long."""
        buffer = bytearray()
        is_too_long = False  # the line that has begun
        async for piece in self._read_pieces():
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
        if buffer or is_too_long:
            yield None if is_too_long else bytes(buffer)

    async def _read_pieces(self) -> AsyncIterator[bytes]:
        pieces = self._request.stream()
        while True:
            try:
                async with asyncio.timeout(self._max_seconds):
                    piece = await anext(pieces, None)
            except TimeoutError as error:
                raise refuse_late(self._max_seconds) from error
            if piece is None:
                return
            yield piece


class RecordStream(Response):
    """A response that reads the request while it is sent. Lines that are not pages give failed records."""

    media_type = NDJSON

    def __init__(self, request: Request, service: Service, place: contextlib.ExitStack) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._request = request
        self._service = service
        self._place = place  # in the service; released at the end
        self._is_started = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the records."""
        # A page is in progress in each worker, and as many wait: further lines are read when a record has been sent.
        tasks: asyncio.Queue[asyncio.Task[PageAnswer] | None] = asyncio.Queue(2 * self._service.settings.workers)
        with self._place:
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
            async for line in LineReader(self._request, settings.max_body_bytes, settings.body_seconds).read():
                number = next(numbers)
                if line is None or line.strip():
                    count += 1
                    await tasks.put(asyncio.create_task(self._extract_line(number, line)))
        finally:
            await tasks.put(None)
        return count

    async def _extract_line(self, number: int, line: bytes | None) -> PageAnswer:
        settings = self._service.settings
        if line is None:
            return self._fail(f"line {number} is longer than {settings.max_body_bytes:,} bytes")
        try:
            task = read_json_task(line, settings)
        except Refusal as refusal:
            # The body of this request is one line, so the position in it is a column.
            reason = refusal.line.replace(" at line 1 column ", " at column ")
            if reason.startswith(_BODY):
                return self._fail(f"line {number}{reason.removeprefix(_BODY)}")
            return self._fail(f"line {number}: {reason}")
        try:
            return (await self._service.extract(task)).answer
        except Refusal as refusal:
            return self._fail(refusal.line)

    def _fail(self, reason: str) -> PageAnswer:
        options = self._service.settings.options
        return make_failed_answer(PageTask(PageInput(None, None)), options, reason, Status.FAILED)

    async def _send(self, send: Send, line: bytes) -> None:
        try:
            async with asyncio.timeout(_MAX_SEND_SECONDS):
                if not self._is_started:
                    self._is_started = True
                    await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
                await send({"type": "http.response.body", "body": line, "more_body": True})
        except TimeoutError as error:
            raise ClientDisconnect from error
