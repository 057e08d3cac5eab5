"""Fetch a page and its style sheets over HTTP within limits of time and size, or send JSON to a webhook.

For one page or a handful. A crawler also needs robots.txt, rate limits and a cache: `client.py` has them. Plain
functions run the asynchronous client in one thread of the process, so they also work inside an event loop.
"""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from broadsheet.errors import FetchError, LimitReached
from broadsheet.page import DEFAULT_LIMITS, Deadline, Limits, read_page
from broadsheet.page.decode import find_codec
from broadsheet.page.file_type import detect_file_type, is_html
from broadsheet.version import __version__
from broadsheet.web.body import ContentType
from broadsheet.web.guard import DEFAULT_GUARD, AddressGuard, find_fault, hide_passwords
from broadsheet.web.settings import PoliteSettings

if TYPE_CHECKING:  # imports httpx, which takes 100 ms
    from broadsheet.web.client import WebClient
    from broadsheet.web.robots import RobotsCache

_PAGE_TYPES = frozenset(("text/html", "application/xhtml+xml", "application/xml", "text/xml", "text/plain"))
_UNSPECIFIC_TYPES = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/unknown"))
_SHEET_TYPES = frozenset(("", "text/css", "text/plain", "application/octet-stream"))
_MAX_SHEETS = 30  # per page
_MAX_POST_SECONDS = 10.0

ResultT = TypeVar("ResultT")


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
    return _run(fetch_page_async(address, limits=limits, guard=guard))


async def fetch_page_async(
    address: str,
    *,
    limits: Limits = DEFAULT_LIMITS,
    guard: AddressGuard = DEFAULT_GUARD,
    robots: RobotsCache | None = None,
) -> FetchedPage:
    """Fetch a page as `fetch_page` does, and only if its site allows it, given a cache of robots.txt."""
    return await fetch_guarded(address, limits=limits, guard=guard.allow_ports_of(address), robots=robots)


async def fetch_guarded(
    address: str, *, limits: Limits, guard: AddressGuard, robots: RobotsCache | None = None
) -> FetchedPage:
    """Fetch a page whose address somebody else gave: only from the ports of the guard."""
    async with open_client(limits, guard, robots) as client:
        reply = await client.get(address, check_type=_check_page_type)
    if fault := _find_page_fault(reply.body, reply.content_type):
        raise FetchError(f"cannot fetch {hide_passwords(address)}: {fault}")
    return FetchedPage(reply.url, reply.body, reply.content_type.charset)


def fetch_sheets(
    html: str | bytes,
    url: str | None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    guard: AddressGuard = DEFAULT_GUARD,
    robots: RobotsCache | None = None,
) -> dict[str, str]:
    """Fetch the style sheets that a page links to, and the sheets that these import: address -> CSS.

    Sheets that cannot be fetched are left out. The limits' seconds and bytes are for all sheets together. A page that
    takes longer than its time limit has no sheets.
    """
    from broadsheet.style.css import list_linked_urls  # only needed with --sheets

    try:
        addresses = list_linked_urls(read_page(html, url=url, limits=limits))
    except LimitReached:
        return {}
    if not addresses:
        return {}
    return _run(_fetch_sheets(deque(addresses), limits, guard.allow_ports_of(url), robots))


async def _fetch_sheets(
    queue: deque[str], limits: Limits, guard: AddressGuard, robots: RobotsCache | None
) -> dict[str, str]:
    from broadsheet.style.css import list_imported_urls

    sheets: dict[str, str] = {}
    requested: set[str] = set()
    bytes_left = limits.max_bytes
    # No retries: waiting for one sheet would cost the others their time.
    async with open_client(limits, guard, robots, max_retries=0) as client:
        while queue and len(requested) < _MAX_SHEETS and bytes_left > 0:
            address = queue.popleft()
            if address in requested or find_fault(address):
                continue
            requested.add(address)
            with contextlib.suppress(FetchError):
                reply = await client.get(address, max_bytes=bytes_left, check_type=_check_sheet_type)
                bytes_left -= len(reply.body)
                sheets[address] = decode_sheet(reply.body, reply.content_type.charset)
                queue += list_imported_urls(sheets[address], reply.url)
    return sheets


def open_client(
    limits: Limits, guard: AddressGuard, robots: RobotsCache | None = None, *, max_retries: int = 2
) -> WebClient:
    """Return a client for a few addresses: no delays, and the limits' seconds hold for all requests together."""
    from broadsheet.web.client import WebClient

    settings = PoliteSettings(
        guard=guard,
        limits=limits,
        delay=0.0,
        max_retries=max_retries,
        max_wait=math.inf,
        max_crawl_delay=0.0,
        respects_robots=robots is not None,
    )
    return WebClient(settings, robots=robots, deadline=Deadline.after(limits.max_seconds))


async def fetch_robots(address: str, guard: AddressGuard) -> bytes:
    """Fetch a robots.txt, for a `RobotsCache`, from a port of the guard. Raises FetchError."""
    from broadsheet.web.robots import ROBOTS_LIMITS

    async with open_client(ROBOTS_LIMITS, guard, max_retries=1) as client:
        return (await client.get(address)).body


def decode_sheet(css: bytes, charset: str | None) -> str:
    """Decode a style sheet by the charset of its header, if it is one of the web, else as UTF-8."""
    codec = find_codec(charset)
    return css.decode("utf-8-sig" if codec in (None, "utf-8") else codec, "replace")


def _check_sheet_type(content_type: ContentType) -> None:
    if content_type.media_type not in _SHEET_TYPES:
        raise FetchError(f"is {content_type.media_type}, not a style sheet")


def _check_page_type(content_type: ContentType) -> None:
    if content_type.media_type not in _PAGE_TYPES | _UNSPECIFIC_TYPES:
        raise FetchError(f"is {content_type.media_type}, not an HTML page")


def _find_page_fault(body: bytes, content_type: ContentType) -> str | None:
    if file_type := detect_file_type(body):
        return f"is {file_type}, not an HTML page"
    if content_type.media_type in _UNSPECIFIC_TYPES and not is_html(body):
        return "is not an HTML page: it has no specific Content-Type and does not start like HTML"
    return None


def post_json(address: str, text: str) -> None:
    """Send JSON text to a webhook. Raises FetchError unless the server answers with success.

    The address may be private, because the user chose it. Redirects are not followed.
    """
    from broadsheet.web.failure import explain_error

    try:
        _run(_post_json(address, text.encode("utf-8", "replace")))
    except Exception as error:  # the border to the network
        reason = hide_passwords(explain_error(error, _MAX_POST_SECONDS))
        raise FetchError(f"cannot post to {hide_passwords(address)}: {reason}") from error


def _run(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    from broadsheet.web.loop_thread import HTTP_THREAD  # imports asyncio, which a local page does not need

    return HTTP_THREAD.run(work)


async def _post_json(address: str, content: bytes) -> None:
    import httpx

    from broadsheet.web.failure import StatusError

    headers = {"Content-Type": "application/json", "User-Agent": f"Broadsheet/{__version__}"}
    async with (
        httpx.AsyncClient(timeout=_MAX_POST_SECONDS, trust_env=False) as client,
        client.stream("POST", address, content=content, headers=headers) as response,
    ):
        if not response.is_success:  # the body is not read: it may be endless
            raise StatusError(response.status_code)
