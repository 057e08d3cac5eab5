"""`broadsheet extract`: pages in, articles out."""

from __future__ import annotations

from typing import Annotated

import typer

from broadsheet.cli.fetch_options import AllowPrivate, UseProxy, make_guard
from broadsheet.cli.limit_options import (
    MaxBlocks,
    MaxBytes,
    MaxChars,
    MaxDepth,
    MaxMemory,
    MaxNodes,
    MaxSeconds,
    make_limits,
)
from broadsheet.cli.weights_option import WeightsFolders, choose_method
from broadsheet.output import FORMATS

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet extract page.html                        title and text
  broadsheet extract https://example.org/story -f md  fetch it; Markdown
  broadsheet extract page.html -f json | jq .authors  all fields
  curl -s URL | broadsheet extract --url URL          from a pipe
  broadsheet extract pages/ -o articles.jsonl         a folder, on all cores
  broadsheet extract 'crawl/**/*.gz' -f tei -o tei/   one file per page
  broadsheet extract page.html --explain              the role of every block
  broadsheet extract page.html --site site.json       use a learned site template
  broadsheet extract page.html --weights my-weights/  use weights of your own
  broadsheet extract crawl/ --by-site -o news.jsonl   learn each site first

[bold]Exit codes[/bold]

  0  done; see each article's status for pages without an article
  1  a page could not be read, fetched or extracted; the others were
  2  the command line is wrong
"""


def extract_command(
    pages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAGE",
            help="Files, folders (*.html, *.htm, *.xhtml, also with .gz), patterns, http(s) addresses, or - for stdin. "
            "A pipe is read without -.",
            show_default=False,
        ),
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(FORMATS),
            help="Output format. Default: by the ending of the output file; else text for one page, jsonl for several. "
            f"{'; '.join(f'{row.name}: {row.description}' for row in FORMATS.values())}.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", "-m", help="Method to use; see broadsheet methods.", show_default=False),
    ] = None,
    weights: WeightsFolders = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR/",
            help="A file, which is written completely or not at all; or a folder, for one file per page.",
            show_default=False,
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option("--url", help="Address (http or https) of the page, if there is one page.", show_default=False),
    ] = None,
    home: Annotated[
        str | None,
        typer.Option(
            "--home",
            metavar="FILE|URL",
            help="Home or section page of the site: its link texts are titles of the pages that they lead to.",
            show_default=False,
        ),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(
            "--site", metavar="FILE", help="Site template, saved by broadsheet site learn.", show_default=False
        ),
    ] = None,
    by_site: Annotated[
        bool, typer.Option("--by-site", help="Learn the template of each host from the pages first, then extract.")
    ] = False,
    sheets: Annotated[
        bool, typer.Option("--sheets", help="Fetch linked style sheets, for methods that use styles (visual, gcn).")
    ] = False,
    render: Annotated[
        bool, typer.Option("--render", help="Render each page in Chromium, for methods that use styles. Slow.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", "-j", min=1, help="Processes for several pages. Default: one per core.", show_default=False
        ),
    ] = None,
    max_seconds: MaxSeconds = None,
    max_bytes: MaxBytes = None,
    max_nodes: MaxNodes = None,
    max_depth: MaxDepth = None,
    max_blocks: MaxBlocks = None,
    max_chars: MaxChars = None,
    max_memory: MaxMemory = None,
    allow_private: AllowPrivate = False,
    use_proxy: UseProxy = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Show every block with its role and score, and each field's source; with -o FILE.html, as a page.",
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, notes or summary: errors only.")] = False,
) -> None:
    """Extract the articles of pages.

    One page is printed as text. Several give one JSON record per line; a page that fails is reported and the others
    continue.
    """
    from broadsheet.cli.extraction import Request, make_plan, run_plan
    from broadsheet.cli.layout import name_explain_layout
    from broadsheet.errors import UsageError
    from broadsheet.options import ExtractOptions

    if explain and format_name:
        raise UsageError("--explain is an output format; leave --format out")
    limits = make_limits(
        max_seconds=max_seconds,
        max_bytes=max_bytes,
        max_nodes=max_nodes,
        max_depth=max_depth,
        max_blocks=max_blocks,
        max_chars=max_chars,
        max_memory=max_memory,
    )
    request = Request(
        pages=tuple(pages or ()),
        format_name=name_explain_layout(output) if explain else format_name,
        output=output,
        url=url,
        home=home,
        site=site,
        is_by_site=by_site,
        with_sheets=sheets,
        guard=make_guard(allow_private=allow_private, use_proxy=use_proxy),
        workers=workers,
        is_quiet=quiet,
        options=ExtractOptions(
            method=choose_method(method, weights), render=render, limits=limits, weights=tuple(weights or ())
        ),
    )
    if not run_plan(make_plan(request)):
        raise typer.Exit(1)
