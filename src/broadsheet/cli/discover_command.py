"""`broadsheet discover`: the addresses of a site's articles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from broadsheet.cli.fetch_options import AllowPrivate, UseProxy, make_guard

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet discover https://news.example                    JSON Lines
  broadsheet discover https://news.example --since 2024-03-16
  broadsheet discover https://news.example -o addresses.txt   one per line
  broadsheet extract addresses.txt -o articles.jsonl          extract them
"""


def discover_command(
    url: Annotated[str, typer.Argument(metavar="URL", help="Home page of a site, or one of its section pages.")],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File; its ending chooses the format: .jsonl, .csv, .txt.",
            show_default=False,
        ),
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", metavar="NAME", help="jsonl (default), csv, or txt (addresses only).", show_default=False
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="YYYY-MM-DD", help="Only articles from this day on.", show_default=False),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Maximum number of articles.", show_default=False)
    ] = None,
    max_files: Annotated[
        int, typer.Option("--max-files", min=1, help="Maximum number of feeds, sitemaps and pages to fetch.")
    ] = 500,
    delay: Annotated[
        float,
        typer.Option("--delay", min=0.0, help="Seconds between two requests to a host; robots.txt may ask for more."),
    ] = 0.5,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Time limit of one response, in seconds.")
    ] = 30.0,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            metavar="FOLDER",
            help="Folder for responses; unchanged files are not downloaded again.",
            show_default=False,
        ),
    ] = None,
    warc: Annotated[
        Path | None,
        typer.Option(
            "--warc", metavar="FILE", help="Write all responses to a web archive (extra archive).", show_default=False
        ),
    ] = None,
    allow_private: AllowPrivate = False,
    use_proxy: UseProxy = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="List the addresses that could not be read.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary: errors only.")] = False,
) -> None:
    """Find the articles of a site in its feeds, sitemaps, home and section pages (extra discover)."""
    from broadsheet.cli.discovering import DiscoverRequest, run_discovery
    from broadsheet.cli.read_date import read_date
    from broadsheet.discovery import DiscoverOptions
    from broadsheet.web.settings import DEFAULT_FETCH_LIMITS, PoliteSettings

    fetch = PoliteSettings(
        guard=make_guard(allow_private=allow_private, use_proxy=use_proxy),
        limits=replace(DEFAULT_FETCH_LIMITS, max_seconds=timeout),
        delay=delay,
        cache=cache,
        warc=warc,
    )
    options = DiscoverOptions(since=read_date("--since", since), limit=limit, max_files=max_files, fetch=fetch)
    request = DiscoverRequest(url, options, output, format_name, is_verbose=verbose, is_quiet=quiet)
    if code := run_discovery(request):
        raise typer.Exit(code)
