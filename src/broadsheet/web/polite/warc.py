"""Web archive output: a WARC file of all requests and responses, each in its own gzip member. Extra `archive`."""

from __future__ import annotations

import gzip
import io
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from broadsheet.atomic import write_atomically
from broadsheet.extras import import_extra
from broadsheet.version import __version__

# The archive has decoded bodies, so these headers of the connection no longer describe them.
_DROPPED_HEADERS = frozenset((b"content-encoding", b"content-length", b"transfer-encoding"))


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response."""

    url: str
    request_headers: tuple[tuple[bytes, bytes], ...]
    status: int
    response_headers: tuple[tuple[bytes, bytes], ...]
    body: bytes  # decoded
    fetched_at: datetime


class WarcOutput:
    """Writes a WARC file. It appears under its name when the output is closed."""

    def __init__(self, path: Path) -> None:
        self._warc: Any = import_extra("fastwarc.warc", "archive")
        self._stack = ExitStack()
        self._file = self._stack.enter_context(write_atomically(path, "wb"))
        info = f"software: Broadsheet/{__version__}\r\nformat: WARC File Format 1.1\r\n".encode()
        self._write("warcinfo", info, datetime.now(UTC), "application/warc-fields")

    def add(self, exchange: Exchange) -> None:
        """Write the response and the request."""
        status = b"HTTP/1.1 %d \r\n" % exchange.status
        headers = [pair for pair in exchange.response_headers if pair[0].lower() not in _DROPPED_HEADERS]
        headers.append((b"Content-Length", b"%d" % len(exchange.body)))
        response = status + _join(headers) + exchange.body
        http = "application/http; msgtype="
        record_id = self._write("response", response, exchange.fetched_at, f"{http}response", exchange.url)
        target = exchange.url.partition("://")[2].partition("/")[2]
        request = f"GET /{target} HTTP/1.1\r\n".encode() + _join(exchange.request_headers)
        self._write("request", request, exchange.fetched_at, f"{http}request", exchange.url, record_id)

    def close(self, error: BaseException | None = None) -> None:
        """Finish the file; after an error, remove it."""
        self._stack.__exit__(type(error) if error else None, error, None)

    def _write(  # noqa: PLR0913, PLR0917 - the headers of a record
        self, kind: str, content: bytes, moment: datetime, content_type: str, url: str = "", concurrent_to: str = ""
    ) -> str:
        record = self._warc.WarcRecord()
        record.init_headers(record_type=getattr(self._warc.WarcRecordType, kind))
        record.headers["WARC-Date"] = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        record.headers["Content-Type"] = content_type
        if url:
            record.headers["WARC-Target-URI"] = url
        if concurrent_to:
            record.headers["WARC-Concurrent-To"] = concurrent_to
        record.set_bytes_content(content)
        buffer = io.BytesIO()
        record.write(buffer, checksum_data=True)
        self._file.write(gzip.compress(buffer.getvalue(), mtime=0))
        return str(record.headers["WARC-Record-ID"])


def _join(headers: list[tuple[bytes, bytes]] | tuple[tuple[bytes, bytes], ...]) -> bytes:
    return b"".join(b"%s: %s\r\n" % pair for pair in headers) + b"\r\n"
