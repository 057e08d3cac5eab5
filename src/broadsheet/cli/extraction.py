"""The work of `broadsheet extract`: a plan, checked before the first page is read, and its execution."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import closing, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial

from broadsheet.article import Article
from broadsheet.cli.complain import show_name, suggest
from broadsheet.cli.destination import is_folder, open_destination
from broadsheet.cli.explain import explain_article
from broadsheet.cli.layout import EXPLAIN, LAYOUTS, infer_format, is_written, write_heading
from broadsheet.cli.learning import learn_sites
from broadsheet.cli.report import Report
from broadsheet.cli.sources import STDIN, Source, Sources, find_sources, read_source
from broadsheet.errors import BroadsheetError, UnknownMethod, UsageError
from broadsheet.many import Item, extract_many
from broadsheet.methods import methods
from broadsheet.options import ExtractOptions
from broadsheet.output import FORMAT_ALIASES, FORMATS, LINES, Format
from broadsheet.site import Site, Sites
from broadsheet.web import DEFAULT_GUARD, AddressGuard, fetch_sheets, find_fault, is_address


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


@dataclass(frozen=True, slots=True)
class Plan:
    """A request that can be carried out, with its pages and its format."""

    request: Request
    sources: Sources
    format_name: str

    @property
    def layout(self) -> Format:
        """The row of the table of formats."""
        return LAYOUTS[self.format_name]

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
        raise UsageError(suggest("format", format_name, FORMATS, FORMAT_ALIASES))
    plan = Plan(request, sources, format_name)
    _check_combination(plan)
    return plan


def _check_values(request: Request) -> None:
    if request.output == "":
        raise UsageError("the name of the output is empty; write -o FILE, -o DIR/, or leave it out for stdout")
    if request.home == "":
        raise UsageError("the name of the home page is empty; name a file or an address, or leave --home out")
    if request.url is not None and find_fault(request.url):
        raise UsageError(f"--url {request.url!r} is not an http(s) address; write it in full: https://host/path")
    if request.options.method_name not in methods():
        raise UnknownMethod(request.options.method_name, methods())


def _check_combination(plan: Plan) -> None:
    """Check options that exclude or need each other."""
    request, sources, name = plan.request, plan.sources, plan.format_name
    if plan.is_joined and plan.layout.frame is None:
        raise UsageError(f"one {name} file holds one page, and there are several; write them to a folder: -o DIR/")
    if request.url and sources.is_several:
        raise UsageError("--url is the address of one page, and there are several; leave it out")
    if request.site and request.is_by_site:
        raise UsageError("--by-site learns the sites of the pages itself; leave --site out")
    if request.is_by_site and any(source.name == STDIN for source in sources.pages):
        raise UsageError("--by-site reads every page twice, and stdin can be read once; save the page to a file")
    if request.home and not request.url and not any(is_address(source.name) for source in sources.pages):
        raise UsageError("--home is searched for links to the page's address, which is unknown; add --url")


def run_plan(plan: Plan) -> bool:
    """Extract the pages. Return whether all of them could be read and extracted."""
    request = plan.request
    options = replace(request.options, home=_read_home(request), site=_load_site(plan))
    destination = open_destination(
        request.output,
        sources=plan.sources.pages,
        ending=plan.layout.ending,
        frame=plan.layout.frame if plan.is_joined and plan.layout.frame else LINES,
    )
    report = Report(plan.sources, has_bar=_has_bar(plan), is_quiet=request.is_quiet)
    waiting: deque[Source] = deque()
    pages = _read_pages(plan, waiting, report)
    with redirect_stdout(sys.stderr):  # a method may print while it loads
        articles = extract_many(pages, workers=_count_workers(plan), options=options)
    with report, destination, closing(articles):
        for article in _silence(articles):
            source = waiting.popleft()
            report.count(source.name, article)
            if is_written(article, plan.layout):
                destination.write(source, _write(plan, source, article))
    if plan.sources.is_several:
        report.summarize()
    return not report.has_failures


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
    return read_source(request.home, request.options.limits, request.guard).html


def _load_site(plan: Plan) -> Site | Sites | None:
    request = plan.request
    if request.is_by_site:
        read = partial(read_source, limits=request.options.limits, guard=request.guard)
        return learn_sites(plan.sources, read, is_quiet=request.is_quiet)
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
    return 1 if len(plan.sources.pages) < 2 else plan.request.workers


def _read_pages(plan: Plan, waiting: deque[Source], report: Report) -> Iterator[Item]:
    """Read pages as the extraction asks for them. Pages that cannot be read are reported and left out."""
    request, limits = plan.request, plan.request.options.limits
    for problem in plan.sources.problems:
        report.miss(problem)
    for source in plan.sources.pages:
        try:
            loaded = read_source(source.name, limits, request.guard)
        except BroadsheetError as error:
            report.miss(str(error))
            continue
        waiting.append(source)
        url = request.url or loaded.url
        if request.with_sheets:
            yield url, loaded.html, fetch_sheets(loaded.html, url, limits=limits, guard=request.guard)
        else:
            yield url, loaded.html


def _write(plan: Plan, source: Source, article: Article) -> str:
    name = show_name(source.name)
    if plan.layout is EXPLAIN:
        return explain_article(article, name=name, to_stdout=plan.request.output in (None, STDIN))
    text = plan.layout.write(article, source=name if plan.sources.is_several else None)
    return write_heading(plan.layout, name) + text if plan.is_joined else text
