"""`broadsheet mcp`: tools for language models, through the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from broadsheet.cli.fetch_options import AllowPrivate, UseProxy, make_guard
from broadsheet.cli.limit_options import MaxSeconds, make_limits

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet mcp    the command that an MCP client (an editor, a chat program) starts
"""


def mcp_command(
    method: Annotated[
        str | None, typer.Option("--method", help="Default method; see broadsheet methods.", show_default=False)
    ] = None,
    allow_private: AllowPrivate = False,
    use_proxy: UseProxy = False,
    max_seconds: MaxSeconds = None,
) -> None:
    """Serve the tools extract, discover and compare to a language model, on stdin and stdout (extra mcp)."""
    from broadsheet.extras import import_extra
    from broadsheet.options import ExtractOptions

    import_extra("mcp", "mcp")

    from broadsheet.integrations.mcp.server import run_server
    from broadsheet.integrations.mcp.tools import ToolSettings

    options = ExtractOptions(limits=make_limits(max_seconds=max_seconds))
    if method is not None:
        options = ExtractOptions(method=method, limits=options.limits)
    options.load_method()  # raises UnknownMethod before the client connects
    run_server(ToolSettings(options, make_guard(allow_private=allow_private, use_proxy=use_proxy)))
