"""The routes of a project for Retrain, below `/desk/api/project/runs`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Depends
from starlette.requests import Request

from broadsheet.desk.requests import (
    PersonRequest,
    ProjectOf,
    check_json,
    read_request,
    run_in_thread,
)
from broadsheet.project.health import list_agreement
from broadsheet.project.runs import RunStatus
from broadsheet.server.routes import ServiceOf

router = APIRouter(prefix="/desk/api/project/runs", dependencies=[Depends(check_json)], include_in_schema=False)


class RunRequest(PersonRequest):
    """Weights to start from."""

    start: str = "shipped"


@router.get("")
async def list_runs(desk: ProjectOf) -> list[dict[str, Any]]:
    """List the retrainings, the newest first."""
    default = desk.project.default_run
    runs = await run_in_thread(desk.trainer.list_runs)
    return [{**asdict(run), "is_default": run.id == default} for run in runs]


@router.post("")
async def start_run(request: Request, desk: ProjectOf, service: ServiceOf) -> dict[str, Any]:
    """Start a retraining in the background."""
    asked = await read_request(request, RunRequest, service)
    return asdict(await run_in_thread(desk.trainer.start, asked.start))


@router.get("/agreement")
async def get_agreement(desk: ProjectOf) -> list[dict[str, Any]]:
    """Compare the labels of people on the pages that several of them have accepted."""
    return [asdict(row) for row in await run_in_thread(list_agreement, desk.project.store)]


@router.get("/{run}")
async def get_run(run: int, desk: ProjectOf) -> dict[str, Any]:
    """Return a retraining with its log."""
    record = await run_in_thread(desk.trainer.get_run, run)
    return {**asdict(record), "log": await run_in_thread(desk.trainer.read_log, run)}


@router.post("/{run}/cancel")
async def cancel_run(run: int, desk: ProjectOf) -> dict[str, Any]:
    """Stop a retraining."""
    return asdict(await run_in_thread(desk.trainer.cancel, run))


@router.post("/{run}/use")
async def use_run(run: int, desk: ProjectOf) -> dict[str, Any]:
    """Make the weights of a retraining the default, and extract all pages with them. Run 0: the shipped weights."""
    if run:
        await run_in_thread(desk.trainer.use, run)
    else:
        await run_in_thread(desk.trainer.use_shipped)
    desk.start_refresh()
    return {"default_run": desk.project.default_run}


@router.post("/{run}/discard")
async def discard_run(run: int, desk: ProjectOf) -> dict[str, Any]:
    """Delete the weights of a retraining."""
    await run_in_thread(desk.trainer.discard, run)
    return {"status": RunStatus.DISCARDED}
