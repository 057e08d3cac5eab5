"""Client and AsyncClient: the service from plain and from asynchronous programs."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ClassVar, Generic, Self, TypeVar, Unpack

import httpx

from broadsheet.article import Article
from broadsheet.client.calls import (
    Attempts,
    Call,
    ClientSettings,
    ServiceOptions,
    make_extract_call,
    make_many_calls,
    make_url_call,
)
from broadsheet.many import Item

Http = TypeVar("Http", httpx.Client, httpx.AsyncClient)


class BaseClient(Generic[Http]):
    """A client with its settings and its connections."""

    _http_class: ClassVar[type[httpx.Client | httpx.AsyncClient]]

    def __init__(
        self,
        address: str = "http://127.0.0.1:8000",
        *,
        token: str | None = None,
        max_seconds: float = 120.0,
        max_retries: int = 5,
        parallel: int = 2,
    ) -> None:
        """Prepare a client; nothing is sent yet.

        Args:
            address: Address of the service.
            token: Token that the service asks for.
            max_seconds: Time limit of one attempt.
            max_retries: Further attempts after a temporary failure.
            parallel: Requests of `extract_many` at a time.

        """
        self._settings = ClientSettings(address, token, max_seconds, max_retries, parallel)
        self._http: Http = self._http_class(**self._settings.make_http_options())  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._settings.address!r})"


class Client(BaseClient[httpx.Client]):
    """Extracts articles with a service (`broadsheet serve`). Its methods are called like `extract`.

    Requests that the service refuses temporarily, and those that fail on the network, are sent again.
    """

    _http_class = httpx.Client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def extract(
        self, html: str | bytes, url: str | None = None, method: str | None = None, **options: Unpack[ServiceOptions]
    ) -> Article:
        """Extract the article of a page. Raises ServiceError if the service refuses the request."""
        (article,) = self._send(make_extract_call(html, url, method, options))
        return article

    def extract_url(self, url: str, method: str | None = None, **options: Unpack[ServiceOptions]) -> Article:
        """Let the service fetch a page and extract its article. Raises ServiceError."""
        (article,) = self._send(make_url_call(url, method, options))
        return article

    def extract_many(
        self, items: Iterable[Item], method: str | None = None, **options: Unpack[ServiceOptions]
    ) -> Generator[Article, None, None]:
        """Extract pages (html, or pairs of address and html); articles come in the same order."""
        calls = make_many_calls(items, method, options)
        window: deque[Future[list[Article]]] = deque()
        threads = ThreadPoolExecutor(self._settings.parallel, thread_name_prefix="broadsheet-client")
        try:
            for call in calls:
                window.append(threads.submit(self._send, call))
                if len(window) > self._settings.parallel:
                    yield from window.popleft().result()
            while window:
                yield from window.popleft().result()
        finally:
            threads.shutdown(cancel_futures=True)

    def _send(self, call: Call) -> list[Article]:
        """Send a request until it is answered or retries are used up."""
        attempts = Attempts(self._settings, call)
        while (delay := attempts.delay) is not None:
            time.sleep(delay)
            try:
                answer = self._post(call)
            except httpx.TransportError as error:
                attempts.record_failure(error)
            else:
                attempts.record_answer(answer)
        return attempts.read()

    def _post(self, call: Call) -> httpx.Response:
        return self._http.post(
            call.path, content=call.content, params=call.query, headers={"Content-Type": call.content_type}
        )


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
