"""How long a click in Correct takes: label a block, and show what it changes on the other pages of the site.

    python benchmarks/correct.py                    6, 120 and 1,000 pages of one site, a third of them done
    python benchmarks/correct.py --pages 1000       only this size

Pages are made up, and so are their analyses: 60 blocks, some in the same place on all pages. The time is that of the
project and of the answer's JSON, without HTTP. The first click reads all pages; the others are counted.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from statistics import median

from benchmarks.harness import Table
from broadsheet.desk.correct import describe_site
from broadsheet.options import ExtractOptions
from broadsheet.project import LabelRole, NewPage, PageEntry, Project
from broadsheet.project.analysis import Analysis, PageBlock
from broadsheet.project.page_queue import list_queue

SIZES = (6, 120, 1_000)
BLOCKS = 60
CLICKS = 20
WHO = "benchmark"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, nargs="*", default=SIZES, metavar="N")
    table = Table("pages", "first click ms", "click ms", "queries", "accept ms", "queries of accept")
    for count in parser.parse_args().pages:
        with tempfile.TemporaryDirectory() as folder:
            with Project(folder, creates=True, analyse=make_analysis) as project:
                fill_project(project, count)
            with Project(folder) as project:  # opened again: it has read nothing yet
                pages = [page for page in project.list_pages() if not page.is_done]
                table.add(count, *measure_clicks(project, pages), digits=1)


def fill_project(project: Project, count: int) -> None:
    """Add pages; a third of them are done, with one correction each."""
    for number in range(count):
        page = project.add_page(NewPage(f"<p>{number}", f"{number}.html", "https://courier.example/"))
        assert page is not None
        if number % 3 == 0:
            project.set_roles(page, {"/p[7]": LabelRole.BOILERPLATE}, WHO)
            project.accept(page, WHO)


def make_analysis(html: str | bytes, url: str | None, options: ExtractOptions) -> Analysis:
    """Return made-up blocks: each third one has the same text on all pages."""
    assert options
    blocks = tuple(
        PageBlock(
            path=f"/p[{number}]",
            text=f"Block {number} " + ("of the site" if number % 3 else f"of the page {html!s}" * 5),
            place=f"div.story/div.part-{number % 12}/p",
            role=LabelRole.BODY if number % 2 else LabelRole.BOILERPLATE,
            score=0.5,
            link_share=0.0,
        )
        for number in range(BLOCKS)
    )
    return Analysis("ok", 0.9, 0.1, url=url, title="Title", blocks=blocks, structure=tuple(range(200)))


def measure_clicks(project: Project, pages: list[PageEntry]) -> tuple[float, float, int, float, int]:
    """Return the milliseconds of the first click, the median of others and their queries; the same of accepting."""
    queries: list[str] = []
    with project.store.read() as database:
        database.set_trace_callback(queries.append)
    times = []
    for number in range(CLICKS):
        queries.clear()
        role = LabelRole.CAPTION if number % 2 else LabelRole.BOILERPLATE
        times.append(_time_click(project, pages[0], role))
    clicked = len(queries)
    accepted = []
    for page in pages[:CLICKS]:
        queries.clear()
        accepted.append(_time_accept(project, page))
    return times[0], median(times[1:]), clicked, median(accepted), len(queries)


def _time_click(project: Project, page: PageEntry, role: LabelRole) -> float:
    start = time.perf_counter()
    entry = project.find_page(page.hash)
    project.set_roles(entry, {"/p[9]": role}, WHO)
    json.dumps(describe_site(project.view_site(entry)))
    return 1000 * (time.perf_counter() - start)


def _time_accept(project: Project, page: PageEntry) -> float:
    start = time.perf_counter()
    entry = project.find_page(page.hash)
    project.accept(entry, WHO)
    list_queue(project)
    json.dumps(describe_site(project.view_site(entry)))
    return 1000 * (time.perf_counter() - start)


if __name__ == "__main__":
    main()
