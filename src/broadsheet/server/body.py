"""Read the body of a request within limits of size, time and pace. Worker processes unpack it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING

from broadsheet.errors import FetchError
from broadsheet.server.refusal import Refusal
from broadsheet.web.body import MAX_ENCODING_OVERHEAD, list_encodings, make_decoder

if TYPE_CHECKING:
    from starlette.requests import Request

    from broadsheet.server.settings import ServerSettings

_PIECE_BYTES = 65_536
_GRACE_SECONDS = 5.0  # of waiting, before the pace of a client counts


class Pace:
    """The bytes that a client sends or reads in the time that the service waits for it."""

    def __init__(self, min_rate: float, read_clock: Callable[[], float] = time.monotonic) -> None:
        self._min_rate = min_rate  # bytes per second
        self._read_clock = read_clock
        self._bytes = 0
        self._seconds = 0.0

    @contextlib.contextmanager
    def wait(self) -> Iterator[None]:
        """Count the time of the block."""
        started = self._read_clock()
        try:
            yield
        finally:
            self._seconds += self._read_clock() - started

    def count(self, size: int) -> None:
        """Count bytes. Raises Refusal (408) if there were too few of them so far."""
        self._bytes += size
        if (self._seconds - _GRACE_SECONDS) * self._min_rate > self._bytes:
            line = f"the connection is slower than {self._min_rate:g} bytes per second (--min-body-rate)"
            raise Refusal(408, line, headers={"Connection": "close"})


async def read_body(request: Request, settings: ServerSettings, max_bytes: int | None = None) -> bytes:
    """Return the body, unpacked in a thread. Raises Refusal."""
    most = min(max_bytes or settings.max_body_bytes, settings.max_body_bytes)
    body, encoding = await read_packed(request, settings, most), find_encoding(request)
    return await asyncio.to_thread(unpack_body, body, encoding, most) if encoding else unpack_body(body, "", most)


async def read_packed(request: Request, settings: ServerSettings, max_bytes: int) -> bytes:
    """Return the body as it was sent. Raises Refusal: 413 as soon as it is too large, 408 if it is late, 503."""
    find_encoding(request)
    length = request.headers.get("Content-Length", "")
    if length.isdigit() and int(length[:20]) > max_bytes:
        raise _refuse_size(max_bytes)
    body = bytearray()
    try:
        async with asyncio.timeout(settings.body_seconds):
            async for piece in read_pieces(request, Pace(settings.min_body_rate)):
                body += piece
                if len(body) > max_bytes + MAX_ENCODING_OVERHEAD:
                    raise _refuse_size(max_bytes)
                request.state.place.hold(len(body))
    except TimeoutError as error:
        raise refuse_late(settings.body_seconds) from error
    return bytes(body)


async def read_pieces(request: Request, pace: Pace, max_seconds: float | None = None) -> AsyncIterator[bytes]:
    """Yield the pieces of a body. Raises Refusal (408), also if there is none for some seconds."""
    pieces = request.stream()
    while True:
        try:
            async with asyncio.timeout(max_seconds):
                with pace.wait():
                    piece = await anext(pieces, None)
        except TimeoutError as error:
            raise refuse_late(max_seconds or 0.0) from error
        if piece is None:
            return
        if piece:
            pace.count(len(piece))
            yield piece


def find_encoding(request: Request) -> str:
    """Return the Content-Encoding; "" for none. Raises Refusal (415) before anything is read."""
    encoding = request.headers.get("Content-Encoding", "").strip().lower()
    try:
        make_decoder(encoding)
    except FetchError as error:
        raise Refusal(415, f"unsupported Content-Encoding: {encoding:.40}; send {list_encodings()} or none") from error
    return "" if encoding == "identity" else encoding


def unpack_body(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """Return the decoded body. Raises Refusal: 413 as soon as it is too large, 422 if it is damaged or empty."""
    unpacked = _decode(body, encoding, max_bytes) if encoding else body
    if len(unpacked) > max_bytes:
        raise _refuse_size(max_bytes)
    if not unpacked:
        raise Refusal(422, "the body is empty; send a page")
    return unpacked


def _decode(body: bytes, encoding: str, max_bytes: int) -> bytes:
    decoder = make_decoder(encoding)
    unpacked = bytearray()
    try:
        for start in range(0, len(body), _PIECE_BYTES):
            unpacked += decoder.decode(body[start : start + _PIECE_BYTES], max_bytes + 1 - len(unpacked))
            if len(unpacked) > max_bytes:
                return bytes(unpacked)
    except FetchError as error:
        raise Refusal(422, f"the body is not valid {encoding:.40}, which its Content-Encoding states") from error
    if body and not decoder.is_complete:
        raise Refusal(422, "the compressed body is incomplete")
    return bytes(unpacked)


def refuse_late(seconds: float) -> Refusal:
    """Return the refusal of a body that does not arrive in time."""
    return Refusal(408, f"the body did not arrive within {seconds:g} seconds", headers={"Connection": "close"})


def _refuse_size(max_bytes: int) -> Refusal:
    return Refusal(413, f"the body is larger than {max_bytes:,} bytes (--max-body-bytes of broadsheet serve)")
