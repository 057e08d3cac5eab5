"""`broadsheet serve | desk | mcp`: extraction for programs, for the browser, and for language models."""

from __future__ import annotations

import secrets
import threading
import webbrowser
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from broadsheet.cli.parameters import with_options
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.option_field import group, option
from broadsheet.options import DEFAULT_OPTIONS, ExtractOptions, make_options
from broadsheet.server.settings import LOOPBACK_HOSTS, ServerSettings
from broadsheet.web import DEFAULT_GUARD, AddressGuard

SERVE_EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet serve                                    http://127.0.0.1:8000
  curl --data-binary @page.html http://127.0.0.1:8000/v1/extract
  BROADSHEET_TOKEN=secret broadsheet serve --host 0.0.0.0
  broadsheet serve --max-rate 5 --max-waiting 32      for a public address
  broadsheet serve --desk                             with the web application

Options can also be set by the environment variables that are listed with them.
"""
DESK_EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet desk                          opens http://127.0.0.1:8000 in the browser
  broadsheet desk --weights my-weights     also compare your own weights
  broadsheet desk --project my-project     correct pages, retrain, watch sites
  broadsheet desk --no-open --port 8080    only print the address
"""
MCP_EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet mcp    the command that an MCP client (an editor, a chat program) starts
"""
_SERVER_PACKAGES = ("fastapi", "uvicorn", "prometheus_client")  # of the extra `server`
_LOG_LEVELS = ("debug", "info", "warning", "error")
_MAX_FILE_BYTES = 64_000_000  # archives that are dropped on the desk; a service for others has a lower limit
_DESK_SETTINGS = ("port", "fetch_ports", "method", "weights", "sites", "allow_private", "use_proxy", "max_seconds")


@dataclass(frozen=True, slots=True)
class ServeArguments:
    """The arguments of the command, beside the settings of the service."""

    has_desk: bool = option(False, "Serve the desk, a web application, at /.", "--desk/--no-desk")
    project: Path | None = option(None, "Folder of the desk's project; it is created if it does not exist.")
    log_level: str = option("info", "debug, info, warning or error.")


@partial(with_options, environment=True)
def serve_command(settings: ServerSettings, arguments: ServeArguments) -> None:
    r"""Serve extraction over HTTP, for programs (needs the extra: pip install 'broadsheet\[server]')."""
    for package in _SERVER_PACKAGES:
        import_extra(package, "server")
    if arguments.log_level.lower() not in _LOG_LEVELS:
        raise UsageError(f"unknown log level {arguments.log_level!r}; known: {', '.join(_LOG_LEVELS)}")

    from broadsheet.server.run import run_server

    limits = replace(settings.options.limits, max_bytes=settings.max_body_bytes)
    options = replace(settings.options, limits=limits)
    if not arguments.has_desk:
        if arguments.project is not None:
            raise UsageError("--project is for the desk; add --desk")
        run_server(replace(settings, options=options), log_level=arguments.log_level)
        return

    from broadsheet.desk.app import add_desk  # a service without a desk imports nothing of it
    from broadsheet.desk.projects import open_project

    with open_project(arguments.project, options) as project_desk:
        settings = replace(
            settings,
            options=project_desk.project.options if project_desk else options,
            desk_secret=make_secret() if settings.token is None else None,
        )
        secret = settings.desk_secret
        run_server(
            settings,
            log_level=arguments.log_level,
            add_routes=partial(add_desk, project=project_desk),
            on_ready=lambda address: print_desk(secret, address),
        )


@dataclass(frozen=True, slots=True)
class DeskArguments:
    """The arguments of the command."""

    opens_browser: bool = option(True, "Open the browser.", "--open/--no-open")
    project: Path | None = option(
        None, "Folder of the desk's project; it is created if it does not exist.", metavar="DIR"
    )
    settings: ServerSettings = group(ServerSettings, *_DESK_SETTINGS)


@with_options
def desk_command(arguments: DeskArguments) -> None:
    r"""Open the desk in the browser: see, compare and correct extractions.

    It needs the extra: pip install 'broadsheet\[server]'.
    """
    for package in _SERVER_PACKAGES:
        import_extra(package, "server")

    from broadsheet.desk.app import add_desk
    from broadsheet.desk.projects import ProjectOpener, open_project
    from broadsheet.server.run import run_server

    secret = make_secret()

    def announce(address: str) -> None:
        print_desk(secret, address)
        if arguments.opens_browser:  # in a thread, because some browsers return only when they are closed
            threading.Thread(target=webbrowser.open, args=(make_desk_address(secret, address),), daemon=True).start()

    options = arguments.settings.options
    with open_project(arguments.project, options) as project_desk, ProjectOpener(options) as opener:
        settings = replace(
            arguments.settings,
            max_body_bytes=_MAX_FILE_BYTES,
            token=secret,
            desk_secret=secret,
            hosts=LOOPBACK_HOSTS,
            options=project_desk.project.options if project_desk else options,
        )
        add_routes = partial(add_desk, project=project_desk, opener=None if project_desk else opener)
        run_server(settings, log_level="warning", add_routes=add_routes, on_ready=announce)


def make_secret() -> str:
    """Return the secret of a start: other users of this machine, and web pages, do not know the address of the desk."""
    return secrets.token_urlsafe(24)


def make_desk_address(secret: str | None, address: str) -> str:
    """Return the address of the desk, with its secret."""
    return f"{address}/?token={secret}" if secret else f"{address}/"


def print_desk(secret: str | None, address: str) -> None:
    """Print the address of the desk."""
    print(f"The desk is at {make_desk_address(secret, address)} (Ctrl-C stops it)", flush=True)


@dataclass(frozen=True, slots=True)
class ToolArguments:
    """The arguments of the command."""

    options: ExtractOptions = group(DEFAULT_OPTIONS, "method", "max_seconds", make=make_options)
    guard: AddressGuard = group(DEFAULT_GUARD)


@with_options
def mcp_command(arguments: ToolArguments) -> None:
    """Serve the tools extract, discover and compare to a language model, on stdin and stdout (extra mcp)."""
    import_extra("mcp", "mcp")

    from broadsheet.integrations.mcp.server import run_server
    from broadsheet.integrations.mcp.tools import ToolSettings

    arguments.options.load_method()  # raises UnknownMethod before the client connects
    run_server(ToolSettings(arguments.options, arguments.guard))
