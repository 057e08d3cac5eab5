"""What is kept of responses: a cache for conditional requests, and a WARC file.

The cache is a folder with one file per address: a line of JSON with the headers, then the body. Every use asks the
server (If-None-Match, If-Modified-Since), so an unchanged file is not downloaded again; a response without ETag and
Last-Modified is not stored. The WARC file (extra `archive`) has all requests and responses, each in a gzip member of
its own.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from broadsheet.atomic import write_atomically
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.version import __version__

_VERSION = 1  # of the cache
# The archive has decoded bodies, so these headers of the connection no longer describe them.
_DROPPED_HEADERS = frozenset((b"content-encoding", b"content-length", b"transfer-encoding"))


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A stored response."""

    etag: str
    last_modified: str
    content_type: str  # the header
    body: bytes

    @property
    def conditions(self) -> dict[str, str]:
        """The headers of a conditional request."""
        headers = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in headers.items() if value}


class CacheFolder:
    """Stores responses by address. Several processes may share it."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"the cache {folder} is a file; name a folder")
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    def find(self, address: str) -> CachedResponse | None:
        """Return the stored response; None if there is none, or if its file is damaged."""
        try:
            head, _, body = self._locate(address).read_bytes().partition(b"\n")
            facts = json.loads(head)
            if facts["version"] != _VERSION or facts["address"] != address or facts["bytes"] != len(body):
                return None
            return CachedResponse(facts["etag"], facts["last_modified"], facts["content_type"], body)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def store(self, address: str, response: CachedResponse) -> None:
        """Store a response that can be asked for conditionally; forget the old one otherwise."""
        path = self._locate(address)
        if not response.conditions:
            path.unlink(missing_ok=True)
            return
        facts = {
            "version": _VERSION,
            "address": address,
            "etag": response.etag,
            "last_modified": response.last_modified,
            "content_type": response.content_type,
            "bytes": len(response.body),
        }
        path.parent.mkdir(exist_ok=True)
        with write_atomically(path, "wb", durable=False) as file:
            file.write(json.dumps(facts).encode() + b"\n" + response.body)

    def _locate(self, address: str) -> Path:
        name = hashlib.sha256(address.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / name[:2] / name[2:40]


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
