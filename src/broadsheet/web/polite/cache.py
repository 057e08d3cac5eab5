"""A folder of responses, for conditional requests: an unchanged file is not downloaded again.

One file per address: a line of JSON with the headers, then the body. Every use asks the server (If-None-Match,
If-Modified-Since); a response without ETag and Last-Modified is not stored.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from broadsheet.atomic import write_atomically
from broadsheet.errors import UsageError

_VERSION = 1


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
