"""`broadsheet mcp`: tools for language models, through the Model Context Protocol."""

from __future__ import annotations

from dataclasses import dataclass

from broadsheet.cli.parameters import with_options
from broadsheet.extras import import_extra
from broadsheet.option_field import group
from broadsheet.options import DEFAULT_OPTIONS, ExtractOptions, make_options
from broadsheet.web import DEFAULT_GUARD, AddressGuard

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet mcp    the command that an MCP client (an editor, a chat program) starts
"""


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
