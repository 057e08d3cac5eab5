"""`broadsheet serve`: the HTTP service."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from broadsheet.cli.fetch_options import AllowPrivate, UseProxy, make_guard
from broadsheet.cli.limit_options import MaxMemory, MaxSeconds, make_limits
from broadsheet.cli.weights_option import WeightsFolders, choose_method

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet serve                                    http://127.0.0.1:8000
  curl --data-binary @page.html http://127.0.0.1:8000/v1/extract
  BROADSHEET_TOKEN=secret broadsheet serve --host 0.0.0.0
  broadsheet serve --max-rate 5 --max-waiting 32      for a public address

Options can also be set by the environment variables that are listed with them.
"""


SERVER_PACKAGES = ("fastapi", "uvicorn", "prometheus_client", "protego")  # of the extra `server`


def _option(name: str, text: str, **more: Any) -> Any:
    variable = "BROADSHEET_" + name.partition("/")[0].removeprefix("--").upper().replace("-", "_")
    return typer.Option(name, help=text, envvar=variable, **more)


def serve_command(
    host: Annotated[str, _option("--host", "Address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, _option("--port", "Port to listen on; 0 for a free one.", min=0, max=65535)] = 8000,
    workers: Annotated[
        int | None,
        _option("--workers", "Number of worker processes. Default: one per core.", min=1, show_default=False),
    ] = None,
    max_waiting: Annotated[int, _option("--max-waiting", "Requests that may wait; further ones get 503.", min=0)] = 64,
    max_body_bytes: Annotated[int, _option("--max-body-bytes", "Maximum size of a request body.", min=1)] = 8_000_000,
    body_seconds: Annotated[float, _option("--body-seconds", "Time limit for a request body to arrive.")] = 20.0,
    answer_seconds: Annotated[
        float, _option("--answer-seconds", "Time limit for an answer, including waiting.")
    ] = 60.0,
    shutdown_seconds: Annotated[
        float, _option("--shutdown-seconds", "Time limit for requests in progress when the service is stopped.")
    ] = 30.0,
    token: Annotated[
        str | None,
        _option(
            "--token",
            "Token that clients must send. Prefer the environment variable: arguments are visible to other users.",
            show_default=False,
        ),
    ] = None,
    max_rate: Annotated[
        float | None, _option("--max-rate", "Requests per second for each client address.", show_default=False)
    ] = None,
    cors_origin: Annotated[
        list[str] | None,
        _option("--cors-origin", "Web origin whose pages may use the service. Can be repeated.", show_default=False),
    ] = None,
    accept_host: Annotated[
        list[str] | None,
        _option(
            "--accept-host",
            "Accepted name in the Host header. Can be repeated. Default: names of this machine if it listens on "
            "127.0.0.1 without a token, else all.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str | None, _option("--method", "Default method; see broadsheet methods.", show_default=False)
    ] = None,
    weights: WeightsFolders = None,
    sites: Annotated[
        Path | None, _option("--sites", "Folder of sites, saved by broadsheet site learn.", show_default=False)
    ] = None,
    render: Annotated[bool, _option("--render", "Allow requests to render pages in Chromium.")] = False,
    desk: Annotated[bool, _option("--desk/--no-desk", "Serve the web application at /.")] = True,
    project: Annotated[
        Path | None,
        _option("--project", "Folder of the desk's project; it is created if it does not exist.", show_default=False),
    ] = None,
    fetchers: Annotated[int, _option("--fetchers", "Number of parallel downloads; 0 turns off fetching.", min=0)] = 8,
    ignore_robots: Annotated[bool, _option("--ignore-robots", "Fetch pages even if robots.txt disallows it.")] = False,
    allow_private: AllowPrivate = False,
    use_proxy: UseProxy = False,
    max_seconds: MaxSeconds = None,
    max_memory: MaxMemory = None,
    log_level: Annotated[str, _option("--log-level", "debug, info, warning or error.")] = "info",
) -> None:
    r"""Serve extraction over HTTP, for programs (needs the extra: pip install 'broadsheet\[server]')."""
    from broadsheet.cores import count_cores
    from broadsheet.errors import UsageError
    from broadsheet.extras import import_extra
    from broadsheet.options import ExtractOptions

    for package in SERVER_PACKAGES:
        import_extra(package, "server")
    if log_level.lower() not in ("debug", "info", "warning", "error"):
        raise UsageError(f"unknown log level {log_level!r}; known: debug, info, warning, error")

    from broadsheet.desk.app import add_desk
    from broadsheet.desk.project_desk import open_project
    from broadsheet.server.run import run_server
    from broadsheet.server.settings import ServerSettings

    limits = make_limits(max_seconds=max_seconds, max_bytes=max_body_bytes, max_memory=max_memory)
    options = ExtractOptions(method=choose_method(method, weights), limits=limits, weights=tuple(weights or ()))
    with open_project(project, options) as project_desk:
        settings = ServerSettings(
            host=host,
            port=port,
            workers=workers or count_cores(),
            max_waiting=max_waiting,
            max_body_bytes=max_body_bytes,
            body_seconds=body_seconds,
            answer_seconds=answer_seconds,
            shutdown_seconds=shutdown_seconds,
            token=token,
            max_rate=max_rate,
            cors_origins=tuple(cors_origin or ()),
            hosts=tuple(accept_host or ()),
            guard=make_guard(allow_private=allow_private, use_proxy=use_proxy),
            fetchers=fetchers,
            respects_robots=not ignore_robots,
            allows_render=render,
            sites=sites,
            options=project_desk.project.options if project_desk else options,
        )
        add_routes = partial(add_desk, project=project_desk) if desk else None
        run_server(settings, log_level=log_level, add_routes=add_routes)
