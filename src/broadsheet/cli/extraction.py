"""The work of `broadsheet extract`: a plan, checked before the first page is read, and its execution.

Modules for tables, sites and explanations are imported where they are used: most commands need none of them.
"""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass, replace

from broadsheet.article import Article
from broadsheet.capture import Capture
from broadsheet.cli.complain import show_name, suggest
from broadsheet.cli.destination import check_output, is_folder, open_destination
from broadsheet.cli.layout import (
    EXPLAIN,
    EXPLAIN_LAYOUTS,
    EXPLAIN_PAGE,
    FORMAT_NAMES,
    LAYOUTS,
    infer_format,
    is_written,
    write_heading,
)
from broadsheet.cli.report import Report
from broadsheet.cli.sources import STDIN, Source, Sources, find_sources, name_page, read_one, read_source
from broadsheet.errors import BroadsheetError, UnknownMethod, UsageError
from broadsheet.inputs import Kind, ReadOptions, decode_capture
from broadsheet.inputs.files import find_file_fault
from broadsheet.inputs.options import DEFAULT_READ_OPTIONS
from broadsheet.many import Item, extract_many
from broadsheet.methods import has_method, methods
from broadsheet.options import ExtractOptions
from broadsheet.output import FORMAT_ALIASES, LINES, Format, TableFormat
from broadsheet.output.record import Column, choose_columns
from broadsheet.site import Site, Sites
from broadsheet.web import DEFAULT_GUARD, AddressGuard, fetch_sheets, find_fault


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of `broadsheet extract`, not checked yet."""

    pages: tuple[str, ...]
    options: ExtractOptions
    format_name: str | None = None
    output: str | None = None
    url: str | None = None
    home: str | None = None
    site: str | None = None  # file of a saved site
    is_by_site: bool = False
    with_sheets: bool = False  # fetch the style sheets that pages link to
    guard: AddressGuard = DEFAULT_GUARD
    workers: int | None = None
    is_quiet: bool = False
    html_column: str = DEFAULT_READ_OPTIONS.html_column
    url_column: str = DEFAULT_READ_OPTIONS.url_column
    fields: tuple[str, ...] | None = None  # columns of records; None: all
    include: tuple[str, ...] = ()  # more columns

    @property
    def read_options(self) -> ReadOptions:
        """Options of the readers."""
        return ReadOptions(
            limits=self.options.limits, guard=self.guard, html_column=self.html_column, url_column=self.url_column
        )


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
        return LAYOUTS[self.format_name]

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
    if format_name is None:
        format_name = _choose_format(sources, request.output)
    elif format_name not in LAYOUTS:
        raise UsageError(suggest("format", format_name, FORMAT_NAMES, FORMAT_ALIASES))
    plan = Plan(request, sources, format_name, choose_columns(request.fields, request.include))
    _check_combination(plan)
    return plan


def _check_values(request: Request) -> None:
    if request.output == "":
        raise UsageError("the name of the output is empty; write -o FILE, -o DIR/, or leave it out for stdout")
    if request.home == "":
        raise UsageError("the name of the home page is empty; name a file or an address, or leave --home out")
    if request.url is not None and find_fault(request.url):
        raise UsageError(f"--url {request.url!r} is not an http(s) address; write it in full: https://host/path")
    if not has_method(request.options.method_name):
        raise UnknownMethod(request.options.method_name, methods())


def _check_combination(plan: Plan) -> None:
    """Check options that exclude or need each other."""
    request, sources, layout = plan.request, plan.sources, plan.layout
    if isinstance(layout, TableFormat):
        _check_table(layout, request.output)
    elif plan.is_joined and layout.frame is None:
        raise UsageError(
            f"one {layout.name} file holds one page, and there are several; write them to a folder: -o DIR/"
        )
    if (request.fields is not None or request.include) and not layout.is_record:
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


def _check_table(table: TableFormat, output: str | None) -> None:
    table.check_package()
    if is_folder(output):
        raise UsageError(f"a {table.name} file holds all pages; write it to a file: -o FILE{table.ending}")
    if output in (None, STDIN) and not table.is_text and sys.stdout.isatty():
        raise UsageError(f"{table.name} is not for a terminal; write it to a file: -o FILE{table.ending}")


def run_plan(plan: Plan) -> bool:
    """Extract the pages. Return whether all of them could be read and extracted."""
    request = plan.request
    options = replace(
        request.options,
        home=_read_home(request),
        site=_load_site(plan),
        explain=plan.layout is EXPLAIN_PAGE,
        fields=plan.fields,
    )
    output = _open_output(plan)
    report = Report(plan.sources, has_bar=_has_bar(plan), is_quiet=request.is_quiet)
    waiting: deque[Source] = deque()
    pages = _read_pages(plan, waiting, report)
    with redirect_stdout(sys.stderr):  # a method may print while it loads
        with_blocks = plan.layout in EXPLAIN_LAYOUTS
        articles = extract_many(pages, workers=_count_workers(plan), with_blocks=with_blocks, options=options)
    with report, output as write, closing(articles):
        for article in _silence(articles):
            source = waiting.popleft()
            report.count(source.name, article)
            if is_written(article, plan.layout):
                write(source, article)
    if plan.sources.is_several:
        report.summarize()
    return not report.has_failures


@contextmanager
def _open_output(plan: Plan) -> Iterator[Callable[[Source, Article], None]]:
    """Open the output; yield the function that writes an article to it."""
    layout, output = plan.layout, plan.request.output
    if isinstance(layout, TableFormat):
        from broadsheet.cli.table_output import ToTable

        path = None if output in (None, STDIN) else check_output(str(output), plan.sources.pages)
        with ToTable(path, layout, plan.columns) as table:
            yield lambda _, article: table.write(article)
        return
    frame = layout.frame if plan.is_joined and layout.frame else LINES
    with open_destination(output, sources=plan.sources.pages, ending=layout.ending, frame=frame) as destination:
        yield lambda source, article: destination.write(source, _write(plan, layout, source, article))


def _silence(articles: Iterator[Article]) -> Iterator[Article]:
    """Send everything that a method prints in this process to stderr: stdout is for articles."""
    while True:
        with redirect_stdout(sys.stderr):
            article = next(articles, None)
        if article is None:
            return
        yield article


def _choose_format(sources: Sources, output: str | None) -> str:
    """Choose by the ending of the output file; else text for one page, and records for several."""
    inferred = infer_format(output) if output and not is_folder(output) and output != STDIN else None
    return inferred or ("jsonl" if sources.is_several else "text")


def _read_home(request: Request) -> str | bytes | None:
    if not request.home:
        return None
    return decode_capture(read_one(request.home, request.read_options))


def _load_site(plan: Plan) -> Site | Sites | None:
    request = plan.request
    if request.is_by_site:
        from broadsheet.cli.learning import learn_sites

        return learn_sites(plan.sources, request.read_options, is_quiet=request.is_quiet)
    return Site.load(request.site) if request.site else None


def _find_pipe() -> tuple[str]:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("no page was given; write: broadsheet extract FILE, or an address, or - for stdin")
    return (STDIN,)


def _has_bar(plan: Plan) -> bool:
    """Show a progress bar if the output is a file: in a pipe, the next program may write to the same terminal."""
    if not plan.sources.is_several or plan.request.output not in (None, STDIN):
        return plan.sources.is_several
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except OSError:  # stdout is not a file
        return False


def _count_workers(plan: Plan) -> int | None:
    """A single page is extracted in this process."""
    sources = plan.sources
    return 1 if len(sources.pages) < 2 and sources.count is not None else plan.request.workers


def _read_pages(plan: Plan, waiting: deque[Source], report: Report) -> Iterator[Item]:
    """Read pages as the extraction asks for them. Pages that cannot be read are reported and left out."""
    request, options = plan.request, plan.request.read_options
    for problem in plan.sources.problems:
        report.miss(problem)
    for source in plan.sources.pages:
        skipped: Counter[str] = Counter()
        try:
            for capture in read_source(source, options, skipped):
                if capture.html is not None and (fault := find_file_fault(capture, capture.source_file or source.name)):
                    report.note_fault(fault)
                waiting.append(name_page(source, capture))
                yield _make_item(request, capture)
        except BroadsheetError as error:
            report.miss(str(error))
        report.skip(source.name, skipped)


def _make_item(request: Request, capture: Capture) -> Item:
    name = None if capture.source_file is None else show_name(capture.source_file)
    capture = replace(capture, url=request.url or capture.url, source_file=name)
    if not request.with_sheets or capture.html is None:
        return capture
    html = decode_capture(capture)
    return capture, fetch_sheets(html, capture.url, limits=request.options.limits, guard=request.guard)


def _write(plan: Plan, layout: Format, source: Source, article: Article) -> str:
    name = show_name(source.name)
    if layout is EXPLAIN:
        from broadsheet.cli.explain import explain_article

        return explain_article(article, name=name, to_stdout=plan.request.output in (None, STDIN))
    text = layout.write(article, columns=plan.columns)
    return write_heading(layout, name) + text if plan.is_joined else text
