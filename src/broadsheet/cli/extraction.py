"""What `broadsheet extract` does: a plan, checked before the first page is read, and its run."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, redirect_stdout
from dataclasses import dataclass

from broadsheet.article import Article
from broadsheet.cli.complain import show_name, suggest
from broadsheet.cli.destination import is_folder, open_destination
from broadsheet.cli.explain import explain_article
from broadsheet.cli.layout import EXPLAIN, LAYOUTS, infer_format, is_written, write_heading
from broadsheet.cli.learning import learn_sites
from broadsheet.cli.report import Report
from broadsheet.cli.sources import STDIN, Found, Source, find_sources, read_source
from broadsheet.errors import BroadsheetError, UsageError
from broadsheet.fetch import fetch_sheets, find_fault, is_address
from broadsheet.many import Item, extract_many
from broadsheet.methods import DEFAULT_METHOD, methods
from broadsheet.output import FORMAT_ALIASES, FORMATS, LINES, Format
from broadsheet.site import Site, Sites


@dataclass(frozen=True, slots=True)
class Plan:
    """What the command line asks for."""

    found: Found
    format_name: str
    method: str
    output: str | None
    url: str | None
    home: str | None
    workers: int | None
    is_quiet: bool
    site: str | None = None  # a saved site
    is_by_site: bool = False
    with_sheets: bool = False  # fetch the style sheets that pages link to
    is_rendered: bool = False  # show pages in a browser

    @property
    def layout(self) -> Format:
        """The row of the table of formats."""
        return LAYOUTS[self.format_name]

    @property
    def is_joined(self) -> bool:
        """Tell whether several pages go into one output."""
        return self.found.is_several and not is_folder(self.output)


def make_plan(
    arguments: Sequence[str],
    *,
    format_name: str | None,
    method: str | None,
    output: str | None,
    url: str | None,
    home: str | None,
    workers: int | None,
    is_quiet: bool,
    site: str | None = None,
    is_by_site: bool = False,
    with_sheets: bool = False,
    is_rendered: bool = False,
) -> Plan:
    """Check what was asked for. Raises UsageError."""
    if output == "":
        raise UsageError("the name of the output is empty; write -o FILE, -o DIR/, or leave it out for stdout")
    if home == "":
        raise UsageError("the name of the home page is empty; name a file or an address, or leave --home out")
    if url is not None and find_fault(url):
        raise UsageError(f"--url {url!r} is no address of a page; write it whole: https://host/path")
    found = find_sources(arguments or _find_pipe())
    format_name = _choose_format(found, output) if format_name is None else format_name
    method = DEFAULT_METHOD if method is None else method
    plan = Plan(
        found, format_name, method, output, url, home, workers, is_quiet, site, is_by_site, with_sheets, is_rendered
    )
    if format_name not in LAYOUTS:
        raise UsageError(suggest("format", format_name, FORMATS, FORMAT_ALIASES))
    if plan.method not in methods():
        raise UsageError(suggest("method", plan.method, methods()))
    if plan.is_joined and plan.layout.frame is None:
        raise UsageError(f"several pages do not fit into one {format_name} document; write them to a folder: -o DIR/")
    if url and found.is_several:
        raise UsageError("--url is the address of one page, and there are several; leave it out")
    if site and is_by_site:
        raise UsageError("--by-site learns the sites of the pages itself; leave --site out")
    if is_by_site and any(source.name == STDIN for source in found.sources):
        raise UsageError("--by-site reads every page twice, and stdin can be read once; save the page to a file")
    if home and not url and not any(is_address(source.name) for source in found.sources):
        raise UsageError("--home is searched for links to the page's address, which is not known; add --url")
    return plan


def run_plan(plan: Plan) -> bool:
    """Extract the pages; tell whether all could be read and extracted."""
    home = read_source(plan.home).html if plan.home else None
    site = _load_site(plan)
    frame = plan.layout.frame if plan.is_joined and plan.layout.frame else LINES
    destination = open_destination(plan.output, sources=plan.found.sources, ending=plan.layout.ending, frame=frame)
    report = Report(plan.found, has_bar=_has_bar(plan), is_quiet=plan.is_quiet)
    waiting: deque[Source] = deque()
    pages = _read_pages(plan, waiting, report)
    with redirect_stdout(sys.stderr):  # loading a method may print, too
        extracted = extract_many(
            pages, workers=_count(plan), method=plan.method, home=home, site=site, render=plan.is_rendered
        )
    with report, destination, closing(extracted):
        for article in _silence(extracted):
            source = waiting.popleft()
            report.count(source.name, article)
            if is_written(article, plan.layout):
                destination.write(source, _write(plan, source, article))
    if plan.found.is_several:
        report.summarize()
    return not report.has_failures


def _silence(articles: Iterator[Article]) -> Iterator[Article]:
    """Send to stderr what a method prints while it works in this process: stdout is for articles."""
    while True:
        with redirect_stdout(sys.stderr):
            article = next(articles, None)
        if article is None:
            return
        yield article


def _choose_format(found: Found, output: str | None) -> str:
    """Choose by the ending of the output file; else text for one page, and records for several."""
    inferred = infer_format(output) if output and not is_folder(output) else None
    return inferred or ("jsonl" if found.is_several else "text")


def _load_site(plan: Plan) -> Site | Sites | None:
    if plan.is_by_site:
        return learn_sites(plan.found, is_quiet=plan.is_quiet)
    return Site.load(plan.site) if plan.site else None


def _find_pipe() -> tuple[str]:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("no page was given; write: broadsheet extract FILE, or an address, or - for stdin")
    return (STDIN,)


def _has_bar(plan: Plan) -> bool:
    """Show a bar where the output goes to a file: in a pipe, the next program may write to the same terminal."""
    if not plan.found.is_several or plan.output not in (None, STDIN):
        return plan.found.is_several
    try:
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    except OSError:  # a stdout that is no file at all
        return False


def _count(plan: Plan) -> int | None:
    """Use no more processes than there are pages, and for a single page none."""
    if len(plan.found.sources) < 2:
        return 1
    return plan.workers


def _read_pages(plan: Plan, waiting: deque[Source], report: Report) -> Iterator[Item]:
    """Read page by page, as far as the extraction asks for; what cannot be read is reported and left out."""
    for problem in plan.found.problems:
        report.miss(problem)
    for source in plan.found.sources:
        try:
            loaded = read_source(source.name)
        except BroadsheetError as error:
            report.miss(str(error))
            continue
        waiting.append(source)
        url = plan.url or loaded.url
        yield (url, loaded.html, fetch_sheets(loaded.html, url)) if plan.with_sheets else (url, loaded.html)


def _write(plan: Plan, source: Source, article: Article) -> str:
    name = show_name(source.name)
    if plan.layout is EXPLAIN:
        return explain_article(article, name=name, to_stdout=plan.output in (None, STDIN))
    text = plan.layout.write(article, source=name if plan.found.is_several else None)
    return write_heading(plan.layout, name) + text if plan.is_joined else text
