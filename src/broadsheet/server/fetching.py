"""Fetch pages for /v1/extract-url: through the address guard, as robots.txt allows.

Downloads run in the thread of `web`, because a large body or robots.txt would keep the event loop of the service busy.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from broadsheet.errors import FetchError
from broadsheet.server.access import Gate
from broadsheet.server.refusal import Refusal
from broadsheet.server.settings import ServerSettings
from broadsheet.web import FetchedPage, fetch_sheets
from broadsheet.web.failure import FetchFailure, find_failure
from broadsheet.web.fetch import fetch_page_async, open_client
from broadsheet.web.loop_thread import HTTP_THREAD
from broadsheet.web.robots import ROBOTS_LIMITS, RobotsCache

_WAITING_PER_FETCHER = 4
_MEAN_FETCH_SECONDS = 1.0
_SHEET_SECONDS = 6.0  # for all style sheets of a page
_MAX_SHEET_BYTES = 3_000_000
_CODES = {FetchFailure.REFUSED: 403, FetchFailure.LATE: 504, FetchFailure.TOO_LARGE: 413, FetchFailure.OTHER: 502}


class Fetcher:
    """Downloads a bounded number of pages at a time. Its gate is separate: slow sites do not block other requests."""

    def __init__(self, settings: ServerSettings) -> None:
        self.gate = Gate(settings.fetchers * (1 + _WAITING_PER_FETCHER), max(settings.fetchers, 1))
        self.gate.record_seconds(_MEAN_FETCH_SECONDS)
        self._guard = settings.guard
        self._robots = RobotsCache(self._fetch_robots) if settings.respects_robots else None
        self._limits = replace(settings.options.limits, max_bytes=settings.max_body_bytes)
        self._slots = asyncio.Semaphore(max(settings.fetchers, 1))

    async def fetch(self, address: str) -> FetchedPage:
        """Fetch a page. Raises Refusal: 403, 413, 422, 502 or 504."""
        async with self._slots:
            work = fetch_page_async(address, limits=self._limits, guard=self._guard, robots=self._robots)
            try:
                return await asyncio.wrap_future(HTTP_THREAD.submit(work))
            except FetchError as error:
                raise Refusal(_CODES[find_failure(error)], str(error)) from error

    async def fetch_sheets(self, page: FetchedPage) -> dict[str, str]:
        """Fetch the style sheets of a page, as far as they come within a few seconds: address -> CSS."""
        limits = replace(self._limits, max_seconds=_SHEET_SECONDS, max_bytes=_MAX_SHEET_BYTES)
        fetch = partial(fetch_sheets, limits=limits, guard=self._guard, robots=self._robots)
        async with self._slots:
            return await asyncio.to_thread(fetch, page.html, page.url)

    async def _fetch_robots(self, address: str) -> bytes:
        async with open_client(ROBOTS_LIMITS, self._guard.allow_ports_of(address), max_retries=1) as client:
            return (await client.get(address)).body
