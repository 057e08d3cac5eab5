"""`broadsheet desk`: the web application on this machine, opened in the browser."""

from __future__ import annotations

import threading
import webbrowser
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from broadsheet.cli.fetch_options import AllowPrivate, UseProxy, make_guard
from broadsheet.cli.limit_options import MaxSeconds, make_limits
from broadsheet.cli.serve_command import SERVER_PACKAGES
from broadsheet.cli.weights_option import WeightsFolders, choose_method

_MAX_FILE_BYTES = 64_000_000  # archives that are dropped; a service for others has a lower limit
EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet desk                          opens http://127.0.0.1:8000 in the browser
  broadsheet desk --weights my-weights     also compare your own weights
  broadsheet desk --project my-project     correct pages, retrain, watch sites
  broadsheet desk --no-open --port 8080    only print the address
"""


def desk_command(
    port: Annotated[int, typer.Option("--port", help="Port to listen on; 0 for a free one.", min=0, max=65535)] = 8000,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    method: Annotated[
        str | None, typer.Option("--method", help="Default method; see broadsheet methods.", show_default=False)
    ] = None,
    weights: WeightsFolders = None,
    sites: Annotated[
        Path | None,
        typer.Option("--sites", help="Folder of sites, saved by broadsheet site learn.", show_default=False),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            "--project",
            metavar="DIR",
            help="Folder of the desk's project; it is created if it does not exist.",
            show_default=False,
        ),
    ] = None,
    allow_private: AllowPrivate = False,
    use_proxy: UseProxy = False,
    max_seconds: MaxSeconds = None,
) -> None:
    r"""Open the desk in the browser: see, compare and correct extractions.

    It needs the extra: pip install 'broadsheet\[server]'.
    """
    from broadsheet.extras import import_extra
    from broadsheet.options import ExtractOptions

    for package in SERVER_PACKAGES:
        import_extra(package, "server")

    from broadsheet.desk.app import add_desk
    from broadsheet.desk.project_desk import open_project
    from broadsheet.desk.project_opener import ProjectOpener
    from broadsheet.server.run import run_server
    from broadsheet.server.settings import ServerSettings

    def announce(address: str) -> None:
        print(f"The desk is at {address}/ (Ctrl-C stops it)", flush=True)
        if open_browser:  # in a thread, because some browsers return only when they are closed
            threading.Thread(target=webbrowser.open, args=(f"{address}/",), daemon=True).start()

    options = ExtractOptions(
        method=choose_method(method, weights),
        limits=make_limits(max_seconds=max_seconds),
        weights=tuple(weights or ()),
    )
    with open_project(project, options) as project_desk, ProjectOpener(options) as opener:
        settings = ServerSettings(
            port=port,
            max_body_bytes=_MAX_FILE_BYTES,
            guard=make_guard(allow_private=allow_private, use_proxy=use_proxy),
            sites=sites,
            options=project_desk.project.options if project_desk else options,
        )
        add_routes = partial(add_desk, project=project_desk, opener=None if project_desk else opener)
        run_server(settings, log_level="warning", add_routes=add_routes, on_ready=announce)
