"""Requests to jobs: what a client asks for, checked against the settings of the service."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

from starlette.requests import Request

from broadsheet.errors import UnknownMethod, UsageError, describe_unknown
from broadsheet.methods import has_method, methods
from broadsheet.output.record import EXTRA_COLUMNS, choose_columns
from broadsheet.page_input import PageInput
from broadsheet.server.refusal import Refusal
from broadsheet.server.schemas import Options, PageRequest, parse_query, parse_request
from broadsheet.server.settings import ServerSettings
from broadsheet.server.tasks import PageTask
from broadsheet.web.body import parse_content_type

JSON_TYPE = "application/json"
_FORM_TYPE = "application/x-www-form-urlencoded"  # what `curl --data` states for any body
_JSON_OBJECT = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"')  # the start of a JSON object; no HTML page starts like this
_PAGE_TYPES = frozenset(
    (
        "",
        "application/octet-stream",
        _FORM_TYPE,
        "application/xhtml+xml",
        "application/xml",
    )
)
_LISTS = ("fields", "include")  # options that are lists of names
_EXTRA_NAMES = tuple(column.name for column in EXTRA_COLUMNS)


def check_type(request: Request) -> None:
    """Refuse a body that is neither a page nor JSON, before it is read."""
    media_type = parse_content_type(request.headers.get("Content-Type")).media_type
    if media_type != JSON_TYPE and media_type not in _PAGE_TYPES and not media_type.startswith("text/"):
        raise Refusal(415, f"unsupported Content-Type: {media_type:.80}; send text/html or {JSON_TYPE}")


def check_json_type(request: Request, *others: str) -> None:
    """Refuse a body that states to be neither JSON nor another of these types."""
    media_type = parse_content_type(request.headers.get("Content-Type")).media_type
    if media_type not in {"", JSON_TYPE, _FORM_TYPE, *others}:
        raise Refusal(415, f"unsupported Content-Type: {media_type:.80}; send {others[0] if others else JSON_TYPE}")


def read_page_task(request: Request, body: bytes, settings: ServerSettings) -> PageTask:
    """Return the task of a request with a page as its body, or with JSON. Raises Refusal (422)."""
    content_type = parse_content_type(request.headers.get("Content-Type"))
    is_untyped = content_type.media_type in ("", _FORM_TYPE)
    if content_type.media_type == JSON_TYPE or (is_untyped and _JSON_OBJECT.match(body)):
        check_no_query(request)
        return read_json_task(body, settings)
    options = parse_query({"charset": content_type.charset, **_read_query(request)})
    return make_task(PageInput(options.url, body), options, settings)


def _read_query(request: Request) -> dict[str, Any]:
    """Return the options of the address. `fields` and `include` may be repeated, and may have commas."""
    if not request.scope["query_string"]:
        return {}
    query = request.query_params
    counts = Counter(name for name, _ in query.multi_items())
    for name, count in counts.items():
        if name not in _LISTS and count > 1:
            raise Refusal(422, f"the address has {name!r:.80} more than once")
    lists = {name: " ".join(query.getlist(name)).replace(",", " ").split() for name in _LISTS if name in query}
    return {**query, **{name: tuple(names) for name, names in lists.items()}}


def check_no_query(request: Request) -> None:
    """Refuse options in the address of a request whose body is JSON: they would have no effect."""
    for name in request.query_params:
        place = ', under "options"' if name in Options.model_fields else ""
        raise Refusal(422, f"{name!r:.80} in the address has no effect; write it into the JSON{place}")


def read_json_task(body: bytes, settings: ServerSettings) -> PageTask:
    """Return the task of a page in JSON. Raises Refusal (422)."""
    page = parse_request(PageRequest, body)
    return make_task(PageInput(page.url, page.read_html()), page.options, settings)


def make_task(page: PageInput, options: Options, settings: ServerSettings, charset: str | None = None) -> PageTask:
    """Check the options of a request. Raises Refusal (422)."""
    check_options(options, settings)
    changes = options.list_changes() | {
        "fields": tuple(column.name for column in choose_columns(options.fields, options.include))
    }
    if options.method is not None:
        changes["method"] = options.method
    site = find_site(options.site, settings) if options.site else None
    return PageTask(page, options.charset or charset, changes, site, options.max_seconds)


def check_options(options: Options, settings: ServerSettings) -> None:
    """Check the names in the options of a request. Raises Refusal (422)."""
    if options.method is not None and not has_method(options.method):
        raise Refusal(422, str(UnknownMethod(options.method, methods())))
    if options.render and not settings.allows_render:
        raise Refusal(422, "this service does not render pages; start it with --render")
    for name in options.include:
        if name not in _EXTRA_NAMES:
            raise Refusal(422, describe_unknown("column", name, _EXTRA_NAMES))
    try:
        choose_columns(options.fields)
    except UsageError as error:
        raise Refusal(422, str(error)) from error


def list_sites(settings: ServerSettings) -> list[str]:
    """Return the names of the saved sites."""
    return sorted(path.stem for path in settings.sites.glob("*.json")) if settings.sites else []


def find_site(name: str, settings: ServerSettings) -> Path:
    """Return the file of a saved site. Raises Refusal (422)."""
    names = list_sites(settings)
    if name not in names or settings.sites is None:  # a name with ".." is not in the list
        message = describe_unknown("site", name, names) if names else f"unknown site {name!r}; this service has none"
        raise Refusal(422, message)
    return settings.sites / f"{name}.json"
