"""Add the desk to the application of the service."""

from __future__ import annotations

from fastapi import FastAPI

from broadsheet.desk import clip, correct, inspection, static_files, train
from broadsheet.desk.projects import ProjectDesk, ProjectOpener
from broadsheet.desk.state import Desk


def add_desk(app: FastAPI, project: ProjectDesk | None = None, opener: ProjectOpener | None = None) -> None:
    """Add the routes of the desk: the front end at `/`, its interface below `/desk/api/`.

    With an opener, a project can be opened from the browser. It may be any folder, so a public service has no opener.
    """
    app.state.desk = Desk(app.state.service)
    app.state.project_desk, app.state.project_opener = project, opener
    for module in (static_files, inspection, clip, correct, train):
        app.include_router(module.router)
