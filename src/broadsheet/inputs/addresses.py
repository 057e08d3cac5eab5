"""Addresses: one, or a text file with one per line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from broadsheet.capture import Capture
from broadsheet.errors import FetchError
from broadsheet.inputs.options import ReadOptions
from broadsheet.inputs.packed import open_packed
from broadsheet.web import fetch_page, is_address

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
