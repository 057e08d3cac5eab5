"""Fetch one page over HTTP within limits of time and size.

For one page or a handful. A crawler also needs robots.txt, rate limits and a cache; pass the pages that it downloads to
`extract_many`.
"""

from __future__ import annotations

from dataclasses import dataclass

from broadsheet.errors import FetchError
from broadsheet.page import DEFAULT_LIMITS, Limits
from broadsheet.page.file_type import detect_file_type, is_html
from broadsheet.web.address import hide_passwords
from broadsheet.web.content_type import ContentType
from broadsheet.web.guard import DEFAULT_GUARD, AddressGuard

_PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain"))
_UNSPECIFIC_TYPES = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/unknown"))


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as the server sent it; `url` is the address after redirects."""

    url: str
    html: bytes
    charset: str | None  # from the Content-Type header


def fetch_page(address: str, *, limits: Limits = DEFAULT_LIMITS, guard: AddressGuard = DEFAULT_GUARD) -> FetchedPage:
    """Fetch a page within the limits' seconds and bytes. Raises FetchError with the reason in one line.

    The guard refuses private addresses, by default; the port of the address itself is allowed.
    """
    from broadsheet.web.client import WebClient  # imports httpx, which takes 100 ms

    with WebClient(limits, guard.allow_ports_of(address)) as client:
        download = client.download(address, _check_type)
    if fault := _find_fault(download.body, download.content_type):
        raise FetchError(f"cannot fetch {hide_passwords(address)}: {fault}")
    return FetchedPage(download.url, download.body, download.content_type.charset)


def _check_type(content_type: ContentType) -> None:
    if content_type.media_type not in _PAGE_TYPES | _UNSPECIFIC_TYPES:
        raise FetchError(f"is {content_type.media_type}, not an HTML page")


def _find_fault(body: bytes, content_type: ContentType) -> str | None:
    if file_type := detect_file_type(body):
        return f"is {file_type}, not an HTML page"
    if content_type.media_type in _UNSPECIFIC_TYPES and not is_html(body):
        return "is not an HTML page: it has no specific Content-Type and does not start like HTML"
    return None
