"""Add the desk to the application of the service."""

from __future__ import annotations

from fastapi import FastAPI

from broadsheet.desk import clip, pages, static_files
from broadsheet.desk.project_desk import ProjectDesk
from broadsheet.desk.project_opener import ProjectOpener
from broadsheet.desk.project_routes import add_project
from broadsheet.desk.state import Desk


def add_desk(app: FastAPI, project: ProjectDesk | None = None, opener: ProjectOpener | None = None) -> None:
    """Add the routes of the desk: the front end at `/`, its interface below `/desk/api/`.

    With an opener, a project can be opened from the browser. It may be any folder, so a public service has no opener.
    """
    app.state.desk = Desk(app.state.service)
    app.include_router(static_files.router)
    app.include_router(pages.router)
    app.include_router(clip.router)
    add_project(app, project, opener)
