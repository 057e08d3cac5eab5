"""The work of `broadsheet extract`: a plan is carried out.

Modules for tables, sites and explanations are imported where they are used: most commands need none of them.
"""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import replace

from broadsheet.article import Article
from broadsheet.capture import Capture
from broadsheet.cli.destination import ToTable, check_output, open_destination
from broadsheet.cli.earlier_output import EarlierOutput, choose_output, name_earlier, read_earlier
from broadsheet.cli.extract_command import Plan, Request
from broadsheet.cli.layout import EXPLAIN, EXPLAIN_LAYOUTS, EXPLAIN_PAGE, is_written, write_heading
from broadsheet.cli.messages import show_name
from broadsheet.cli.progress import Report
from broadsheet.cli.sources import STDIN, NamedSource, name_page, read_one, read_source
from broadsheet.errors import BroadsheetError
from broadsheet.inputs import decode_capture
from broadsheet.inputs.files import find_file_fault
from broadsheet.many import Item, extract_many
from broadsheet.output import LINES, Format, TableFormat
from broadsheet.site import Site, Sites
from broadsheet.web import fetch_sheets


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
    earlier = read_earlier(request.output, plan.layout, plan.columns) if request.is_resumed else EarlierOutput()
    report = Report(plan.sources, has_bar=_has_bar(plan), is_quiet=request.is_quiet)
    output = _open_output(plan, report)
    waiting: deque[NamedSource] = deque()
    pages = _read_pages(plan, waiting, report, earlier)
    with redirect_stdout(sys.stderr):  # a method may print while it loads
        with_blocks = plan.layout in EXPLAIN_LAYOUTS
        articles = extract_many(pages, workers=_count_workers(plan), with_blocks=with_blocks, options=options)
    with report, output as write, closing(articles):
        for article in earlier.articles:
            source = name_earlier(article)
            report.compare_text(source.name, article)
            write(source, article)
        for article in _silence(articles):
            source = waiting.popleft()
            report.count(source.name, article)
            if is_written(article, plan.layout):
                write(source, article)
    if plan.sources.is_several:
        report.summarize()
    return not report.has_failures


@contextmanager
def _open_output(plan: Plan, report: Report) -> Iterator[Callable[[NamedSource, Article], None]]:
    """Open the output; yield the function that writes an article to it."""
    layout, output = plan.layout, plan.request.output
    is_replaced = plan.request.is_resumed or plan.request.is_overwritten
    choose_path = None if is_replaced else lambda path: choose_output(path, report)
    if isinstance(layout, TableFormat):
        path = None if output in (None, STDIN) else check_output(str(output), plan.sources.pages)
        with ToTable(path, layout, plan.columns, choose_path) as table:
            yield lambda _, article: table.write(article)
        return
    frame = layout.frame if plan.is_joined and layout.frame else LINES
    with open_destination(
        output, sources=plan.sources.pages, ending=layout.ending, frame=frame, choose_path=choose_path
    ) as destination:
        yield lambda source, article: destination.write(source, _write(plan, layout, source, article))


def _silence(articles: Iterator[Article]) -> Iterator[Article]:
    """Send everything that a method prints in this process to stderr: stdout is for articles."""
    while True:
        with redirect_stdout(sys.stderr):
            article = next(articles, None)
        if article is None:
            return
        yield article


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


def _read_pages(plan: Plan, waiting: deque[NamedSource], report: Report, earlier: EarlierOutput) -> Iterator[Item]:
    """Read pages as the extraction asks for them. Pages that cannot be read are reported and left out."""
    request, options = plan.request, plan.request.read_options
    for problem in plan.sources.problems:
        report.miss(problem)
    for source in plan.sources.pages:
        skipped: Counter[str] = Counter()
        if earlier.has(show_name(source.name)):  # a page; it is not fetched again
            report.advance()
            continue
        try:
            for capture in read_source(source, options, skipped):
                if earlier.has(show_name(capture.source_file or ""), capture.source_offset):
                    continue
                if capture.html is not None and (fault := find_file_fault(capture, capture.source_file or source.name)):
                    report.note_fault(fault)
                waiting.append(name_page(source, capture))
                yield _make_item(request, capture)
        except BroadsheetError as error:
            report.miss(str(error), source.name)
        report.skip(source.name, skipped)


def _make_item(request: Request, capture: Capture) -> Item:
    name = None if capture.source_file is None else show_name(capture.source_file)
    capture = replace(capture, url=request.url or capture.url, source_file=name)
    if not request.with_sheets or capture.html is None:
        return capture
    html = decode_capture(capture)
    return capture, fetch_sheets(html, capture.url, limits=request.options.limits, guard=request.guard)


def _write(plan: Plan, layout: Format, source: NamedSource, article: Article) -> str:
    name = show_name(source.name)
    if layout is EXPLAIN:
        from broadsheet.cli.explain import explain_article

        return explain_article(article, name=name, to_stdout=plan.request.output in (None, STDIN))
    has_file = not plan.is_joined and plan.request.output not in (None, STDIN)
    text = layout.write(article, columns=plan.columns, has_file=has_file)
    return write_heading(layout, name) + text if plan.is_joined else text
