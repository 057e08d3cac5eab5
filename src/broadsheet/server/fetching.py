"""Fetch pages for /v1/extract-url: in threads, through the address guard, as robots.txt allows."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace

from broadsheet.errors import FetchError
from broadsheet.server.admission import Gate
from broadsheet.server.refusal import Refusal
from broadsheet.server.robots import RobotsCache, RobotsGuard
from broadsheet.server.settings import ServerSettings
from broadsheet.web import AddressGuard, FetchedPage, fetch_page, fetch_sheets
from broadsheet.web.failure import FetchFailure, find_failure

_WAITING_PER_FETCHER = 4
_MEAN_FETCH_SECONDS = 1.0
_SHEET_SECONDS = 6.0  # for all style sheets of a page
_MAX_SHEET_BYTES = 3_000_000
_CODES = {FetchFailure.REFUSED: 403, FetchFailure.LATE: 504, FetchFailure.TOO_LARGE: 413, FetchFailure.OTHER: 502}


class Fetcher:
    """Downloads pages in a bounded number of threads. Its gate is separate: slow sites do not block other requests."""

    def __init__(self, settings: ServerSettings) -> None:
        self.gate = Gate(settings.fetchers * (1 + _WAITING_PER_FETCHER), max(settings.fetchers, 1))
        self.gate.record_seconds(_MEAN_FETCH_SECONDS)
        self._guard = _make_guard(settings)
        self._limits = replace(settings.options.limits, max_bytes=settings.max_body_bytes)
        self._threads = ThreadPoolExecutor(max(settings.fetchers, 1), thread_name_prefix="broadsheet-fetch")

    async def fetch(self, address: str) -> FetchedPage:
        """Fetch a page. Raises Refusal: 403, 413, 422, 502 or 504."""
        future = self._threads.submit(fetch_page, address, limits=self._limits, guard=self._guard)
        try:
            return await asyncio.wrap_future(future)
        except FetchError as error:
            raise Refusal(_CODES[find_failure(error)], str(error)) from error

    async def fetch_sheets(self, page: FetchedPage) -> dict[str, str]:
        """Fetch the style sheets of a page, as far as they come within a few seconds: address -> CSS."""
        limits = replace(self._limits, max_seconds=_SHEET_SECONDS, max_bytes=_MAX_SHEET_BYTES)
        future = self._threads.submit(fetch_sheets, page.html, page.url, limits=limits, guard=self._guard)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Drop the downloads that wait; those in progress end at their deadline."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _make_guard(settings: ServerSettings) -> AddressGuard:
    if not settings.respects_robots:
        return settings.guard
    values = {field.name: getattr(settings.guard, field.name) for field in fields(settings.guard)}
    return RobotsGuard(**values, robots=RobotsCache(settings.guard))
