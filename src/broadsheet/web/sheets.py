"""Fetch the style sheets of a page."""

from __future__ import annotations

import contextlib
from collections import deque

from broadsheet.errors import FetchError
from broadsheet.page import DEFAULT_LIMITS, Limits, read_page
from broadsheet.web.address import find_fault
from broadsheet.web.content_type import ContentType

_SHEET_TYPES = frozenset(("", "text/css", "text/plain", "application/octet-stream"))
_MAX_SHEETS = 30  # per page


def fetch_sheets(html: str | bytes, url: str | None, *, limits: Limits = DEFAULT_LIMITS) -> dict[str, str]:
    """Fetch the style sheets that a page links to, and the sheets that these import: address -> CSS.

    Sheets that cannot be fetched are left out. The limits' seconds are for all sheets together, its bytes for one.
    """
    from broadsheet.style.css.rules import find_imports, find_linked  # only needed with --sheets

    queue = deque(find_linked(read_page(html, url=url, limits=limits)))
    if not queue:
        return {}
    from broadsheet.web.client import WebClient  # imports httpx, which takes 100 ms

    sheets: dict[str, str] = {}
    requested: set[str] = set()
    with WebClient(limits, max_retries=0) as client:  # waiting for one sheet would cost the others their time
        while queue and len(requested) < _MAX_SHEETS:
            address = queue.popleft()
            if address in requested or find_fault(address):
                continue
            requested.add(address)
            with contextlib.suppress(FetchError):
                download = client.download(address, _check_type)
                sheets[address] = decode_sheet(download.body, download.content_type.charset)
                queue += find_imports(sheets[address], download.url)
    return sheets


def decode_sheet(css: bytes, charset: str | None) -> str:
    """Decode a style sheet by the charset of its header, else as UTF-8."""
    try:
        return css.decode(charset or "utf-8-sig", "replace")
    except (LookupError, ValueError):  # unknown, not a text encoding, or without error handling ("idna")
        return css.decode("utf-8-sig", "replace")


def _check_type(content_type: ContentType) -> None:
    if content_type.media_type not in _SHEET_TYPES:
        raise FetchError(f"is {content_type.media_type}, not a style sheet")
