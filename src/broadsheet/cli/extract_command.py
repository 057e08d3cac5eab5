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
from broadsheet.cli.page_options import (
    BySite,
    HtmlColumn,
    MethodName,
    NoImages,
    Quiet,
    Render,
    UrlColumn,
    Workers,
    split_names,
)
from broadsheet.cli.weights_option import WeightsFolders, choose_method
from broadsheet.output import FORMATS, TABLES, Format, TableFormat

_FORMAT_ROWS: tuple[Format | TableFormat, ...] = (*FORMATS.values(), *TABLES.values())

EXAMPLES = """\
[bold]Examples[/bold]

  broadsheet extract page.html                        title and text
  broadsheet extract https://example.org/story -f md  fetch it; Markdown
  broadsheet extract page.html -f json | jq .authors  all fields
  curl -s URL | broadsheet extract --url URL          from a pipe
  broadsheet extract pages/ -o articles.csv           a folder to a spreadsheet
  broadsheet extract pages/ -o articles.xlsx --fields title,date,authors,confidence,text
  broadsheet extract crawl.warc.gz -o news.parquet    a web archive
  broadsheet extract pages.jsonl --html-column body   pages in a table
  broadsheet extract 'crawl/**/*.gz' -f tei -o tei/   one file per page
  broadsheet extract page.html --explain              the role of every block
  broadsheet extract page.html --site site.json       use a learned site template
  broadsheet extract page.html --weights my-weights/  use weights of your own
  broadsheet extract crawl/ --by-site -o news.jsonl   learn each site first

[bold]Exit codes[/bold]

  0  done; see each article's status for pages without an article
  1  a page could not be read, fetched or extracted, or a file is truncated; the other pages were
  2  the command line is wrong
"""


def _complete_format(incomplete: str) -> list[str]:
    return [row.name for row in _FORMAT_ROWS if row.name.startswith(incomplete)]


def extract_command(
    pages: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PAGE...",
            help="HTML pages, folders, patterns, http(s) addresses, or - for stdin. Also files of pages: WARC, WACZ, "
            "MHTML, JSON Lines, CSV, Parquet, ZIP, tar, a list of addresses. A pipe is read without -.",
            show_default=False,
        ),
    ] = None,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            metavar="|".join(row.name for row in _FORMAT_ROWS),
            autocompletion=_complete_format,
            help="Output format. Default: by the ending of the output file; else text for one page, jsonl for several. "
            f"{'; '.join(f'{row.name}: {row.description}' for row in _FORMAT_ROWS)}.",
            show_default=False,
        ),
    ] = None,
    method: MethodName = None,
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
    fields: Annotated[
        str | None,
        typer.Option(
            "--fields",
            metavar="NAME,...",
            help="Columns of records (csv, xlsx, parquet, json, jsonl), in this order. Default: all.",
            show_default=False,
        ),
    ] = None,
    include: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="NAME,...",
            help="More columns: markdown, html, body (the tree of parts), blocks (with path and rows).",
            show_default=False,
        ),
    ] = None,
    html_column: HtmlColumn = "html",
    url_column: UrlColumn = "url",
    url: Annotated[
        str | None,
        typer.Option("--url", help="Address (http or https) of the page, if there is one page.", show_default=False),
    ] = None,
    home: Annotated[
        str | None,
        typer.Option(
            "--home",
            metavar="FILE|URL",
            help="Home or section page of the site: its link texts are candidates for the titles of pages.",
            show_default=False,
        ),
    ] = None,
    site: Annotated[
        str | None,
        typer.Option(
            "--site", metavar="FILE", help="Site template, saved by broadsheet site learn.", show_default=False
        ),
    ] = None,
    by_site: BySite = False,
    sheets: Annotated[
        bool, typer.Option("--sheets", help="Fetch linked style sheets, for methods that use styles (visual, gcn).")
    ] = False,
    render: Render = False,
    no_images: NoImages = False,
    workers: Workers = None,
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
    quiet: Quiet = False,
) -> None:
    """Extract the articles of pages.

    One page is printed as text. Several pages give one JSON record per line. A page that fails is reported, and the
    others are extracted.
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
        html_column=html_column,
        url_column=url_column,
        fields=None if fields is None else split_names(fields),
        include=split_names(include),
        options=ExtractOptions(
            method=choose_method(method, weights),
            render=render,
            images=not no_images,
            limits=limits,
            weights=tuple(weights or ()),
        ),
    )
    if not run_plan(make_plan(request)):
        raise typer.Exit(1)
