"""Fetch the style sheets of a page."""

from __future__ import annotations

import contextlib
from collections import deque

from broadsheet.errors import FetchError, LimitReached
from broadsheet.page import DEFAULT_LIMITS, Limits, read_page
from broadsheet.page.decode import find_codec
from broadsheet.web.address import find_fault
from broadsheet.web.content_type import ContentType
from broadsheet.web.guard import DEFAULT_GUARD, AddressGuard

_SHEET_TYPES = frozenset(("", "text/css", "text/plain", "application/octet-stream"))
_MAX_SHEETS = 30  # per page


def fetch_sheets(
    html: str | bytes, url: str | None, *, limits: Limits = DEFAULT_LIMITS, guard: AddressGuard = DEFAULT_GUARD
) -> dict[str, str]:
    """Fetch the style sheets that a page links to, and the sheets that these import: address -> CSS.

    Sheets that cannot be fetched are left out. The limits' seconds and bytes are for all sheets together. A page that
    takes longer than its time limit has no sheets.
    """
    from broadsheet.style.css import list_imported_urls, list_linked_urls  # only needed with --sheets

    try:
        queue = deque(list_linked_urls(read_page(html, url=url, limits=limits)))
    except LimitReached:
        return {}
    if not queue:
        return {}
    from broadsheet.web.client import WebClient  # imports httpx, which takes 100 ms

    sheets: dict[str, str] = {}
    requested: set[str] = set()
    bytes_left = limits.max_bytes
    # No retries: waiting for one sheet would cost the others their time.
    with WebClient(limits, guard.allow_ports_of(url), max_retries=0) as client:
        while queue and len(requested) < _MAX_SHEETS and bytes_left > 0:
            address = queue.popleft()
            if address in requested or find_fault(address):
                continue
            requested.add(address)
            with contextlib.suppress(FetchError):
                download = client.download(address, _check_type, max_bytes=bytes_left)
                bytes_left -= len(download.body)
                sheets[address] = decode_sheet(download.body, download.content_type.charset)
                queue += list_imported_urls(sheets[address], download.url)
    return sheets


def decode_sheet(css: bytes, charset: str | None) -> str:
    """Decode a style sheet by the charset of its header, if it is one of the web, else as UTF-8."""
    codec = find_codec(charset)
    return css.decode("utf-8-sig" if codec in (None, "utf-8") else codec, "replace")


def _check_type(content_type: ContentType) -> None:
    if content_type.media_type not in _SHEET_TYPES:
        raise FetchError(f"is {content_type.media_type}, not a style sheet")
