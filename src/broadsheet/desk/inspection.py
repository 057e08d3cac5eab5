"""Routes of the desk for Inspect and Compare: open pages, extract them with all methods, explain blocks."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from broadsheet.desk.open_pages import SAMPLES, StoredPage, load_samples, make_page, read_upload
from broadsheet.desk.requests import check_fetch
from broadsheet.desk.state import Desk, DeskOf
from broadsheet.errors import BroadsheetError
from broadsheet.project.analysis import measure_disagreement
from broadsheet.server.body import read_body
from broadsheet.server.refusal import Refusal
from broadsheet.server.requests import Address, RequestModel, parse_request
from broadsheet.server.service import wait_unless_gone

router = APIRouter(prefix="/desk/api", include_in_schema=False)

_MAX_NAME_CHARS = 300
_MAX_LIST_BYTES = 200_000  # of a list of pages
_ROWS_PER_REQUEST = 20
_DETAILS = ("html", "fields", "text")  # of an extraction, left out where several are asked for


class PasteRequest(RequestModel):
    """A page that was pasted: its HTML, or an address to fetch."""

    html: str | None = None
    url: Address | None = None
    name: str = Field(default="", max_length=_MAX_NAME_CHARS)


class CollectionRequest(RequestModel):
    """Pages that are compared together."""

    name: str = Field(max_length=_MAX_NAME_CHARS)
    pages: tuple[str, ...] = Field(max_length=2_000)


@router.get("/contenders")
async def get_contenders(desk: DeskOf, peers: bool = True) -> list[dict[str, Any]]:
    """List the methods, own weights and other extractors that can be run. Looking for others takes a few seconds."""
    contenders = await desk.list_contenders() if peers else desk.list_own_contenders()
    return [
        {"key": row.key, "kind": row.kind, "description": row.description, "is_default": row.is_default}
        for row in contenders.values()
    ]


@router.get("/samples")
async def get_samples() -> list[dict[str, Any]]:
    """List the sample pages."""
    rows = zip(load_samples().values(), SAMPLES, strict=True)
    return [{**describe_page(page), "description": sample.description} for page, sample in rows]


@router.post("/pages")
async def open_page(request: Request, desk: DeskOf) -> dict[str, Any]:
    """Open a page from its HTML, or fetch it."""
    body = await read_body(request, desk.service.settings)
    asked = await asyncio.to_thread(parse_request, PasteRequest, body)
    if asked.html is not None:
        html = asked.html.encode("utf-8", "surrogatepass")
        page = make_page(html, name=asked.name, url=asked.url, charset="utf-8")
    elif asked.url:
        page = await _fetch(request, desk, asked.url)
    else:
        raise Refusal(422, "pass html or url")
    return describe_page(desk.pages.add(page))


async def _fetch(request: Request, desk: Desk, address: str) -> StoredPage:
    service = desk.service
    check_fetch(address, service)
    with request.state.place.visit(service.fetcher.gate):
        fetched = await wait_unless_gone(request, service.fetcher.fetch(address))
        sheets = await wait_unless_gone(request, service.fetcher.fetch_sheets(fetched))
    page = make_page(fetched.html, url=fetched.url, charset=fetched.charset)
    return replace(page, sheets=sheets)


@router.post("/files")
async def open_file(request: Request, desk: DeskOf, name: str = "page.html") -> list[dict[str, Any]]:
    """Open a file that was dropped: a page, an archive of pages, or JSON Lines. The body is the file."""
    body = await read_body(request, desk.service.settings)
    try:
        pages = await asyncio.to_thread(read_upload, name[:_MAX_NAME_CHARS], body, desk.service.settings.options.limits)
    except (BroadsheetError, OSError) as error:
        raise Refusal(422, str(error)) from error
    return [describe_page(desk.pages.add(page)) for page in pages]


@router.get("/pages/{page_id}")
async def get_page(page_id: str, desk: DeskOf) -> dict[str, Any]:
    """Describe an open page."""
    return describe_page(desk.get_page(page_id))


@router.post("/pages/{page_id}/gold")
async def set_gold(page_id: str, request: Request, desk: DeskOf) -> dict[str, Any]:
    """Set the text that should be extracted from a page: the body as UTF-8."""
    body = await read_body(request, desk.service.settings)
    page = replace(desk.get_page(page_id), gold=body.decode("utf-8-sig", "replace"))
    return describe_page(desk.pages.add(page))


@router.get("/pages/{page_id}/view")
async def get_view(page_id: str, request: Request, desk: DeskOf) -> Response:
    """Return the page as harmless HTML, and its blocks."""
    record = await wait_unless_gone(request, desk.run("view_page", desk.get_page(page_id)))
    return _answer_json(record)


@router.get("/pages/{page_id}/extractions/{key}")
async def get_extraction(page_id: str, key: str, request: Request, desk: DeskOf) -> Response:
    """Extract a page with one contender: article, fields, labels of all blocks."""
    page = desk.get_page(page_id)
    (contender,) = await desk.find_contenders([key])
    record = await wait_unless_gone(request, desk.run("extract_page", page, contender, page.gold))
    return _answer_json(record)


@router.get("/pages/{page_id}/extractions")
async def get_extractions(page_id: str, by: str, request: Request, desk: DeskOf) -> dict[str, Any]:
    """Extract a page with several contenders, named in `by` and separated by commas; measure how much they differ."""
    page = desk.get_page(page_id)
    contenders = await desk.find_contenders([key for key in by.split(",") if key])
    work = asyncio.gather(*(desk.extract(page, contender) for contender in contenders))
    results = await wait_unless_gone(request, _wait(work))
    lengths: list[int] = next((result["lengths"] for result in results if "lengths" in result), [])
    kept = [[flag == "1" for flag in result["kept"]] for result in results if not result["error"]]
    return {
        "page": describe_page(page),
        "results": [_drop_details(result) for result in results],
        "disagreement": round(measure_disagreement(kept, lengths), 4),
        "gold_kept": next((result["gold_kept"] for result in results if result.get("gold_kept")), None),
    }


@router.get("/pages/{page_id}/reasons/{key}")
async def get_reasons(page_id: str, key: str, request: Request, desk: DeskOf) -> Response:
    """Return for each block the groups of features that raised or lowered its score."""
    (contender,) = await desk.find_contenders([key])
    record = await wait_unless_gone(request, desk.run("explain_page", desk.get_page(page_id), contender))
    return _answer_json(record)


@router.get("/pages/{page_id}/formats/{key}")
async def get_formats(page_id: str, key: str, request: Request, desk: DeskOf) -> Response:
    """Return an article as Markdown and as a record."""
    (contender,) = await desk.find_contenders([key])
    return _answer_json(await wait_unless_gone(request, desk.run("write_formats", desk.get_page(page_id), contender)))


@router.post("/collections")
async def add_collection(request: Request, desk: DeskOf) -> dict[str, Any]:
    """Put open pages together, so that a link can name them."""
    asked = parse_request(CollectionRequest, await read_body(request, desk.service.settings, _MAX_LIST_BYTES))
    return await get_collection(desk.pages.add_collection(asked.name, asked.pages).id, desk)


@router.get("/collections/{collection_id}")
async def get_collection(collection_id: str, desk: DeskOf) -> dict[str, Any]:
    """Describe a collection and its pages; pages that are no longer in memory are left out."""
    collection = desk.pages.get_collection(collection_id)
    if collection is None:
        raise Refusal(404, "this collection is no longer in memory; drop the files again")
    rows = [describe_page(page) for page_id in collection.pages if (page := desk.find_page(page_id))]
    return {"id": collection.id, "name": collection.name, "pages": rows}


@router.get("/collections/{collection_id}/rows")
async def list_rows(
    collection_id: str, request: Request, desk: DeskOf, start: Annotated[int, Query(ge=0)] = 0
) -> list[dict[str, Any]]:
    """Extract the next pages of a collection; return their rows of the page table.

    `start` counts the pages that are in memory, as `get_collection` lists them.
    """
    collection = desk.pages.get_collection(collection_id)
    pages = [page for page_id in (collection.pages if collection else ()) if (page := desk.find_page(page_id))]
    pages = pages[start : start + _ROWS_PER_REQUEST]
    return await wait_unless_gone(request, _wait(asyncio.gather(*(_summarize(desk, page) for page in pages))))


async def _summarize(desk: Desk, page: StoredPage) -> dict[str, Any]:
    try:
        return {**describe_page(page), **json.loads(await desk.run("summarize_page", page))}
    except Refusal as refusal:
        if refusal.code not in (422, 504):
            raise
        return {**describe_page(page), "status": "failed", "meaning": refusal.line}


def describe_page(page: StoredPage) -> dict[str, Any]:
    """Return what lists show of a page."""
    return {
        "id": page.id,
        "name": page.name,
        "url": page.url,
        "has_gold": page.gold is not None,
    }


def _drop_details(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in _DETAILS}


async def _wait(work: Any) -> Any:
    return await work


def _answer_json(record: bytes) -> Response:
    return Response(record, media_type="application/json")
