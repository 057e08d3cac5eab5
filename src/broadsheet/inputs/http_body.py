"""Bodies of HTTP responses in archives: undo Transfer-Encoding and Content-Encoding, and keep what can be read.

Archives contain bodies that do not match their headers: some crawlers store them decoded, connections break off. A
body that does not match its header is taken as it is if it looks like HTML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from broadsheet.errors import FetchError
from broadsheet.page.file_type import is_html
from broadsheet.web.body import make_decoder

_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")
_PIECE_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class Body:
    """A decoded body."""

    data: bytes
    fault: str = ""  # what is missing


def decode_body(data: bytes, *, transfer_encoding: str, content_encoding: str, max_bytes: int) -> Body:
    """Decode a body to at most about `max_bytes`."""
    body = Body(data)
    if "chunked" in transfer_encoding.lower():
        body = _join_chunks(data)
    for encoding in reversed([name.strip() for name in content_encoding.split(",") if name.strip()]):
        unpacked = _unpack(body.data, encoding, max_bytes)
        body = Body(unpacked.data, body.fault or unpacked.fault)
    return Body(body.data[:max_bytes], body.fault)


def _join_chunks(data: bytes) -> Body:
    """Join the chunks of a body. One that is not chunked, in spite of its header, is returned as it is."""
    if not _CHUNK_SIZE.match(data):
        return Body(data)
    pieces: list[bytes] = []
    position = 0
    while size := _CHUNK_SIZE.match(data, position):
        length = int(size[1], 16)
        if not length:
            return Body(b"".join(pieces))
        pieces.append(data[size.end() : size.end() + length])
        position = size.end() + length
        position += 2 if data[position : position + 2] == b"\r\n" else 1
    if position >= len(data):
        return Body(b"".join(pieces), "the body is truncated: its last chunk is missing")
    pieces.append(data[position:])  # keep what follows, with the broken size: HTML is tolerant
    return Body(b"".join(pieces), "the body is garbled: a chunk has no size")


def _unpack(data: bytes, encoding: str, max_bytes: int) -> Body:
    """Undo one content encoding, piece by piece, so that the part before an error is kept."""
    if not data:
        return Body(data)
    output = bytearray()
    try:
        decoder = make_decoder(encoding)
        for start in range(0, len(data), _PIECE_BYTES):
            output += decoder.decode(data[start : start + _PIECE_BYTES], max_bytes - len(output))
            if len(output) >= max_bytes:
                return Body(bytes(output))
        if decoder.is_complete:
            return Body(bytes(output))
        fault = f"the body is truncated: its {encoding} data has no end"
    except FetchError as error:
        if not output and is_html(data):
            return Body(data)  # decoded by the crawler
        fault = f"the body is garbled: {str(error).partition(';')[0]}"
    return Body(bytes(output), fault)
