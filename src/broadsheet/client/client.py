"""Client: the service from plain programs."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self, Unpack

import httpx

from broadsheet.article import Article
from broadsheet.client.attempts import Attempts
from broadsheet.client.base import BaseClient
from broadsheet.client.calls import Call, ServiceOptions, make_extract_call, make_many_calls, make_url_call
from broadsheet.many import Item


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
