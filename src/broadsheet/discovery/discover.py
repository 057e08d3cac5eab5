"""`broadsheet.discover`: the addresses of a site's articles."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

from broadsheet.discovery.crawl import Crawl
from broadsheet.discovery.find import Discovery
from broadsheet.discovery.options import DiscoverOptions
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.web import find_fault
from broadsheet.web.client import WebClient
from broadsheet.web.settings import PoliteSettings


def discover(  # noqa: PLR0913 - the common options as keywords
    url: str,
    *,
    since: date | datetime | None = None,
    limit: int | None = None,
    cache: str | Path | None = None,
    allow_private: bool = False,
    options: DiscoverOptions | None = None,
) -> Discovery:
    """Find the articles of a site in its feeds, sitemaps, home and section pages.

    Args:
        url: The home page, or a section page: then only articles of that section.
        since: Only articles from this day on.
        limit: The largest number of finds.
        cache: A folder of responses; unchanged files are not fetched again.
        allow_private: Also fetch from private addresses, such as http://localhost:8000.
        options: A `DiscoverOptions` value, which the arguments above change: delays, numbers of files, WARC output.

    Raises FetchError if the start page cannot be fetched.

    """
    settings = _make_options(options, since, limit, cache, allow_private=allow_private)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(discover_async(url, settings))
    with ThreadPoolExecutor(1) as threads:  # called inside an event loop, as in a notebook
        return threads.submit(lambda: asyncio.run(discover_async(url, settings))).result()


async def discover_async(url: str, options: DiscoverOptions | None = None) -> Discovery:
    """Do the same as `discover`, inside an event loop."""
    options = options or DiscoverOptions()
    for package in ("fastfeedparser", "lxml.etree", "protego"):
        import_extra(package, "discover")
    start = _complete_address(url)
    fetch = replace(options.fetch, guard=options.fetch.guard.allow_ports_of(start))
    async with WebClient(fetch) as client:
        return await Crawl(client, start, replace(options, fetch=fetch)).run()


def _complete_address(url: str) -> str:
    """Add https:// to a bare host name. Raises UsageError for what cannot be an address."""
    address = url.strip()
    if "://" not in address and "." in address and " " not in address:
        address = f"https://{address}"
    if fault := find_fault(address):
        raise UsageError(f"{url!r:.200} cannot be fetched: {fault}")
    return address


def _make_options(
    options: DiscoverOptions | None,
    since: date | datetime | None,
    limit: int | None,
    cache: str | Path | None,
    *,
    allow_private: bool,
) -> DiscoverOptions:
    options = options or DiscoverOptions()
    fetch: PoliteSettings = options.fetch
    if cache is not None:
        fetch = replace(fetch, cache=Path(cache))
    if allow_private:
        fetch = replace(fetch, guard=replace(fetch.guard, allow_private=True))
    return replace(
        options,
        since=options.since if since is None else since,
        limit=options.limit if limit is None else limit,
        fetch=fetch,
    )
