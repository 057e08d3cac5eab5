"""`extract_url`: fetch a page through the address guard, as robots.txt allows, and extract its article."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from functools import cache, partial
from typing import Unpack

from broadsheet.api import PageInput, extract_input
from broadsheet.article import Article, Provenance
from broadsheet.methods import Method
from broadsheet.options import ExtractOptions, OptionChanges, make_options
from broadsheet.web.fetch import FetchedPage, fetch_page_async, fetch_robots
from broadsheet.web.guard import AddressGuard
from broadsheet.web.loop_thread import HTTP_THREAD
from broadsheet.web.robots import RobotsCache

_HTTP_OK = 200


def extract_url(
    address: str,
    method: str | Method | None = None,
    *,
    allow_private: bool = False,
    respects_robots: bool = True,
    options: ExtractOptions | None = None,
    **changes: Unpack[OptionChanges],
) -> Article:
    """Fetch a page and extract its article. Raises FetchError, with the reason in one line.

    Args:
        address: An http or https address.
        method: A name from `broadsheet.methods()`, or a method object.
        allow_private: Also fetch from private addresses, such as http://localhost:8000.
        respects_robots: Fetch only what the site's robots.txt allows. The file is kept for an hour.
        options: An `ExtractOptions` value. Its limits hold for the download, too.
        changes: Fields of `ExtractOptions` as keyword arguments, as for `extract`.

    """
    settings = make_options(options, method, **changes)
    page = HTTP_THREAD.run(_fetch(address, settings, AddressGuard(allow_private), respects_robots))
    return _extract_page(page, address, settings)


async def extract_url_async(
    address: str,
    method: str | Method | None = None,
    *,
    allow_private: bool = False,
    respects_robots: bool = True,
    options: ExtractOptions | None = None,
    **changes: Unpack[OptionChanges],
) -> Article:
    """Do the same as `extract_url` without blocking the event loop: the page is extracted in a thread."""
    settings = make_options(options, method, **changes)
    work = _fetch(address, settings, AddressGuard(allow_private), respects_robots)
    page = await asyncio.wrap_future(HTTP_THREAD.submit(work))
    return await asyncio.to_thread(_extract_page, page, address, settings)


async def _fetch(address: str, options: ExtractOptions, guard: AddressGuard, respects_robots: bool) -> FetchedPage:
    guard = guard.allow_ports_of(address)
    robots = _open_robots(guard) if respects_robots else None
    return await fetch_page_async(address, limits=options.limits, guard=guard, robots=robots)


@cache
def _open_robots(guard: AddressGuard) -> RobotsCache:
    return RobotsCache(partial(fetch_robots, guard=guard))


if hasattr(os, "register_at_fork"):  # downloads of the parent do not go on in a forked process
    os.register_at_fork(after_in_child=_open_robots.cache_clear)


def _extract_page(page: FetchedPage, address: str, options: ExtractOptions) -> Article:
    origin = Provenance(source_file=address, fetched_at=datetime.now(UTC), http_status=_HTTP_OK)
    return extract_input(PageInput(page.url, page.html, charset=page.charset, origin=origin), options)
