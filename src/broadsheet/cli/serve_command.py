"""`broadsheet serve`: the HTTP service."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from broadsheet.cli.parameters import with_options
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.option_field import option
from broadsheet.server.settings import ServerSettings

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet serve                                    http://127.0.0.1:8000
  curl --data-binary @page.html http://127.0.0.1:8000/v1/extract
  BROADSHEET_TOKEN=secret broadsheet serve --host 0.0.0.0
  broadsheet serve --max-rate 5 --max-waiting 32      for a public address

Options can also be set by the environment variables that are listed with them.
"""
SERVER_PACKAGES = ("fastapi", "uvicorn", "prometheus_client", "protego")  # of the extra `server`
_LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, slots=True)
class ServeArguments:
    """The arguments of the command, beside the settings of the service."""

    has_desk: bool = option(True, "Serve the web application at /.", "--desk/--no-desk")
    project: Path | None = option(None, "Folder of the desk's project; it is created if it does not exist.")
    log_level: str = option("info", "debug, info, warning or error.")


@partial(with_options, environment=True)
def serve_command(settings: ServerSettings, arguments: ServeArguments) -> None:
    r"""Serve extraction over HTTP, for programs (needs the extra: pip install 'broadsheet\[server]')."""
    for package in SERVER_PACKAGES:
        import_extra(package, "server")
    if arguments.log_level.lower() not in _LOG_LEVELS:
        raise UsageError(f"unknown log level {arguments.log_level!r}; known: {', '.join(_LOG_LEVELS)}")

    from broadsheet.server.run import run_server

    limits = replace(settings.options.limits, max_bytes=settings.max_body_bytes)
    options = replace(settings.options, limits=limits)
    if not arguments.has_desk and arguments.project is None:
        run_server(replace(settings, options=options), log_level=arguments.log_level)
        return

    from broadsheet.desk.app import add_desk  # a service without a desk imports nothing of it
    from broadsheet.desk.projects import open_project

    with open_project(arguments.project, options) as project_desk:
        settings = replace(settings, options=project_desk.project.options if project_desk else options)
        add_routes = partial(add_desk, project=project_desk) if arguments.has_desk else None
        run_server(settings, log_level=arguments.log_level, add_routes=add_routes)
