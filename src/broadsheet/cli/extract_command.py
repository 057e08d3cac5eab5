"""`broadsheet extract`: pages in, articles out. A request is checked before the first page is read."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from broadsheet.cli.destination import check_table, is_folder
from broadsheet.cli.layout import FORMAT_NAMES, LAYOUTS, infer_format, name_explain_layout
from broadsheet.cli.messages import suggest
from broadsheet.cli.parameters import with_options
from broadsheet.cli.sources import STDIN, Sources, find_sources
from broadsheet.errors import UnknownMethod, UsageError
from broadsheet.inputs import Kind, ReadOptions
from broadsheet.inputs.kinds import is_page_name
from broadsheet.inputs.options import DEFAULT_READ_OPTIONS
from broadsheet.methods import has_method, methods
from broadsheet.option_field import argument, group, option, split_names
from broadsheet.options import DEFAULT_OPTIONS, ExtractOptions, make_options
from broadsheet.output import DEFAULT_CHUNKS, FORMAT_ALIASES, FORMATS, TABLES, ChunkOptions, Format, TableFormat
from broadsheet.output.record import Column, choose_columns
from broadsheet.web import DEFAULT_GUARD, AddressGuard, find_fault

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
  broadsheet extract pages/ -o news.jsonl --resume    again, only pages that failed or are new

[bold]Exit codes[/bold]

  0  done; see each article's status for pages without an article
  1  a page could not be read, fetched or extracted, or a file is truncated; the other pages were
  2  the command line is wrong
"""
_FORMAT_ROWS: tuple[Format | TableFormat, ...] = (*FORMATS.values(), *TABLES.values())


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of `broadsheet extract`, not checked yet."""

    pages: tuple[str, ...] = argument(
        (),
        "HTML pages, folders, patterns, http(s) addresses, or - for stdin. Also files of pages: WARC, WACZ, MHTML, "
        "JSON Lines, CSV, Parquet, ZIP, tar, a list of addresses. A pipe is read without -.",
        metavar="PAGE...",
    )
    format_name: str | None = option(
        None,
        "Output format. Default: by the ending of the output file; else text for one page, jsonl for several. "
        f"{'; '.join(f'{row.name}: {row.description}' for row in _FORMAT_ROWS)}.",
        "--format",
        "-f",
        metavar="|".join(row.name for row in _FORMAT_ROWS),
        complete=lambda: FORMAT_NAMES,
    )
    output: str | None = option(
        None,
        "A file, which is written completely or not at all; or a folder, for one file per page.",
        "--output",
        "-o",
        metavar="FILE|DIR/",
    )
    is_resumed: bool = option(
        False, "Keep the articles of an existing output file; extract only pages that failed or are new.", "--resume"
    )
    is_overwritten: bool = option(
        False, "Replace an existing output file also if more pages failed than in the earlier run.", "--overwrite"
    )
    include: tuple[str, ...] = option(
        (),
        "More columns: markdown, html, body (the tree of parts), blocks (with path and rows), measures (of the text).",
        "--with",
        metavar="NAME,...",
        read=split_names,
    )
    url: str | None = option(None, "Address (http or https) of the page, if there is one page.")
    home: str | None = option(
        None,
        "Home or section page of the site: its link texts are candidates for the titles of pages.",
        metavar="FILE|URL",
    )
    site: str | None = option(None, "Site template, saved by broadsheet site learn.", metavar="FILE")
    is_by_site: bool = option(False, "Learn the template of each host from the pages first, then extract.", "--by-site")
    with_sheets: bool = option(
        False, "Fetch linked style sheets, for methods that use styles (visual, gcn).", "--sheets"
    )
    workers: int | None = option(None, "Number of processes. Default: one per core.", "--workers", "-j", least=1)
    is_explained: bool = option(
        False,
        "Show every block with its role and score, and each field's source; with -o FILE.html, as a page.",
        "--explain",
    )
    is_quiet: bool = option(False, "No progress, notes or summary: errors only.", "--quiet", "-q")
    read: ReadOptions = group(DEFAULT_READ_OPTIONS, "html_column", "url_column")
    options: ExtractOptions = group(DEFAULT_OPTIONS, make=make_options)
    chunks: ChunkOptions = group(DEFAULT_CHUNKS)
    guard: AddressGuard = group(DEFAULT_GUARD)

    @property
    def read_options(self) -> ReadOptions:
        """Options of the readers."""
        return replace(self.read, limits=self.options.limits, guard=self.guard)


@with_options
def extract_command(request: Request) -> None:
    """Extract the articles of pages.

    One page is printed as text. Several pages give one JSON record per line. A page that fails is reported, and the
    others are extracted.
    """
    from broadsheet.cli.extraction import run_plan

    if not run_plan(make_plan(request)):
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class Plan:
    """A request that can be carried out, with its pages and its format."""

    request: Request
    sources: Sources
    format_name: str
    columns: tuple[Column, ...]  # of records

    @property
    def layout(self) -> Format | TableFormat:
        """The row of the table of formats."""
        layout = LAYOUTS[self.format_name]
        return layout._replace(options=self.request.chunks) if layout is FORMATS["chunks"] else layout

    @property
    def fields(self) -> tuple[str, ...] | None:
        """The fields that are written; None for all of them, with blocks."""
        if self.layout.is_record:
            return tuple(column.name for column in self.columns)
        return self.layout.fields if isinstance(self.layout, Format) else None

    @property
    def is_joined(self) -> bool:
        """Whether several pages go into one output."""
        return self.sources.is_several and not is_folder(self.request.output)


def make_plan(request: Request) -> Plan:
    """Check a request. Raises UsageError."""
    _check_values(request)
    sources = find_sources(request.pages or _find_pipe())
    format_name = request.format_name
    if request.is_explained:
        format_name = name_explain_layout(request.output)
    elif format_name is None:
        format_name = _choose_format(sources, request.output)
    elif format_name not in LAYOUTS:
        raise UsageError(suggest("format", format_name, FORMAT_NAMES, FORMAT_ALIASES))
    plan = Plan(request, sources, format_name, choose_columns(request.options.fields, request.include))
    _check_combination(plan)
    return plan


def _check_values(request: Request) -> None:
    if request.is_explained and request.format_name:
        raise UsageError("--explain is an output format; leave --format out")
    if request.output == "":
        raise UsageError("the name of the output is empty; write -o FILE, -o DIR/, or leave it out for stdout")
    if request.is_resumed and request.is_overwritten:
        raise UsageError("--resume keeps the earlier output, and --overwrite replaces it; leave one out")
    if request.home == "":
        raise UsageError("the name of the home page is empty; name a file or an address, or leave --home out")
    if request.url is not None and find_fault(request.url):
        raise UsageError(f"--url {request.url!r} is not an http(s) address; write it in full: https://host/path")
    if not has_method(request.options.method_name):
        raise UnknownMethod(request.options.method_name, methods())


def _check_combination(plan: Plan) -> None:
    """Check options that exclude or need each other."""
    request, sources, layout = plan.request, plan.sources, plan.layout
    if request.chunks != DEFAULT_CHUNKS and layout.name != "chunks":
        raise UsageError(f"--max-tokens, --overlap and --chunk-markdown are options of chunks, not of {layout.name}")
    if isinstance(layout, TableFormat):
        check_table(layout, request.output)
    elif is_folder(request.output):
        _check_folder(layout, str(request.output), request.pages)
    elif plan.is_joined and layout.frame is None:
        raise UsageError(
            f"one {layout.name} file holds one page, and there are several; write them to a folder: -o DIR/"
        )
    if (request.options.fields is not None or request.include) and not layout.is_record:
        raise UsageError(
            f"--fields and --with choose columns of csv, xlsx, parquet, json and jsonl, not of {layout.name}"
        )
    if request.url and sources.is_several:
        raise UsageError("--url is the address of one page, and there are several; leave it out")
    if request.site and request.is_by_site:
        raise UsageError("--by-site learns the sites of the pages itself; leave --site out")
    if request.is_by_site and any(source.name == STDIN for source in sources.pages):
        raise UsageError("--by-site reads every page twice, and stdin can be read once; save the page to a file")
    has_addresses = any(source.kind not in (Kind.PAGE, Kind.ZIP, Kind.TAR) for source in sources.pages)
    if request.home and not request.url and not has_addresses:
        raise UsageError("--home is searched for links to the page's address, which is unknown; add --url")


def _check_folder(layout: Format, output: str, pages: tuple[str, ...]) -> None:
    """Raise UsageError if the next run would read the output files as pages."""
    folder = Path(output).resolve()
    for name in pages:
        if not os.path.isdir(name):  # noqa: PTH112 - Path.is_dir raises without permission
            continue
        pages_folder = Path(name).resolve()
        if folder == pages_folder or (is_page_name(f"page{layout.ending}") and folder.is_relative_to(pages_folder)):
            raise UsageError(f"the output folder {output} is in the folder of the pages, {name}; write to another")


def _choose_format(sources: Sources, output: str | None) -> str:
    """Choose by the ending of the output file; else text for one page, and records for several."""
    inferred = infer_format(output) if output and not is_folder(output) and output != STDIN else None
    return inferred or ("jsonl" if sources.is_several else "text")


def _find_pipe() -> tuple[str]:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("no page was given; write: broadsheet extract FILE, or an address, or - for stdin")
    return (STDIN,)
