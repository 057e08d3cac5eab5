"""AsyncClient: the service from asynchronous programs."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from typing import Self, Unpack

import httpx

from broadsheet.article import Article
from broadsheet.client.attempts import Attempts
from broadsheet.client.base import BaseClient
from broadsheet.client.calls import Call, ServiceOptions, make_extract_call, make_many_calls, make_url_call
from broadsheet.many import Item


class AsyncClient(BaseClient[httpx.AsyncClient]):
    """`Client` for asynchronous programs: the same methods, awaited."""

    _http_class = httpx.AsyncClient

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def extract(
        self, html: str | bytes, url: str | None = None, method: str | None = None, **options: Unpack[ServiceOptions]
    ) -> Article:
        """Extract the article of a page. Raises ServiceError if the service refuses the request."""
        (article,) = await self._send(make_extract_call(html, url, method, options))
        return article

    async def extract_url(self, url: str, method: str | None = None, **options: Unpack[ServiceOptions]) -> Article:
        """Let the service fetch a page and extract its article. Raises ServiceError."""
        (article,) = await self._send(make_url_call(url, method, options))
        return article

    async def extract_many(
        self, items: Iterable[Item], method: str | None = None, **options: Unpack[ServiceOptions]
    ) -> AsyncGenerator[Article, None]:
        """Extract pages (html, or pairs of address and html); articles come in the same order."""
        calls = make_many_calls(items, method, options)
        window: deque[asyncio.Task[list[Article]]] = deque()
        try:
            for call in calls:
                window.append(asyncio.create_task(self._send(call)))
                if len(window) >= self._settings.parallel:
                    for article in await window.popleft():
                        yield article
            while window:
                for article in await window.popleft():
                    yield article
        finally:
            for task in window:
                task.cancel()

    async def _send(self, call: Call) -> list[Article]:
        """Send a request until it is answered or retries are used up."""
        attempts = Attempts(self._settings, call)
        while (delay := attempts.delay) is not None:
            await asyncio.sleep(delay)
            try:
                answer = await self._post(call)
            except httpx.TransportError as error:
                attempts.record_failure(error)
            else:
                attempts.record_answer(answer)
        return attempts.read()

    async def _post(self, call: Call) -> httpx.Response:
        return await self._http.post(
            call.path, content=call.content, params=call.query, headers={"Content-Type": call.content_type}
        )
