"""`broadsheet extract`: pages in, articles out."""

from __future__ import annotations

from typing import Annotated

import typer

from broadsheet.output import FORMATS

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet extract page.html                        title and text
  broadsheet extract https://example.org/story -f md  fetch it; Markdown
  broadsheet extract page.html -f json | jq .authors  all fields
  curl -s URL | broadsheet extract --url URL          from a pipe
  broadsheet extract pages/ -o articles.jsonl         a folder, on all cores
  broadsheet extract 'crawl/**/*.gz' -f tei -o tei/   a file for each page
  broadsheet extract page.html --explain              the role of every block
  broadsheet extract page.html --site site.json       with what its site taught
  broadsheet extract crawl/ --by-site -o news.jsonl   learn each site first

[bold]Exit codes[/bold]

  0  done; a page's status may still say that there is no article
  1  a page could not be read, fetched or extracted; the others were
  2  the command line is wrong
"""


def extract_command(
    pages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAGE",
            help="Files, folders (all *.html, *.htm, *.xhtml in them, also with .gz), patterns, http(s) addresses, "
            "or - for stdin, which is also read when piped.",
            show_default=False,
        ),
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(FORMATS),
            help="Output format. Default: by the ending of the output file; otherwise text for one page, jsonl for "
            f"several. {'; '.join(f'{row.name}: {row.description}' for row in FORMATS.values())}.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", "-m", help="Method to use; see broadsheet methods.", show_default=False),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR/",
            help="A file, written whole or not at all, in the format that its ending tells; or a folder, for a file "
            "for each page.",
            show_default=False,
        ),
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", help="Address (http or https) of the page, if it is one.", show_default=False)
    ] = None,
    home: Annotated[
        str | None,
        typer.Option(
            "--home",
            metavar="FILE|URL",
            help="Home or section page of the site: its links name the articles that they lead to.",
            show_default=False,
        ),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(
            "--site", metavar="FILE", help="What broadsheet site learn saved of the pages' site.", show_default=False
        ),
    ] = None,
    by_site: Annotated[
        bool, typer.Option("--by-site", help="First learn the sites of all pages, by host, then extract.")
    ] = False,
    sheets: Annotated[
        bool, typer.Option("--sheets", help="Fetch the style sheets that pages link to, for methods that use looks.")
    ] = False,
    render: Annotated[
        bool, typer.Option("--render", help="Show each page in Chromium, for methods that use looks. Slow.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", "-j", min=1, help="Processes for several pages; all cores.", show_default=False),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show every block with its role and score, and each field's source.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, notes or summary: errors only.")] = False,
) -> None:
    """Turn pages into articles.

    One page is printed as text. Several give one JSON record a line; one that fails is reported, and the rest goes on.
    """
    from broadsheet.cli.extraction import make_plan, run_plan
    from broadsheet.errors import UsageError

    if explain and format_name:
        raise UsageError("--explain is an output of its own; leave --format out")
    plan = make_plan(
        pages or (),
        format_name="explain" if explain else format_name,
        method=method,
        output=output,
        url=url,
        home=home,
        site=site,
        is_by_site=by_site,
        with_sheets=sheets,
        is_rendered=render,
        workers=workers,
        is_quiet=quiet,
    )
    if not run_plan(plan):
        raise typer.Exit(1)
