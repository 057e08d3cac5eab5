"""A running desk with a project of generated pages."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.project.site_pages import URL, is_appeal, make_page
from tests.server.running import Running, run_service

from broadsheet.desk.app import add_desk
from broadsheet.desk.projects import ProjectDesk, ProjectOpener
from broadsheet.options import ExtractOptions

API = "/desk/api/project"


@dataclass(frozen=True, slots=True)
class RunningProject:
    """A desk that is running, and its project."""

    running: Running
    desk: ProjectDesk

    def get(self, path: str = "") -> Any:
        """Return the JSON of an address."""
        response = self.running.http.get(API + path)
        assert response.status_code == 200, response.text
        return response.json()

    def post(self, path: str, **values: Any) -> Any:
        """Send JSON; return the JSON of the answer."""
        response = self.running.http.post(API + path, json=values)
        assert response.status_code == 200, response.text
        return response.json()

    def add_page(self, number: int) -> str:
        """Add a generated page; return its hash."""
        answer = self.post("/pages", html=make_page(number), url=URL.format(number=number), name=f"{number:02}.html")
        return str(answer["page"]["hash"])

    def correct(self, page: str) -> Any:
        """Correct the appeal, and accept the page."""
        path = next(block["path"] for block in self.get(f"/pages/{page}")["blocks"] if is_appeal(block["text"]))
        self.post(f"/pages/{page}/roles", roles={path: "boilerplate"})
        return self.post(f"/pages/{page}/accept")


@contextlib.contextmanager
def run_project(folder: Path, **changes: Any) -> Iterator[RunningProject]:
    """Start a desk with a project, and stop it at the end."""
    with ProjectDesk(folder) as desk, run_service(add_routes=partial(add_desk, project=desk), **changes) as running:
        yield RunningProject(running, desk)


@contextlib.contextmanager
def run_without_project() -> Iterator[Running]:
    """Start a desk that can open a project, as `broadsheet desk` does."""
    with ProjectOpener(ExtractOptions()) as opener, run_service(add_routes=partial(add_desk, opener=opener)) as running:
        yield running
