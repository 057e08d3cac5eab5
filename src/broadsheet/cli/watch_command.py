"""`broadsheet watch`: poll sites for new and changed articles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet watch sites.toml                    every 15 minutes
  broadsheet watch sites.toml --once             once; exit code 3: an alarm
  broadsheet watch sites.toml --relearn courier  after a new layout

[bold]A configuration[/bold]

  output = "events.jsonl"
  webhook = "https://alerts.example/hook"

  \\[sites.courier]
  url = "https://courier.example/"
  silence = "12h"
"""


def watch_command(
    config: Annotated[Path, typer.Argument(metavar="FILE", help="Configuration: sites.toml.")],
    once: Annotated[bool, typer.Option("--once", help="Poll once and exit.")] = False,
    every: Annotated[
        str | None,
        typer.Option("--every", metavar="TIME", help='Time between two polls, such as "15m".', show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Append events to this file, not to the configured one.",
            show_default=False,
        ),
    ] = None,
    relearn: Annotated[
        list[str] | None,
        typer.Option("--relearn", metavar="NAME", help="Learn the template of a site again.", show_default=False),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="List the pages that could not be read.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summaries: errors only.")] = False,
) -> None:
    """Report new, changed and vanished articles of sites as JSON Lines, and raise alarms (extra discover)."""
    from broadsheet.cli.watching import WatchRequest, watch_sites

    request = WatchRequest(config, once, every, output, tuple(relearn or ()), verbose, quiet)
    if code := watch_sites(request):
        raise typer.Exit(code)
