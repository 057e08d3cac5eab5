"""One request until it is answered: settings of a client, when a request is sent again, and what an answer means.

Both clients share this; they only wait and send.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

import httpx

from broadsheet.article import Article, Status
from broadsheet.client.calls import Call
from broadsheet.errors import ServiceError, UsageError
from broadsheet.output.requested import keep_fields, read_requested
from broadsheet.version import __version__
from broadsheet.web import find_fault
from broadsheet.web.failure import parse_retry_after

_TEMPORARY_CODES = frozenset((408, 429, 503))
_FIRST_DELAY = 0.25  # seconds; each further delay is twice as long
_MAX_DELAY = 60.0
_MAX_TEXT_CHARS = 300


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How a client reaches its service."""

    address: str
    token: str | None = field(default=None, repr=False)
    max_seconds: float = 120.0  # for one attempt
    max_retries: int = 5
    parallel: int = 2  # requests of `extract_many` at a time

    def __post_init__(self) -> None:
        """Check the values. Raises UsageError."""
        if not isinstance(self.address, str) or not isinstance(self.token, str | None):
            raise TypeError("the address and the token of a service must be str")
        if fault := find_fault(self.address):
            raise UsageError(f"{self.address!r:.80} is not the address of a service: {fault}")
        if self.token and not self.token.strip().isprintable():
            raise UsageError("the token has a line break or another control character")
        if self.max_retries < 0 or self.parallel < 1 or not self.max_seconds > 0:
            raise UsageError("max_retries must be at least 0, parallel at least 1, max_seconds greater than 0")

    def make_http_options(self) -> dict[str, Any]:
        """Return the arguments of an httpx client."""
        headers: dict[str, str | bytes] = {
            "User-Agent": f"broadsheet-client/{__version__}",
            "Accept": "application/json",
        }
        if self.token:
            headers["Authorization"] = f"Bearer {self.token.strip()}".encode()  # UTF-8, as the service reads it
        return {"base_url": self.address.rstrip("/"), "headers": headers, "timeout": self.max_seconds}

    def choose_delay(self, retry: int, code: int | None, retry_after: str = "") -> float | None:
        """Return the seconds before retry number 0, 1, ...; None if there is none. No code: no answer came.

        The delay varies randomly by a third, so that clients that were refused together do not retry together.
        """
        if retry >= self.max_retries or (code is not None and code not in _TEMPORARY_CODES):
            return None
        delay = min(_FIRST_DELAY * 2.0**retry, _MAX_DELAY)
        delay = max(delay, min(parse_retry_after(retry_after), _MAX_DELAY))
        return delay * random.uniform(1.0, 1.33)


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


class IncompleteAnswer(ServiceError):
    """An answer ended early; the request can be sent again."""


def read_articles(call: Call, code: int, body: bytes) -> list[Article]:
    """Return the articles of an answer, one for each page of the request.

    A page that could not be extracted gives an article with the status "failed" or "timeout", as `extract` does.
    Raises ServiceError for a request that was refused, IncompleteAnswer for an answer that was cut.
    """
    if code != 200:
        return [_read_failure(call, code, body)]
    try:
        records = [json.loads(line) for line in body.split(b"\n") if line.strip()]
    except ValueError as error:
        raise IncompleteAnswer(f"the service sent an invalid answer ({error})", code) from error
    if len(records) != call.page_count:
        raise IncompleteAnswer(f"the service sent {len(records)} records for {call.page_count} pages", code)
    return [read_requested(record, call.fields) if call.fields else Article.from_dict(record) for record in records]


def _read_failure(call: Call, code: int, body: bytes) -> Article:
    error = read_error(body)
    if call.page_count == 1 and (status := error.get("status")) in (Status.FAILED, Status.TIMEOUT):
        article = Article(url=call.url, status=Status(status), sources={"status": str(error.get("error"))})
        return keep_fields(article, call.fields) if call.fields else article
    raise make_error(code, body)


def make_error(code: int, body: bytes) -> ServiceError:
    """Return the error for an answer other than success."""
    line = read_error(body).get("error") or body.decode("utf-8", "replace")[:_MAX_TEXT_CHARS] or "no reason given"
    return ServiceError(f"the service answered {code}: {' '.join(str(line).split())}", code)


def read_error(body: bytes) -> dict[str, Any]:
    """Return the object of an error; empty if the answer is not from the service."""
    try:
        error = json.loads(body)
    except ValueError:
        return {}
    return error if isinstance(error, dict) else {}
