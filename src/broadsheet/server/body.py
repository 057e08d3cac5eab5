"""Read the body of a request within limits of size and time, while it arrives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from starlette.requests import Request

from broadsheet.errors import FetchError
from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import ServerSettings
from broadsheet.web.body import Decoder, list_encodings, make_decoder


async def read_body(request: Request, settings: ServerSettings) -> bytes:
    """Return the decoded body. Raises Refusal: 413 as soon as it is too large, 408 if it is late, 415 or 422."""
    check_length(request, settings.max_body_bytes)
    body = bytearray()
    try:
        async with asyncio.timeout(settings.body_seconds):
            async for piece in decode_pieces(request, settings.max_body_bytes):
                body += piece
                if len(body) > settings.max_body_bytes:
                    raise _refuse_size(settings.max_body_bytes)
    except TimeoutError as error:
        raise refuse_late(settings.body_seconds) from error
    if not body:
        raise Refusal(422, "the body is empty; send a page")
    return bytes(body)


def check_length(request: Request, max_bytes: int) -> None:
    """Refuse a body that states a length beyond the limit, before it is read."""
    length = request.headers.get("Content-Length", "")
    if length.isdigit() and int(length[:20]) > max_bytes:
        raise _refuse_size(max_bytes)


async def decode_pieces(request: Request, max_bytes: int) -> AsyncIterator[bytes]:
    """Yield the body piece by piece, unpacked; no piece unpacks to much more than the limit."""
    decoder = _open_decoder(request)
    async for piece in request.stream():
        if not piece:  # the last one
            continue
        try:
            yield decoder.decode(piece, max_bytes + 1)
        except FetchError as error:
            encoding = request.headers.get("Content-Encoding", "")
            raise Refusal(422, f"the body is not valid {encoding:.40}, which its Content-Encoding states") from error
    if not decoder.is_complete:
        raise Refusal(422, "the compressed body is incomplete")


def refuse_late(seconds: float) -> Refusal:
    """Return the refusal of a body that does not arrive in time."""
    return Refusal(408, f"the body did not arrive within {seconds:g} seconds", headers={"Connection": "close"})


def _refuse_size(max_bytes: int) -> Refusal:
    return Refusal(413, f"the body is larger than {max_bytes:,} bytes (--max-body-bytes of broadsheet serve)")


def _open_decoder(request: Request) -> Decoder:
    encoding = request.headers.get("Content-Encoding", "")
    try:
        return make_decoder(encoding)
    except FetchError as error:
        raise Refusal(415, f"unsupported Content-Encoding: {encoding:.40}; send {list_encodings()} or none") from error
