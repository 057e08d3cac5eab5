"""`broadsheet desk`: the web application on this machine, opened in the browser."""

from __future__ import annotations

import threading
import webbrowser
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from broadsheet.cli.parameters import with_options
from broadsheet.cli.serve_command import SERVER_PACKAGES
from broadsheet.extras import import_extra
from broadsheet.option_field import group, option
from broadsheet.server.settings import ServerSettings

_MAX_FILE_BYTES = 64_000_000  # archives that are dropped; a service for others has a lower limit
EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet desk                          opens http://127.0.0.1:8000 in the browser
  broadsheet desk --weights my-weights     also compare your own weights
  broadsheet desk --project my-project     correct pages, retrain, watch sites
  broadsheet desk --no-open --port 8080    only print the address
"""
_SETTINGS = ("port", "method", "weights", "sites", "allow_private", "use_proxy", "max_seconds")


@dataclass(frozen=True, slots=True)
class DeskArguments:
    """The arguments of the command."""

    opens_browser: bool = option(True, "Open the browser.", "--open/--no-open")
    project: Path | None = option(
        None, "Folder of the desk's project; it is created if it does not exist.", metavar="DIR"
    )
    settings: ServerSettings = group(ServerSettings, *_SETTINGS)


@with_options
def desk_command(arguments: DeskArguments) -> None:
    r"""Open the desk in the browser: see, compare and correct extractions.

    It needs the extra: pip install 'broadsheet\[server]'.
    """
    for package in SERVER_PACKAGES:
        import_extra(package, "server")

    from broadsheet.desk.app import add_desk
    from broadsheet.desk.projects import ProjectOpener, open_project
    from broadsheet.server.run import run_server

    def announce(address: str) -> None:
        print(f"The desk is at {address}/ (Ctrl-C stops it)", flush=True)
        if arguments.opens_browser:  # in a thread, because some browsers return only when they are closed
            threading.Thread(target=webbrowser.open, args=(f"{address}/",), daemon=True).start()

    options = arguments.settings.options
    with open_project(arguments.project, options) as project_desk, ProjectOpener(options) as opener:
        settings = replace(
            arguments.settings,
            max_body_bytes=_MAX_FILE_BYTES,
            options=project_desk.project.options if project_desk else options,
        )
        add_routes = partial(add_desk, project=project_desk, opener=None if project_desk else opener)
        run_server(settings, log_level="warning", add_routes=add_routes, on_ready=announce)
