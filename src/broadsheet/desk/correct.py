"""The routes of a project for Correct and Watch, below `/desk/api/project`: pages, labels, queue, health of sites."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Base64Bytes, Field
from starlette.requests import Request
from starlette.responses import Response

from broadsheet.blocks.roles import LabelRole
from broadsheet.desk.open_pages import list_site_pages
from broadsheet.desk.projects import ProjectDesk, ProjectOpener
from broadsheet.desk.requests import (
    Line,
    PersonRequest,
    ProjectOf,
    check_fetch,
    check_json,
    read_request,
    run_in_thread,
)
from broadsheet.errors import UsageError
from broadsheet.project.export import make_records
from broadsheet.project.health import SiteHealth, list_health
from broadsheet.project.page_queue import QueuedPage, list_queue
from broadsheet.project.pages import PageEntry
from broadsheet.project.project import BlockView, NewPage, PageEffect, PageView, SiteView
from broadsheet.project.runs import ADVISED_PAGES, MIN_PAGES
from broadsheet.server.many_stream import NDJSON
from broadsheet.server.refusal import Refusal
from broadsheet.server.requests import Address
from broadsheet.server.routes import ServiceOf
from broadsheet.server.tasks import JSON_TYPE
from broadsheet.site.template import MIN_CHANGED_DRIFT

router = APIRouter(prefix="/desk/api/project", dependencies=[Depends(check_json)], include_in_schema=False)

_MAX_BLOCKS = 20_000
_MAX_EFFECTS = 6  # pages that are shown with examples
_MAX_EXAMPLES = 2
_MAX_EXAMPLE_CHARS = 160


class OpenRequest(PersonRequest):
    """A project to open: its folder, or null for a trial project."""

    folder: Line | None = None


class NewPageRequest(PersonRequest):
    """A page to add: `html`, or a file as it is (base64), or `url` alone, which is fetched."""

    html: str | None = None
    file: Base64Bytes | None = None  # browsers decode files as UTF-8; many pages have other character sets
    url: Address | None = None
    name: Line | None = None


class RolesRequest(PersonRequest):
    """Roles of blocks by path; null removes a label."""

    roles: Annotated[dict[str, LabelRole | None], Field(min_length=1, max_length=_MAX_BLOCKS)]


class FieldsRequest(PersonRequest):
    """Values of fields. Only those that are given change; null says that the page has none."""

    title: Line | None = None
    date: Line | None = None
    authors: list[Line] | None = None
    note: Line | None = None


class PageTypeRequest(PersonRequest):
    """Whether a page is an article."""

    page_type: str


async def get_page(page: str, desk: ProjectOf) -> PageEntry:
    """Return the page of an address. Raises Refusal (404)."""
    try:
        return await asyncio.to_thread(desk.project.find_page, page)
    except UsageError as error:
        raise Refusal(404, str(error)) from error


PageOf = Annotated[PageEntry, Depends(get_page)]


@router.get("")
async def describe_project(request: Request) -> dict[str, Any]:
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
        "advised_articles": ADVISED_PAGES,
        "is_trial": desk.is_trial,
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
async def add_samples(desk: ProjectOf) -> dict[str, Any]:
    """Add the pages of the sample site."""
    entries = [await run_in_thread(desk.project.add_page, NewPage(*page)) for page in list_site_pages()]
    return {"added": sum(entry is not None for entry in entries)}


@router.get("/queue")
async def get_queue(desk: ProjectOf) -> dict[str, Any]:
    """List the pages that are not done, the most informative first, and those that are done."""
    queue, pages = await run_in_thread(lambda: (list_queue(desk.project), desk.project.list_pages()))
    notes = await run_in_thread(desk.project.list_notes)
    return {
        "queue": [{**_describe_queued(page), "note": notes.get(page.entry.hash)} for page in queue],
        "done": [{**asdict(page), "note": notes.get(page.hash)} for page in pages if page.is_done],
    }


@router.post("/pages")
async def add_page(request: Request, desk: ProjectOf, service: ServiceOf) -> dict[str, Any]:
    """Add a page: HTML, a file, or an address, which is fetched."""
    asked = await read_request(request, NewPageRequest, service)
    if html := asked.html or asked.file:
        page = NewPage(html, asked.name or asked.url or "pasted page", asked.url)
    else:
        page = await _fetch(request, asked.url, service)
    entry = await run_in_thread(desk.project.add_page, page)
    return {"page": asdict(entry) if entry else None, "is_new": entry is not None}


async def _fetch(request: Request, url: str | None, service: ServiceOf) -> NewPage:
    if not url:
        raise Refusal(422, "pass html or url")
    check_fetch(url, service)
    with request.state.place.visit(service.fetcher.gate):
        page = await service.fetcher.fetch(url)
    return NewPage(page.html, page.url, page.url, page.charset)


@router.get("/pages/{page}")
async def get_page_view(page: PageOf, desk: ProjectOf) -> dict[str, Any]:
    """Return a page with its blocks, and what its corrections change elsewhere."""
    return await run_in_thread(_describe_page, desk, page)


@router.get("/pages/{page}/view")
async def get_page_html(page: PageOf, desk: ProjectOf) -> Response:
    """Return a page for an iframe, and the paths of its blocks."""
    try:
        return Response(await desk.write_view(page), media_type=JSON_TYPE)
    except UsageError as error:  # it was removed meanwhile
        raise Refusal(404, str(error)) from error


@router.post("/pages/{page}/roles")
async def set_roles(page: PageOf, request: Request, desk: ProjectOf, service: ServiceOf) -> dict[str, Any]:
    """Label blocks."""
    asked = await read_request(request, RolesRequest, service)
    await run_in_thread(desk.project.set_roles, page, asked.roles, asked.who or desk.person)
    return await run_in_thread(_describe_page, desk, page)


@router.post("/pages/{page}/fields")
async def set_fields(page: PageOf, request: Request, desk: ProjectOf, service: ServiceOf) -> dict[str, Any]:
    """Label fields."""
    asked = await read_request(request, FieldsRequest, service)
    values = {name: value for name, value in asked if name in asked.model_fields_set - {"who"}}
    await run_in_thread(desk.project.set_fields, page, values, asked.who or desk.person)
    return await run_in_thread(_describe_page, desk, page)


@router.post("/pages/{page}/type")
async def set_page_type(page: PageOf, request: Request, desk: ProjectOf, service: ServiceOf) -> dict[str, Any]:
    """Say whether a page is an article."""
    asked = await read_request(request, PageTypeRequest, service)
    await run_in_thread(desk.project.set_page_type, page, asked.page_type, asked.who or desk.person)
    return await run_in_thread(_describe_page, desk, page)


@router.post("/pages/{page}/accept")
async def accept(page: PageOf, request: Request, desk: ProjectOf, service: ServiceOf) -> dict[str, Any]:
    """Accept all suggestions: the page is done. The answer names the next page of the queue."""
    asked = await read_request(request, PersonRequest, service)
    await run_in_thread(desk.project.accept, page, asked.who or desk.person)
    queue = await run_in_thread(list_queue, desk.project)
    return {**await run_in_thread(_describe_page, desk, page), "next": queue[0].entry.hash if queue else None}


@router.post("/pages/{page}/reopen")
async def reopen(page: PageOf, request: Request, desk: ProjectOf, service: ServiceOf) -> dict[str, Any]:
    """Take a page back into the queue."""
    asked = await read_request(request, PersonRequest, service)
    await run_in_thread(desk.project.reopen, page, asked.who or desk.person)
    return await run_in_thread(_describe_page, desk, page)


@router.post("/pages/{page}/remove")
async def remove_page(page: PageOf, desk: ProjectOf) -> dict[str, Any]:
    """Remove a page with its labels."""
    await run_in_thread(desk.project.remove_page, page.hash)
    return {"removed": page.hash}


@router.post("/undo")
async def undo(request: Request, desk: ProjectOf, service: ServiceOf) -> dict[str, Any]:
    """Undo the last step of a person, whichever page it changed."""
    asked = await read_request(request, PersonRequest, service)
    page = await run_in_thread(desk.project.undo, asked.who or desk.person)
    return {"page": page.hash if page else None}


def _describe_page(desk: ProjectDesk, page: PageEntry) -> dict[str, Any]:
    return describe_site(desk.project.view_site(page))


@router.get("/export")
async def export(desk: ProjectOf) -> Response:
    """Return the pages that are done as JSON Lines, for `broadsheet eval` and `broadsheet train`."""

    def write_lines() -> bytes:
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in make_records(desk.project))
        return "".join(lines).encode("utf-8", "replace")

    headers = {"Content-Disposition": 'attachment; filename="labels.jsonl"'}
    return Response(await run_in_thread(write_lines), media_type=NDJSON, headers=headers)


@router.get("/health")
async def get_health(desk: ProjectOf) -> list[dict[str, Any]]:
    """Return the health of all sites."""
    return [_describe_health(site) for site in await run_in_thread(list_health, desk.project.store)]


def _describe_queued(page: QueuedPage) -> dict[str, Any]:
    """Return a page of the queue."""
    return {**asdict(page.entry), **asdict(page), "entry": None, "value": round(page.value, 4)}


def describe_site(site: SiteView) -> dict[str, Any]:
    """Return a page with its blocks, and the pages of its site that labels change most."""
    changed = [effect for effect in site.effects if effect.changed]
    return {
        **_describe_view(site.page),
        "effects": [_describe_effect(effect) for effect in changed[:_MAX_EFFECTS]],
        "changed_pages": len(changed),
        "other_pages": len(site.effects),
    }


def _describe_view(view: PageView) -> dict[str, Any]:
    analysis = view.analysis
    return {
        **asdict(view.entry),
        "status": analysis.status,
        "confidence": analysis.confidence,
        "fields": dict(view.fields),
        "labelled_fields": sorted(view.labelled_fields),
        "blocks": [_describe_block(block) for block in view.blocks],
    }


def _describe_effect(effect: PageEffect) -> dict[str, Any]:
    examples = [
        {"text": view.block.text[:_MAX_EXAMPLE_CHARS], "from": view.block.role, "to": view.role}
        for view in effect.changed[:_MAX_EXAMPLES]
    ]
    return {**asdict(effect.entry), "changed": len(effect.changed), "examples": examples}


def _describe_health(site: SiteHealth) -> dict[str, Any]:
    """Return the health of a site."""
    return {
        **asdict(site),
        "confidence": round(site.confidence, 4),
        "recent": len(site.recent),
        "max_drift": MIN_CHANGED_DRIFT,
    }


def _describe_block(view: BlockView) -> dict[str, Any]:
    block = view.block
    return {
        "path": block.path,
        "text": block.text,
        "role": view.role,
        "source": view.source,
        "suggestion": block.role,
        "score": block.score,
        "is_hidden": block.is_hidden,
    }
