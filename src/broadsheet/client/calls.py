"""Requests to the service, as values that both clients send."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from broadsheet.api import check_page
from broadsheet.errors import UsageError
from broadsheet.many import Item, read_item
from broadsheet.options import SharedChanges
from broadsheet.output.requested import check_fields, list_record_columns
from broadsheet.page import read_text
from broadsheet.page_input import PageInput

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
    if fields is not None and "blocks" in fields:
        raise UsageError("a service does not send 'blocks' of articles; extract the page here, or leave them out")
    return None if fields is None else check_fields(fields)


def _write_value(value: object) -> str:
    """Return an option as it is written in a query."""
    if isinstance(value, list):
        return ",".join(value)
    return json.dumps(value) if isinstance(value, bool) else str(value)
