"""Bodies of HTTP messages: their Content-Type, and decoding of their Content-Encoding with bounded output.

The decoders of httpx return all that a piece unpacks to: 64 KB of brotli can become gigabytes. The decoders here take
the largest number of bytes that the caller wants, so that a decompression bomb never unpacks into memory.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from broadsheet.errors import FetchError

_MAX_HEADERS = 1024  # kept: archives and clients repeat few headers
MAX_ENCODING_OVERHEAD = 65_536  # bytes; an encoded body that is larger than the limit by more has no useful content
_MAX_GZIP_MEMBERS = 1_000  # of a body; each costs more than its bytes. Block-wise gzip has one for each 64 KB.
_GZIP_MAGIC = b"\x1f\x8b"
_MISMATCH = "the body does not match its Content-Encoding; try again later"


class PageTooLarge(FetchError):
    """A response is larger than the limit."""


@dataclass(frozen=True, slots=True)
class ContentType:
    """A parsed Content-Type header."""

    media_type: str  # lower case; "" without a header, text/plain for a malformed one
    charset: str | None


@lru_cache(_MAX_HEADERS)
def parse_content_type(header: str | None) -> ContentType:
    """Parse a Content-Type header."""
    if not header:
        return ContentType("", None)
    from email.message import Message  # imported here: it loads sockets and calendars, and files have no header

    message = Message()
    message["Content-Type"] = header
    return ContentType(message.get_content_type(), message.get_content_charset())


class BodyReader:
    """Decodes a body piece by piece, so that a page that is too large never gets into memory."""

    def __init__(self, content_encoding: str, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._decoder = make_decoder(content_encoding)
        self._body = bytearray()
        self._bytes_received = 0

    def add(self, piece: bytes) -> None:
        """Decode a piece. Raises PageTooLarge beyond the limit."""
        self._bytes_received += len(piece)
        self._body += self._decoder.decode(piece, self._max_bytes + 1 - len(self._body))
        if len(self._body) > self._max_bytes or self._bytes_received > self._max_bytes + MAX_ENCODING_OVERHEAD:
            raise PageTooLarge(f"the page is larger than {self._max_bytes:,} bytes; save it and pass the file")

    def finish(self) -> bytes:
        """Return the decoded body. Raises FetchError if the compressed body is incomplete."""
        if self._bytes_received and not self._decoder.is_complete:
            raise FetchError("the compressed body is incomplete; try again later")
        return bytes(self._body)


class Decoder(Protocol):
    """Decodes a body piece by piece."""

    def decode(self, data: bytes, max_bytes: int) -> bytes:
        """Decode a piece. Output that reaches max_bytes is cut there, or shortly after."""

    @property
    def is_complete(self) -> bool:
        """Return whether the data so far ends where the encoded stream ends."""


def list_encodings() -> str:
    """Return the Accept-Encoding header: brotli only if it is installed."""
    return "gzip, deflate, br" if import_brotli() else "gzip, deflate"


def make_decoder(encoding: str) -> Decoder:
    """Return the decoder of a Content-Encoding header. Raises FetchError for an unsupported one."""
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return IdentityDecoder()
    if name in ("gzip", "x-gzip"):
        return GzipDecoder()
    if name == "deflate":
        return DeflateDecoder()
    if name == "br" and (brotli := import_brotli()):
        return BrotliDecoder(brotli)
    raise FetchError(f"unsupported Content-Encoding: {name}; save the page in a browser and pass the file")


def import_brotli() -> ModuleType | None:
    """Return the brotli module, or None if it is missing or older than 1.2, the first with an output limit."""
    try:
        brotli = import_module("brotli")
    except ImportError:
        return None
    return brotli if hasattr(brotli.Decompressor, "can_accept_more_data") else None


class IdentityDecoder:
    """Decodes a body that is not compressed."""

    is_complete = True

    def decode(self, data: bytes, max_bytes: int) -> bytes:
        """Return the data itself."""
        return data[:max_bytes]


class GzipDecoder:
    """Decodes gzip, also with several members. Data after the last member is ignored, as browsers do."""

    def __init__(self) -> None:
        self._stream = _open_gzip()
        self._members = 1

    def decode(self, data: bytes, max_bytes: int) -> bytes:
        """Decode a piece. Raises FetchError, also for a body of very many members."""
        output = _decompress(self._stream, data, max_bytes)
        while self._stream.unused_data.startswith(_GZIP_MAGIC) and len(output) < max_bytes:
            next_member = self._stream.unused_data
            self._members += 1
            if self._members > _MAX_GZIP_MEMBERS:
                raise FetchError(_MISMATCH)
            self._stream = _open_gzip()
            output += _decompress(self._stream, next_member, max_bytes - len(output))
        return output

    @property
    def is_complete(self) -> bool:
        """Return whether the last member has ended."""
        return bool(self._stream.eof)


class DeflateDecoder:
    """Decodes "deflate": zlib by the standard, raw deflate from some servers."""

    def __init__(self) -> None:
        self._stream: Any = None

    def decode(self, data: bytes, max_bytes: int) -> bytes:
        """Decode a piece; the first byte distinguishes the two formats."""
        if self._stream is None:
            is_zlib = data[0] & 0x0F == zlib.DEFLATED
            self._stream = zlib.decompressobj(wbits=zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
        return _decompress(self._stream, data, max_bytes)

    @property
    def is_complete(self) -> bool:
        """Return whether the stream has ended."""
        return self._stream is not None and bool(self._stream.eof)


class BrotliDecoder:
    """Decodes brotli."""

    def __init__(self, brotli: ModuleType) -> None:
        self._brotli = brotli
        self._stream = brotli.Decompressor()

    def decode(self, data: bytes, max_bytes: int) -> bytes:
        """Decode a piece. The output may exceed max_bytes by one buffer, which is at most twice as large."""
        try:
            output: bytes = self._stream.process(data, output_buffer_limit=max_bytes)
            while len(output) < max_bytes and not self._stream.can_accept_more_data():
                output += self._stream.process(b"", output_buffer_limit=max_bytes - len(output))
        except self._brotli.error as error:
            raise FetchError(_MISMATCH) from error
        return output

    @property
    def is_complete(self) -> bool:
        """Return whether the stream has ended."""
        return bool(self._stream.is_finished())


def _open_gzip() -> Any:
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)


def _decompress(stream: Any, data: bytes, max_bytes: int) -> bytes:
    try:
        output: bytes = stream.decompress(data, max_bytes)
    except zlib.error as error:
        raise FetchError(_MISMATCH) from error
    return output
