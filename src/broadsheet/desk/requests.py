"""What the routes of the desk share: checks of requests, the project of the desk, fetched pages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, ParamSpec, TypeVar

from fastapi import Depends
from pydantic import Field
from starlette.requests import Request

from broadsheet.desk.projects import ProjectDesk
from broadsheet.errors import InputError, UsageError
from broadsheet.server.body import read_body
from broadsheet.server.refusal import Refusal
from broadsheet.server.requests import RequestModel, parse_request
from broadsheet.server.routes import ServiceOf
from broadsheet.server.service import Service
from broadsheet.server.tasks import JSON_TYPE
from broadsheet.web import find_fault
from broadsheet.web.body import parse_content_type

ResultT = TypeVar("ResultT")
Arguments = ParamSpec("Arguments")
RequestT = TypeVar("RequestT", bound="PersonRequest")
_MAX_TOKENS = 100_000  # JSON values of a request: roles of all blocks of a page, at most
Line = Annotated[str, Field(max_length=2_000)]


class PersonRequest(RequestModel):
    """Any request that changes something: `who` does it; by default the user who started the desk."""

    who: str | None = Field(default=None, min_length=1, max_length=80)


def check_json(request: Request) -> None:
    """Refuse a change that is not stated as JSON. Web pages of other sites cannot send JSON without permission."""
    media_type = parse_content_type(request.headers.get("Content-Type")).media_type
    if request.method != "GET" and media_type != JSON_TYPE:
        raise Refusal(415, f"unsupported Content-Type: {media_type:.80}; send {JSON_TYPE}")


async def read_request(request: Request, model: type[RequestT], service: ServiceOf) -> RequestT:
    """Read and check the JSON of a request. Raises Refusal."""
    body = await read_body(request, service.settings)
    return await asyncio.to_thread(parse_request, model, body, max_tokens=_MAX_TOKENS)


async def run_in_thread(
    function: Callable[Arguments, ResultT], *arguments: Arguments.args, **options: Arguments.kwargs
) -> ResultT:
    """Call a function that reads or writes the project. Its errors become refusals (422)."""
    try:
        return await asyncio.to_thread(function, *arguments, **options)
    except (UsageError, InputError) as error:
        raise Refusal(422, str(error)) from error


async def get_project(request: Request, service: ServiceOf) -> ProjectDesk:
    """Return the project of the desk. Raises Refusal (404) if it has none."""
    desk: ProjectDesk | None = request.app.state.project_desk
    if desk is None:
        raise Refusal(404, "the desk has no project; start it with --project FOLDER")
    desk.connect(service)
    return desk


ProjectOf = Annotated[ProjectDesk, Depends(get_project)]


def check_fetch(address: str, service: Service) -> None:
    """Raise Refusal if the service does not fetch, or not this address."""
    if not service.settings.fetchers:
        raise Refusal(403, "this service does not fetch addresses")
    if fault := find_fault(address):
        raise Refusal(422, f"{address[:200]!r}: {fault}")
