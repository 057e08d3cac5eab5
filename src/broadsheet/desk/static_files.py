"""Serve the front end: a fixed set of files, read once, with a content security policy that names no other host."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated

from fastapi import APIRouter, Header
from starlette.responses import Response

from broadsheet.blocks.roles import ROLES
from broadsheet.server.refusal import Refusal

# A document in an iframe's `srcdoc` inherits this policy. Its pages need inline styles and images in `data:` addresses.
_CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
PAGE_HEADERS = {
    "Content-Security-Policy": _CONTENT_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",  # ask again each time; the answer is 304 unless the file has changed
}
# Not from the module mimetypes: on some systems it has other types for these names.
_MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "md": "text/plain; charset=utf-8",
}

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file of the front end."""

    content: bytes
    media_type: str
    etag: str


@router.get("/")
def get_index(if_none_match: Annotated[str, Header()] = "") -> Response:
    """Return the page of the desk."""
    return _answer_file("index.html", if_none_match)


@router.get("/desk/static/{path:path}")
def get_file(path: str, if_none_match: Annotated[str, Header()] = "") -> Response:
    """Return a file of the front end."""
    return _answer_file(path, if_none_match)


def _answer_file(path: str, known_etag: str) -> Response:
    file = load_files().get(path)
    if file is None:
        raise Refusal(404, f"the desk has no file {path[:200]!r}")
    headers = {**PAGE_HEADERS, "ETag": file.etag}
    if known_etag == file.etag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers, media_type=file.media_type)


@cache
def load_files() -> dict[str, StaticFile]:
    """Return all files of the front end by their path below `static/`, and the table of roles."""
    roles = json.dumps([role._asdict() for role in ROLES]).encode()
    return {**dict(_read_folder(files("broadsheet.desk") / "static", "")), "roles.json": _make_file(roles, "json")}


def _read_folder(folder: Traversable, prefix: str) -> Iterator[tuple[str, StaticFile]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _read_folder(entry, f"{prefix}{entry.name}/")
        elif (ending := entry.name.rpartition(".")[2]) in _MEDIA_TYPES:
            yield prefix + entry.name, _make_file(entry.read_bytes(), ending)


def _make_file(content: bytes, ending: str) -> StaticFile:
    return StaticFile(content, _MEDIA_TYPES[ending], f'"{hashlib.sha256(content).hexdigest()[:32]}"')
