"""The addresses of the service."""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

import broadsheet
from broadsheet.api import PageInput
from broadsheet.errors import BroadsheetError
from broadsheet.methods import DEFAULT_METHOD, describe_method, methods
from broadsheet.server import openapi
from broadsheet.server.body import find_encoding, read_body, read_packed
from broadsheet.server.many_stream import NDJSON, RecordStream
from broadsheet.server.refusal import Refusal
from broadsheet.server.requests import (
    SentPage,
    UrlRequest,
    check_json_type,
    check_no_query,
    check_options,
    check_type,
    list_sites,
    make_task,
    parse_request,
)
from broadsheet.server.service import Service, TimedAnswer, check_answer, wait_unless_gone
from broadsheet.server.tasks import RequestTask
from broadsheet.site import Site
from broadsheet.web import find_fault

router = APIRouter()
front_page = APIRouter(include_in_schema=False)  # added last: the desk has a page of its own
_MAX_ADDRESS_BODY = 100_000  # bytes of a request to fetch an address

_FRONT_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Broadsheet</title>
<h1>Broadsheet {version}</h1>
<p>This service extracts articles from news pages. Send a page to <code>POST /v1/extract</code>.</p>
<ul>
<li><a href="/docs">/docs</a>, <a href="/openapi.json">/openapi.json</a>: all requests, with examples</li>
<li><a href="/health">/health</a> and <a href="/ready">/ready</a>: whether it works, and takes requests</li>
</ul>
<p>Its operator can turn on the desk, a web application, with <code>broadsheet serve --desk</code>.</p>
</html>
"""


async def get_service(request: Request) -> Service:
    """Return the service of the application. A plain function would be called in a thread for each request."""
    return cast("Service", request.app.state.service)


ServiceOf = Annotated[Service, Depends(get_service)]


@router.post("/v1/extract", summary="Extract a page", **openapi.EXTRACT)
async def extract(request: Request, service: ServiceOf) -> Response:
    """Extract the article of a page, sent as HTML or in JSON. The answer is its record, or another format."""
    check_type(request)
    body = await read_packed(request, service.settings, service.settings.max_body_bytes)
    sent = SentPage(body, request.headers.get("Content-Type"), request.scope["query_string"].decode("latin-1"))
    sent = sent._replace(accept=request.headers.get("Accept"))
    task = RequestTask(sent, find_encoding(request), service.settings.rules)
    timed = await wait_unless_gone(request, service.extract(task))
    return answer_record(request, timed)


@router.post("/v1/extract-url", summary="Fetch and extract a page", **openapi.EXTRACT_URL)
async def extract_url(request: Request, service: ServiceOf) -> Response:
    """Fetch a page and extract its article. Private addresses are refused; robots.txt is respected."""
    settings = service.settings
    if not settings.fetchers:
        raise Refusal(403, "this service does not fetch addresses")
    check_json_type(request)
    check_no_query(request.url.query)
    asked = parse_request(UrlRequest, await read_body(request, settings, _MAX_ADDRESS_BODY))
    check_options(asked.options, settings.rules)
    if fault := find_fault(asked.url):
        raise Refusal(422, f"{asked.url[:200]!r}: {fault}")
    with request.state.place.visit(service.fetcher.gate):
        page = await wait_unless_gone(request, service.fetcher.fetch(asked.url))
    task = make_task(
        PageInput(page.url, page.html),
        asked.options,
        settings.rules,
        charset=page.charset,
        accept=request.headers.get("Accept"),
    )
    timed = await wait_unless_gone(request, service.extract(task))
    return answer_record(request, timed)


@router.post("/v1/many", summary="Extract many pages", **openapi.MANY)
async def many(request: Request, service: ServiceOf) -> Response:
    """Extract a page on each line. Records come in the same order, while later lines are still being sent."""
    check_json_type(request, NDJSON, "application/jsonl", "text/plain")
    check_no_query(request.url.query)
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise Refusal(415, "unsupported Content-Encoding; send the lines uncompressed")
    return RecordStream(request, service)


@router.get("/v1/methods", summary="List the methods", responses=openapi.METHODS)
def list_methods() -> list[dict[str, Any]]:
    """Return the methods with a one-line description, the default first."""
    return [{"name": name, "description": _describe(name), "is_default": name == DEFAULT_METHOD} for name in methods()]


@router.get("/v1/sites", summary="List the saved sites", responses=openapi.SITES)
def sites(service: ServiceOf) -> list[dict[str, Any]]:
    """Return the saved sites that requests can name."""
    folder = service.settings.sites
    if folder is None:
        return []
    return [_describe_site(name, folder / f"{name}.json") for name in list_sites(service.settings.rules)]


@router.get("/health", summary="Is the process alive?")
async def health() -> dict[str, str]:
    """Answer at once, even under load."""
    return {"status": "ok", "version": broadsheet.__version__}


@router.get("/ready", summary="Can it take a request?", responses=openapi.READY)
async def ready(service: ServiceOf) -> dict[str, Any]:
    """Answer 503 while the queue is full or the service is stopping."""
    gate = service.gate
    if gate.is_full or gate.is_closed:
        raise Refusal(503, "the service is stopping" if gate.is_closed else "the queue is full")
    return {"status": "ready", "inside": gate.inside, "max_inside": gate.max_inside}


@router.get("/metrics", summary="Metrics for Prometheus", response_class=Response)
def metrics(service: ServiceOf) -> Response:
    """Return counters of requests, pages, times and processes."""
    return Response(service.metrics.write(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/docs", include_in_schema=False)
async def describe_requests(request: Request) -> Response:
    """Return a page about all requests."""
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}
    return Response(openapi.write_docs(request.app.openapi()), media_type="text/html; charset=utf-8", headers=headers)


@front_page.get("/")
async def describe_service() -> Response:
    """Return a short page about the service."""
    page = _FRONT_PAGE.format(version=escape(broadsheet.__version__))
    headers = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
    return Response(page, media_type="text/html; charset=utf-8", headers=headers)


def answer_record(request: Request, timed: TimedAnswer) -> Response:
    """Return a record, with the times in the log and in the Server-Timing header."""
    wait, work = (round(seconds * 1000, 1) for seconds in (timed.wait_seconds, timed.work_seconds))
    request.scope["state"]["log"].update(status=timed.answer.status, wait_ms=wait, work_ms=work)
    check_answer(timed)
    headers = {
        "Server-Timing": f"wait;dur={wait}, extract;dur={work}",
        "Article-Status": timed.answer.status,  # formats other than records do not contain it
        "Vary": "Accept",
    }
    if timed.answer.media_type == "text/html":  # in a browser it is a page of this origin
        headers["Content-Security-Policy"] = "sandbox; default-src 'none'; frame-ancestors 'none'"
    return Response(timed.answer.record, media_type=timed.answer.media_type, headers=headers)


def _describe_site(name: str, path: Path) -> dict[str, Any]:
    try:
        return {"name": name, "pages": Site.load(path).pages}
    except BroadsheetError as error:  # a damaged file must not hide the others
        return {"name": name, "error": str(error)}


@cache
def _describe(name: str) -> str:
    try:
        return describe_method(name)
    except Exception as error:  # a plugin that does not load must not hide the other methods
        return f"does not load: {error}"
