"""Single pages: an HTML file, also packed with gzip; an address; and a text file with one address per line."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from broadsheet.capture import Capture
from broadsheet.errors import FetchError, InputError
from broadsheet.inputs.files import open_packed
from broadsheet.inputs.kinds import is_json, may_be_page
from broadsheet.inputs.options import ReadOptions
from broadsheet.page.file_type import detect_file_type
from broadsheet.web import fetch_page, is_address

_HEAD_BYTES = 1_024
_TAG_BYTES = 65_536
_TAG = re.compile(rb"<(?:!doctype|html|head|title|meta|body|h[1-6]|p|div|article|table|script)\b", re.IGNORECASE)


def read_page_file(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield the page."""
    if not name:
        raise InputError("the name of a page is empty; name a file, a folder or an address")
    yield Capture(load_page(Path(name), options, shown_name=name), source_file=name)


def load_page(path: Path, options: ReadOptions, *, shown_name: str | None = None) -> bytes:
    """Return the page of a file, unpacked. Raises InputError if it is clearly not HTML."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        html = file.read(options.max_read_bytes)
    if not html.strip():
        raise InputError(f"{shown_name or path} is empty, not an HTML page")
    if file_type := detect_file_type(html):
        raise InputError(f"{shown_name or path} is {file_type}, not an HTML page")
    if is_json(html[:_HEAD_BYTES]):
        raise InputError(f"{shown_name or path} is JSON, not an HTML page; name JSON Lines files one by one")
    if not may_be_page(path.name) and not _TAG.search(html, 0, _TAG_BYTES):
        raise InputError(f"{shown_name or path} has no HTML tags; if it is a page, give it the ending .html")
    return html


_HTTP_OK = 200


def read_address(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Fetch one page. Raises FetchError."""
    yield fetch_capture(name, options)


def read_addresses(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Fetch the addresses of a file, one at a time. Blank lines and lines that begin with "#" are comments."""
    with open_packed(name) as file:
        offset = 0
        for line in file:
            address = line.decode("utf-8", "replace").lstrip("\ufeff").strip()
            if address and not address.startswith("#"):
                yield fetch_safely(address, name, offset, options)
            offset += len(line)


def fetch_safely(address: str, source_file: str, offset: int, options: ReadOptions) -> Capture:
    """Fetch a page that a file names. An error is the fault of the capture."""
    if not is_address(address):
        return Capture(source_file=source_file, source_offset=offset, fault=f"not an http(s) address: {address[:200]}")
    try:
        return replace(fetch_capture(address, options), source_file=source_file, source_offset=offset)
    except FetchError as error:
        return Capture(url=address, source_file=source_file, source_offset=offset, fault=str(error))


def fetch_capture(address: str, options: ReadOptions) -> Capture:
    """Fetch a page. Raises FetchError."""
    page = fetch_page(address, limits=options.limits, guard=options.guard)
    return Capture(
        page.html,
        url=page.url,
        source_file=address,
        fetched_at=datetime.now(UTC),
        content_type=f"text/html; charset={page.charset}" if page.charset else None,
        http_status=_HTTP_OK,
    )
