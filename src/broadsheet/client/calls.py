"""Requests to the service, as values that both clients send."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import httpx

from broadsheet.api import PageInput, check_page
from broadsheet.article import Article, Status
from broadsheet.errors import ServiceError, UsageError
from broadsheet.many import Item, read_item
from broadsheet.options import SharedChanges
from broadsheet.output.requested import check_fields, keep_fields, list_record_columns, read_requested
from broadsheet.page import read_text
from broadsheet.version import __version__
from broadsheet.web import find_fault
from broadsheet.web.failure import parse_retry_after

# Pages of one request to /v1/many: few enough to be sent again after a failure, enough to keep the workers busy.
_CHUNK_PAGES = 16
_CHUNK_BYTES = 2_000_000


class ServiceOptions(SharedChanges, total=False):
    """Options of an extraction by the service: those of `ExtractOptions`, and its own."""

    site: str | None  # name of a site that the service has
    max_seconds: float | None  # a time limit below that of the service


@dataclass(frozen=True, slots=True)
class Call:
    """A POST request."""

    path: str
    content: bytes
    content_type: str = "application/json"
    query: dict[str, str] = field(default_factory=dict)
    url: str | None = None  # of the page
    page_count: int = 1
    fields: tuple[str, ...] | None = None  # of the articles; None for all


def make_extract_call(html: str | bytes, url: str | None, method: str | None, options: ServiceOptions) -> Call:
    """Write the request for a page: the page as it is, and the options in the query."""
    check_page(html, url)
    values = _list_options(method, options)
    if "home" in values or not html:  # a home page is too long for a query; an empty page is refused except in JSON
        return Call("/v1/extract", _write_page(PageInput(url, html), values), url=url, fields=_read_fields(options))
    if isinstance(html, str):
        html = html.encode("utf-8", "replace")
        values["charset"] = "utf-8"
    query = {name: _write_value(value) for name, value in values.items()} | ({"url": url} if url else {})
    return Call("/v1/extract", html, "text/html", query, url=url, fields=_read_fields(options))


def make_url_call(url: str, method: str | None, options: ServiceOptions) -> Call:
    """Write the request to fetch an address."""
    request = {"url": url, "options": _list_options(method, options)}
    return Call("/v1/extract-url", json.dumps(request).encode(), url=url, fields=_read_fields(options))


def make_many_calls(items: Iterable[Item], method: str | None, options: ServiceOptions) -> Iterator[Call]:
    """Write requests of several pages each."""
    if isinstance(items, str | bytes):
        raise UsageError("extract_many takes an iterable of pages; for one page use extract")
    values, fields = _list_options(method, options), _read_fields(options)
    chunk = _PageChunk(values, fields)
    for item in items:
        chunk.add(item)
        if chunk.is_full:
            yield chunk.make_call()
            chunk = _PageChunk(values, fields)
    if not chunk.is_empty:
        yield chunk.make_call()


class _PageChunk:
    """Pages of one request to /v1/many."""

    def __init__(self, options: dict[str, Any], fields: tuple[str, ...] | None = None) -> None:
        self._options, self._fields = options, fields
        self._lines: list[bytes] = []
        self._size = 0

    def add(self, item: Item) -> None:
        """Add a page. An item that is not a page is sent as it is understood, and fails alone."""
        line = _write_page(read_item(item), self._options)
        self._lines.append(line)
        self._size += len(line)

    @property
    def is_full(self) -> bool:
        """Whether the request should be sent."""
        return len(self._lines) >= _CHUNK_PAGES or self._size >= _CHUNK_BYTES

    @property
    def is_empty(self) -> bool:
        """Whether no page has been added."""
        return not self._lines

    def make_call(self) -> Call:
        """Return the request."""
        content = b"\n".join(self._lines)
        count = len(self._lines)
        return Call("/v1/many", content, "application/x-ndjson", page_count=count, fields=self._fields)


def _write_page(page: PageInput, options: dict[str, Any]) -> bytes:
    request: dict[str, Any] = {"url": page.url, "options": dict(options)}
    if page.charset:  # of a capture
        request["options"]["charset"] = page.charset
    if isinstance(page.html, bytes):
        request["html_base64"] = base64.b64encode(page.html).decode("ascii")
    elif page.html is not None:
        request["html"] = page.html.encode("utf-8", "replace").decode()  # without lone surrogates
    return json.dumps(request).encode()


@cache
def _list_option_types() -> dict[str, tuple[type, ...]]:
    """Return the types of each option; None is always accepted."""
    option_types = {}
    for name, hint in get_type_hints(ServiceOptions).items():
        kinds = [get_origin(kind) or kind for kind in get_args(hint) or (hint,) if kind is not type(None)]
        option_types[name] = (int, float) if float in kinds else tuple(kinds)
    return option_types


def _list_options(method: str | None, options: ServiceOptions) -> dict[str, Any]:
    option_types = _list_option_types()
    if unknown := sorted(set(options) - set(option_types)):
        raise TypeError(f"unknown option {unknown[0]!r}; a service knows: {', '.join(sorted(option_types))}")
    if method is not None and not isinstance(method, str):
        raise TypeError(f"method must be a name, not {type(method).__name__}; a service has its own methods")
    given: dict[str, Any] = {"method": method, **options}
    values = {name: value for name, value in given.items() if value is not None}
    for name, types in option_types.items():
        if name in values and not isinstance(values[name], types):
            expected = " or ".join(kind.__name__ for kind in types)
            hint = ", the name of a site that the service has" if name == "site" else ""
            raise TypeError(f"{name} must be {expected}{hint}, not {values[name]!r:.80}")
    if "home" in values:
        values["home"], _ = read_text(values["home"])
    fields = _read_fields(options)
    return values | ({"include": ["body"]} if fields is None else {"fields": list_record_columns(fields)})


def _read_fields(options: ServiceOptions) -> tuple[str, ...] | None:
    fields = options.get("fields")
    if unsent := {"blocks", "boilerplate_share"}.intersection(fields or ()):
        raise UsageError(f"a service does not send {min(unsent)!r} of articles; extract the page here, or leave it out")
    return None if fields is None else check_fields(fields)


def _write_value(value: object) -> str:
    """Return an option as it is written in a query."""
    if isinstance(value, list):
        return ",".join(value)
    return json.dumps(value) if isinstance(value, bool) else str(value)


# One request until it is answered: settings of a client, when a request is sent again, and what an answer means


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
