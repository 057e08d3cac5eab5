"""How far a page walks through the house: files, functions and changes of package of one page, in plain Python.

    python benchmarks/walk.py                 the table
    python benchmarks/walk.py --doors 20      also the 20 most frequent calls from a package to a function of another

The page is examples/pages/harbour.html. Every walk comes after others of its kind, which have loaded what is loaded
once. A change of package is a call from a module of one top-level package of Broadsheet to a module of another. The
worker processes of the service and of the desk are replaced by calls in this process, so that their part of the work
is counted too.
"""

from __future__ import annotations

import os

os.environ["BROADSHEET_PURE"] = "1"  # compiled functions cannot be counted; read when broadsheet is imported

import argparse
import asyncio
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from unittest.mock import patch

import httpx
from fastapi import FastAPI

import broadsheet
from broadsheet.batch import BatchOptions, find_sources, process_file
from broadsheet.desk.app import add_desk
from broadsheet.desk.projects import ProjectDesk
from broadsheet.server.app import make_app
from broadsheet.server.service import Service
from broadsheet.server.settings import ServerSettings
from broadsheet.workers.process import WorkerProcess

SOURCE = Path(broadsheet.__file__).parent
PAGE = Path(__file__).parents[1] / "examples" / "pages" / "harbour.html"
PAGES = 6  # of the project in which a block is corrected
WARM_UPS = 2


@dataclass(slots=True)
class Walk:
    """Which functions were called, and which calls went from one package to another."""

    functions: set[CodeType] = field(default_factory=set)
    doors: Counter[tuple[str, str]] = field(default_factory=Counter)  # caller's package, function of another package

    def __str__(self) -> str:
        files = {code.co_filename for code in self.functions}
        return f"{len(files):8}{len(self.functions):12}{self.doors.total():22}"


class Recorder:
    """Counts calls of all threads that were started after it, and of the main thread."""

    def __init__(self) -> None:
        self._walk: Walk | None = None
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    @contextmanager
    def record(self) -> Iterator[Walk]:
        """Record the calls of one walk."""
        walk = self._walk = Walk()
        try:
            yield walk
        finally:
            self._walk = None

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if self._walk is None or event != "call" or not (package := find_package(frame.f_code.co_filename)):
            return
        code = frame.f_code
        if not code.co_name.startswith("<"):  # neither a lambda nor a comprehension
            self._walk.functions.add(code)
        caller = find_caller(frame)
        if caller and caller != package:
            self._walk.doors[caller, f"{Path(code.co_filename).relative_to(SOURCE)}:{code.co_qualname}"] += 1


@cache
def find_package(path: str) -> str:
    """Return the top-level package or module of a source file; an empty string if it is not one of Broadsheet."""
    return Path(path).relative_to(SOURCE).parts[0].removesuffix(".py") if path.startswith(f"{SOURCE}{os.sep}") else ""


def find_caller(frame: FrameType) -> str:
    """Return the package of the nearest caller that is in Broadsheet."""
    caller = frame.f_back
    while caller:
        if package := find_package(caller.f_code.co_filename):
            return package
        caller = caller.f_back
    return ""


def walk_extract(recorder: Recorder, read: Callable[[broadsheet.Article], object] = lambda _: None) -> Walk:
    """Extract a page, and read something of the article."""
    html = PAGE.read_text("utf-8")
    for _ in range(WARM_UPS):
        read(broadsheet.extract(html))
    with recorder.record() as walk:
        read(broadsheet.extract(html))
    return walk


def walk_batch(recorder: Recorder) -> Walk:
    """Process a file with one page, after others of the same kind."""
    source = find_sources([str(PAGE)]).sources[0]
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(WARM_UPS):
            process_file(source, BatchOptions(), folder)
        with recorder.record() as walk:
            process_file(source, BatchOptions(), folder)
    return walk


async def walk_serve(recorder: Recorder) -> Walk:
    """Send a page to the service."""
    async with run_service() as client:
        for _ in range(WARM_UPS):
            await send(client, "/v1/extract", content=PAGE.read_bytes())
        with recorder.record() as walk:
            await send(client, "/v1/extract", content=PAGE.read_bytes())
    return walk


async def walk_correct(recorder: Recorder) -> Walk:
    """Give a block of a page of a project another role."""
    api = "/desk/api/project"
    with tempfile.TemporaryDirectory() as folder, ProjectDesk(Path(folder, "walk")) as desk:
        async with run_service(add_routes=partial(add_desk, project=desk)) as client:
            for number in range(PAGES):
                html = f"{PAGE.read_text('utf-8')}<!-- {number} -->"  # a page is added once
                answer = await send(client, f"{api}/pages", json={"html": html})
            page = f"{api}/pages/{answer['page']['hash']}"
            first, second = [block["path"] for block in (await send(client, page, "GET"))["blocks"]][:2]
            await send(client, f"{page}/roles", json={"roles": {first: "boilerplate"}})
            with recorder.record() as walk:
                await send(client, f"{page}/roles", json={"roles": {second: "boilerplate"}})
    return walk


async def send(client: httpx.AsyncClient, path: str, method: str = "POST", **content: Any) -> Any:
    """Send a request; return the JSON of its answer."""
    response = await client.request(method, path, **content)
    return response.raise_for_status().json()


@asynccontextmanager
async def run_service(add_routes: Callable[[FastAPI], None] = lambda _: None) -> Any:
    """Run a service without a network and without worker processes."""
    service = Service(ServerSettings(workers=1))
    app = make_app(service)
    add_routes(app)
    with patch.object(WorkerProcess, "ask", ask_in_this_process):
        await service.start()
        try:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
                yield client
        finally:
            await service.close()


def ask_in_this_process(worker: WorkerProcess, request: object, _: float) -> Iterator[Any]:
    """Answer a request as the program of a worker process does."""
    handler = worker._handler  # the setup of the process
    return open_handler(handler.module, handler.factory, handler.arguments)(request)


@cache
def open_handler(module: str, factory: str, arguments: tuple[object, ...]) -> Callable[[object], Iterator[Any]]:
    """Make the handler of a worker process, once."""
    handler: Callable[[object], Iterator[Any]] = getattr(import_module(module), factory)(*arguments)
    return handler


WALKS: dict[str, Callable[[Recorder], Walk | Awaitable[Walk]]] = {
    "extract": walk_extract,
    "its record": partial(walk_extract, read=broadsheet.Article.to_dict),
    "batch, one page": walk_batch,
    "serve, one request": walk_serve,
    "a click in Correct": walk_correct,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--doors", type=int, default=0, help="how many doors are listed for each walk")
    options = parser.parse_args()
    recorder = Recorder()
    print(f"{'':20}{'files':>8}{'functions':>12}{'changes of package':>22}")
    for name, take_walk in WALKS.items():
        walk = take_walk(recorder)
        walk = walk if isinstance(walk, Walk) else asyncio.run(_wait(walk))
        print(f"{name:20}{walk}")
        for (caller, function), count in walk.doors.most_common(options.doors):
            print(f"{count:10}  {caller} -> {function}")


async def _wait(walk: Awaitable[Walk]) -> Walk:
    return await walk


if __name__ == "__main__":
    main()
