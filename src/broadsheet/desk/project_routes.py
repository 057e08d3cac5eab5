"""The routes of a project, below `/desk/api/project`. Without a project most of them answer 404."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, ParamSpec, TypeVar

from fastapi import APIRouter, Depends, FastAPI
from starlette.requests import Request
from starlette.responses import Response

from broadsheet.desk.origin import check_origin
from broadsheet.desk.project_desk import ProjectDesk
from broadsheet.desk.project_opener import ProjectOpener
from broadsheet.desk.project_schemas import (
    FieldsRequest,
    NewPageRequest,
    OpenRequest,
    PageTypeRequest,
    PersonRequest,
    RolesRequest,
    RunRequest,
    describe_health,
    describe_queued,
    describe_site,
)
from broadsheet.desk.samples import list_site_pages
from broadsheet.errors import InputError, UsageError
from broadsheet.project.export import make_records
from broadsheet.project.health import list_health
from broadsheet.project.page_queue import list_queue
from broadsheet.project.pages import PageEntry
from broadsheet.project.project import NewPage
from broadsheet.project.runs import MIN_PAGES, RunStatus
from broadsheet.server.body import read_body
from broadsheet.server.many_stream import NDJSON
from broadsheet.server.refusal import Refusal
from broadsheet.server.requests import JSON_TYPE, parse_request
from broadsheet.server.routes import ServiceOf
from broadsheet.web import find_fault
from broadsheet.web.body import parse_content_type

ResultT = TypeVar("ResultT")
Arguments = ParamSpec("Arguments")
RequestT = TypeVar("RequestT", bound=PersonRequest)


def check_json(request: Request) -> None:
    """Refuse a change that is not stated as JSON. Web pages of other sites cannot send JSON without permission."""
    media_type = parse_content_type(request.headers.get("Content-Type")).media_type
    if request.method != "GET" and media_type != JSON_TYPE:
        raise Refusal(415, f"unsupported Content-Type: {media_type:.80}; send {JSON_TYPE}")


router = APIRouter(
    prefix="/desk/api/project", dependencies=[Depends(check_origin), Depends(check_json)], include_in_schema=False
)


def add_project(app: FastAPI, desk: ProjectDesk | None, opener: ProjectOpener | None) -> None:
    """Add the routes of a project."""
    app.state.project_desk = desk
    app.state.project_opener = opener
    app.include_router(router)


async def get_desk(request: Request, service: ServiceOf) -> ProjectDesk:
    """Return the project of the desk. Raises Refusal (404) if it has none."""
    desk: ProjectDesk | None = request.app.state.project_desk
    if desk is None:
        raise Refusal(404, "the desk has no project; start it with --project FOLDER")
    desk.connect(service)
    return desk


async def run_in_thread(
    function: Callable[Arguments, ResultT], *arguments: Arguments.args, **options: Arguments.kwargs
) -> ResultT:
    """Call a function that reads or writes the project. Its errors become refusals (422)."""
    try:
        return await asyncio.to_thread(function, *arguments, **options)
    except (UsageError, InputError) as error:
        raise Refusal(422, str(error)) from error


async def get_page(page: str, desk: Annotated[ProjectDesk, Depends(get_desk)]) -> PageEntry:
    """Return the page of an address. Raises Refusal (404)."""
    try:
        return await asyncio.to_thread(desk.project.find_page, page)
    except UsageError as error:
        raise Refusal(404, str(error)) from error


Desk = Annotated[ProjectDesk, Depends(get_desk)]
PageOf = Annotated[PageEntry, Depends(get_page)]


async def read_request(request: Request, model: type[RequestT], service: ServiceOf) -> RequestT:
    """Read and check the JSON of a request. Raises Refusal."""
    return parse_request(model, await read_body(request, service.settings))


# Pages


@router.get("")
async def get_project(request: Request) -> dict[str, Any]:
    """Describe the project; without one, say whether it can be opened from the browser."""
    desk: ProjectDesk | None = request.app.state.project_desk
    if desk is None:
        can_open = request.app.state.project_opener is not None
        return {"name": None, "can_open": can_open, "folder": str(Path.cwd()) if can_open else None}
    pages = await run_in_thread(desk.project.list_pages)
    return {
        "name": desk.project.name,
        "person": desk.person,
        "pages": len(pages),
        "done": sum(page.is_done for page in pages),
        "articles": sum(page.is_done and page.page_type == "article" for page in pages),
        "min_articles": MIN_PAGES,
        "sites": len({page.host for page in pages}),
        "default_run": desk.project.default_run,
        "refresh": asdict(desk.refresh) | {"is_running": desk.refresh.is_running},
    }


@router.post("/open")
async def open_project(request: Request, service: ServiceOf) -> dict[str, Any]:
    """Open or create a project; without a folder a trial project."""
    asked = await read_request(request, OpenRequest, service)
    opener: ProjectOpener | None = request.app.state.project_opener
    if opener is None:
        raise Refusal(403, "projects cannot be opened from the browser here; start the desk with --project FOLDER")
    desk = await run_in_thread(opener.open, asked.folder)
    request.app.state.project_desk = desk
    return {"name": desk.project.name}


@router.post("/samples")
async def add_samples(desk: Desk, service: ServiceOf) -> dict[str, Any]:
    """Add the pages of the sample site."""
    with service.gate.enter():
        entries = [await run_in_thread(desk.project.add_page, NewPage(*page)) for page in list_site_pages()]
    return {"added": sum(entry is not None for entry in entries)}


@router.get("/queue")
async def get_queue(desk: Desk) -> dict[str, Any]:
    """List the pages that are not done, the most informative first, and those that are done."""
    queue, pages = await run_in_thread(lambda: (list_queue(desk.project), desk.project.list_pages()))
    return {
        "queue": [describe_queued(page) for page in queue],
        "done": [asdict(page) for page in pages if page.is_done],
    }


@router.post("/pages")
async def add_page(request: Request, desk: Desk, service: ServiceOf) -> dict[str, Any]:
    """Add a page: HTML, a file, or an address, which is fetched."""
    with service.gate.enter():
        asked = await read_request(request, NewPageRequest, service)
        if html := asked.html or asked.file:
            page = NewPage(html, asked.name or asked.url or "pasted page", asked.url)
        else:
            page = await _fetch(asked.url, service)
        entry = await run_in_thread(desk.project.add_page, page)
    return {"page": asdict(entry) if entry else None, "is_new": entry is not None}


async def _fetch(url: str | None, service: ServiceOf) -> NewPage:
    if not url:
        raise Refusal(422, "pass html or url")
    if not service.settings.fetchers:
        raise Refusal(403, "this service does not fetch addresses")
    if fault := find_fault(url):
        raise Refusal(422, f"{url[:200]!r}: {fault}")
    with service.fetcher.gate.enter():
        page = await service.fetcher.fetch(url)
    return NewPage(page.html, page.url, page.url, page.charset)


@router.get("/pages/{page}")
async def get_page_view(page: PageOf, desk: Desk) -> dict[str, Any]:
    """Return a page with its blocks, and what its corrections change elsewhere."""
    return await run_in_thread(_describe_page, desk, page)


@router.get("/pages/{page}/view")
async def get_page_html(page: PageOf, desk: Desk) -> Response:
    """Return a page for an iframe, and the paths of its blocks."""
    try:
        return Response(await desk.write_view(page), media_type=JSON_TYPE)
    except UsageError as error:  # it was removed meanwhile
        raise Refusal(404, str(error)) from error


@router.post("/pages/{page}/roles")
async def set_roles(page: PageOf, request: Request, desk: Desk, service: ServiceOf) -> dict[str, Any]:
    """Label blocks."""
    asked = await read_request(request, RolesRequest, service)
    await run_in_thread(desk.project.set_roles, page, asked.roles, asked.who or desk.person)
    return await run_in_thread(_describe_page, desk, page)


@router.post("/pages/{page}/fields")
async def set_fields(page: PageOf, request: Request, desk: Desk, service: ServiceOf) -> dict[str, Any]:
    """Label fields."""
    asked = await read_request(request, FieldsRequest, service)
    values = {name: value for name, value in asked if name in asked.model_fields_set - {"who"}}
    await run_in_thread(desk.project.set_fields, page, values, asked.who or desk.person)
    return await run_in_thread(_describe_page, desk, page)


@router.post("/pages/{page}/type")
async def set_page_type(page: PageOf, request: Request, desk: Desk, service: ServiceOf) -> dict[str, Any]:
    """Say whether a page is an article."""
    asked = await read_request(request, PageTypeRequest, service)
    await run_in_thread(desk.project.set_page_type, page, asked.page_type, asked.who or desk.person)
    return await run_in_thread(_describe_page, desk, page)


@router.post("/pages/{page}/accept")
async def accept(page: PageOf, request: Request, desk: Desk, service: ServiceOf) -> dict[str, Any]:
    """Accept all suggestions: the page is done. The answer names the next page of the queue."""
    asked = await read_request(request, PersonRequest, service)
    await run_in_thread(desk.project.accept, page, asked.who or desk.person)
    queue = await run_in_thread(list_queue, desk.project)
    return {**await run_in_thread(_describe_page, desk, page), "next": queue[0].entry.hash if queue else None}


@router.post("/pages/{page}/reopen")
async def reopen(page: PageOf, request: Request, desk: Desk, service: ServiceOf) -> dict[str, Any]:
    """Take a page back into the queue."""
    asked = await read_request(request, PersonRequest, service)
    await run_in_thread(desk.project.reopen, page, asked.who or desk.person)
    return await run_in_thread(_describe_page, desk, page)


@router.post("/pages/{page}/remove")
async def remove_page(page: PageOf, desk: Desk) -> dict[str, Any]:
    """Remove a page with its labels."""
    await run_in_thread(desk.project.remove_page, page.hash)
    return {"removed": page.hash}


@router.post("/undo")
async def undo(request: Request, desk: Desk, service: ServiceOf) -> dict[str, Any]:
    """Undo the last step of a person, whichever page it changed."""
    asked = await read_request(request, PersonRequest, service)
    page = await run_in_thread(desk.project.undo, asked.who or desk.person)
    return {"page": page.hash if page else None}


def _describe_page(desk: ProjectDesk, page: PageEntry) -> dict[str, Any]:
    return describe_site(desk.project.view_site(page))


@router.get("/export")
async def export(desk: Desk) -> Response:
    """Return the pages that are done as JSON Lines, for `broadsheet eval` and `broadsheet train`."""

    def write_lines() -> bytes:
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in make_records(desk.project))
        return "".join(lines).encode("utf-8", "replace")

    headers = {"Content-Disposition": 'attachment; filename="labels.jsonl"'}
    return Response(await run_in_thread(write_lines), media_type=NDJSON, headers=headers)


# Health


@router.get("/health")
async def get_health(desk: Desk) -> list[dict[str, Any]]:
    """Return the health of all sites."""
    return [describe_health(site) for site in await run_in_thread(list_health, desk.project.store)]


# Retraining


@router.get("/runs")
async def list_runs(desk: Desk) -> list[dict[str, Any]]:
    """List the retrainings, the newest first."""
    default = desk.project.default_run
    runs = await run_in_thread(desk.trainer.list_runs)
    return [{**asdict(run), "is_default": run.id == default} for run in runs]


@router.post("/runs")
async def start_run(request: Request, desk: Desk, service: ServiceOf) -> dict[str, Any]:
    """Start a retraining in the background."""
    asked = await read_request(request, RunRequest, service)
    return asdict(await run_in_thread(desk.trainer.start, asked.start))


@router.get("/runs/{run}")
async def get_run(run: int, desk: Desk) -> dict[str, Any]:
    """Return a retraining with its log."""
    record = await run_in_thread(desk.trainer.get_run, run)
    return {**asdict(record), "log": await run_in_thread(desk.trainer.read_log, run)}


@router.post("/runs/{run}/cancel")
async def cancel_run(run: int, desk: Desk) -> dict[str, Any]:
    """Stop a retraining."""
    return asdict(await run_in_thread(desk.trainer.cancel, run))


@router.post("/runs/{run}/use")
async def use_run(run: int, desk: Desk) -> dict[str, Any]:
    """Make the weights of a retraining the default, and extract all pages with them. Run 0: the shipped weights."""
    if run:
        await run_in_thread(desk.trainer.use, run)
    else:
        await run_in_thread(desk.trainer.use_shipped)
    desk.start_refresh()
    return {"default_run": desk.project.default_run}


@router.post("/runs/{run}/discard")
async def discard_run(run: int, desk: Desk) -> dict[str, Any]:
    """Delete the weights of a retraining."""
    await run_in_thread(desk.trainer.discard, run)
    return {"status": RunStatus.DISCARDED}
