"""Attempts: whether a request is sent again, and its result. Both clients share this; they only wait and send."""

from __future__ import annotations

import httpx

from broadsheet.article import Article
from broadsheet.client.answers import IncompleteAnswer, make_error, read_articles
from broadsheet.client.calls import Call
from broadsheet.client.settings import ClientSettings
from broadsheet.errors import ServiceError


class Attempts:
    """The attempts to send one request."""

    def __init__(self, settings: ClientSettings, call: Call) -> None:
        self._settings = settings
        self._call = call
        self._articles: list[Article] = []
        self._failure: ServiceError | None = None  # of the last attempt
        self._retry = 0
        self.delay: float | None = 0.0  # seconds before the next attempt; None: no further one

    def record_answer(self, answer: httpx.Response) -> None:
        """Note an answer."""
        code = answer.status_code
        delay = self._settings.choose_delay(self._retry, code, answer.headers.get("Retry-After", ""))
        if delay is not None:
            self._plan_retry(make_error(code, answer.content), delay)
            return
        try:
            self._articles = read_articles(self._call, code, answer.content)
            self._plan_retry(None, None)
        except IncompleteAnswer as error:
            self._plan_retry(error, self._settings.choose_delay(self._retry, None))

    def record_failure(self, error: httpx.TransportError) -> None:
        """Note that no answer came."""
        settings = self._settings
        if isinstance(error, httpx.TimeoutException):
            failure = ServiceError(f"{settings.address} gave no answer within {settings.max_seconds:g} seconds")
        else:
            reason = str(error) or type(error).__name__
            failure = ServiceError(
                f"cannot reach {settings.address} ({reason}); check the address, or start: broadsheet serve"
            )
        self._plan_retry(failure, settings.choose_delay(self._retry, None))

    def read(self) -> list[Article]:
        """Return the articles. Raises ServiceError if the last attempt failed."""
        if self._failure is not None:
            raise self._failure
        return self._articles

    def _plan_retry(self, failure: ServiceError | None, delay: float | None) -> None:
        self._failure, self.delay = failure, delay
        self._retry += 1
