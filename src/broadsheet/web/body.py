"""Bodies of responses: decoded piece by piece within a limit of size."""

from __future__ import annotations

from broadsheet.errors import FetchError
from broadsheet.web.content_encoding import make_decoder
from broadsheet.web.failure import PageTooLarge

_MAX_ENCODING_OVERHEAD = 65_536  # bytes; an encoded body that is larger than the limit by more has no useful content


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
        if len(self._body) > self._max_bytes or self._bytes_received > self._max_bytes + _MAX_ENCODING_OVERHEAD:
            raise PageTooLarge(f"the page is larger than {self._max_bytes:,} bytes; save it and pass the file")

    def finish(self) -> bytes:
        """Return the decoded body. Raises FetchError if the compressed body is incomplete."""
        if self._bytes_received and not self._decoder.is_complete:
            raise FetchError("the compressed body is incomplete; try again later")
        return bytes(self._body)
