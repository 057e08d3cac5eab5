"""The addresses of the service."""

from __future__ import annotations

import contextlib
from functools import cache
from pathlib import Path
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

import broadsheet
from broadsheet.errors import BroadsheetError
from broadsheet.methods import DEFAULT_METHOD, describe_method, methods
from broadsheet.page_input import PageInput
from broadsheet.server import openapi
from broadsheet.server.body import read_body
from broadsheet.server.many_stream import NDJSON, RecordStream
from broadsheet.server.refusal import Refusal
from broadsheet.server.requests import (
    UrlRequest,
    check_json_type,
    check_no_query,
    check_options,
    check_type,
    list_sites,
    make_task,
    parse_request,
    read_page_task,
)
from broadsheet.server.service import Service, TimedAnswer, check_answer, wait_unless_gone
from broadsheet.site import Site
from broadsheet.web import find_fault

router = APIRouter()


async def get_service(request: Request) -> Service:
    """Return the service of the application. A plain function would be called in a thread for each request."""
    return cast("Service", request.app.state.service)


ServiceOf = Annotated[Service, Depends(get_service)]


@router.post("/v1/extract", summary="Extract a page", **openapi.EXTRACT)
async def extract(request: Request, service: ServiceOf) -> Response:
    """Extract the article of a page, sent as HTML or in JSON. The answer is its record."""
    check_type(request)
    with service.gate.enter():
        body = await read_body(request, service.settings)
        task = read_page_task(request, body, service.settings)
        del body
        timed = await wait_unless_gone(request, service.extract(task))
    return answer_record(request, timed)


@router.post("/v1/extract-url", summary="Fetch and extract a page", **openapi.EXTRACT_URL)
async def extract_url(request: Request, service: ServiceOf) -> Response:
    """Fetch a page and extract its article. Private addresses are refused; robots.txt is respected."""
    settings = service.settings
    if not settings.fetchers:
        raise Refusal(403, "this service does not fetch addresses")
    check_json_type(request)
    check_no_query(request)
    with service.fetcher.gate.enter():
        asked = parse_request(UrlRequest, await read_body(request, settings))
        check_options(asked.options, settings)
        if fault := find_fault(asked.url):
            raise Refusal(422, f"{asked.url[:200]!r}: {fault}")
        page = await wait_unless_gone(request, service.fetcher.fetch(asked.url))
        with service.gate.enter(is_admitted=True):
            task = make_task(PageInput(page.url, page.html), asked.options, settings, charset=page.charset)
            timed = await wait_unless_gone(request, service.extract(task))
    return answer_record(request, timed)


@router.post("/v1/many", summary="Extract many pages", **openapi.MANY)
async def many(request: Request, service: ServiceOf) -> Response:
    """Extract a page on each line. Records come in the same order, while later lines are still being sent."""
    check_json_type(request, NDJSON, "application/jsonl", "text/plain")
    check_no_query(request)
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise Refusal(415, "unsupported Content-Encoding; send the lines uncompressed")
    with contextlib.ExitStack() as stack:
        stack.enter_context(service.gate.enter())
        return RecordStream(request, service, stack.pop_all())


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
    return [_describe_site(name, folder / f"{name}.json") for name in list_sites(service.settings)]


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


def answer_record(request: Request, timed: TimedAnswer) -> Response:
    """Return a record, with the times in the log and in the Server-Timing header."""
    wait, work = (round(seconds * 1000, 1) for seconds in (timed.wait_seconds, timed.work_seconds))
    request.scope["state"]["log"].update(status=timed.answer.status, wait_ms=wait, work_ms=work)
    check_answer(timed)
    headers = {"Server-Timing": f"wait;dur={wait}, extract;dur={work}"}
    return Response(timed.answer.record, media_type="application/json", headers=headers)


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
