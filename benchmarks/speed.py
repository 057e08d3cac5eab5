"""Speed of Broadsheet beside trafilatura and resiliparse.

    make bench          or          python -m benchmarks.speed [dataset.split ...] [--pages N] [--methods fusion,gcn]
    python -m benchmarks.speed --parts          processor time of the steps of the default method
    python -m benchmarks.speed --start          time of the import, of the first pages and of commands
    python -m benchmarks.speed --workers 1,2,4  pages per second with these numbers of worker processes
    python -m benchmarks.speed --chart FILE     draw the comparison as SVG

Prints milliseconds of processor time per page, and the speed relative to `trafilatura.bare_extraction(
with_metadata=True)`. Each page goes through all extractors in turn, so that other load on the machine affects all of
them. Broadsheet finds all fields; resiliparse returns the text only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

import broadsheet
from benchmarks.harness import Data, Stopwatch, Table, make_parser, parse_data
from benchmarks.speed_chart import draw_speeds
from broadsheet.article import Extraction, assemble
from broadsheet.article.lazy import complete
from broadsheet.blocks import segment
from broadsheet.corpora import Record
from broadsheet.fields import Fields
from broadsheet.gc_pause import GcPause
from broadsheet.kernel import is_compiled
from broadsheet.methods import DEFAULT_METHOD, Method, load_method
from broadsheet.methods.apply import label_blocks
from broadsheet.page import read_page

DEFAULT_SETS = ("big5-13.bench", "dragnet.bench")
REFERENCE = "trafilatura"
SIZES = (0, 25, 50, 100, 200, 1_000_000)  # borders of classes of pages, in KB
START_RUNS = 5
_START_PROGRAM = """
import sys, time
page = open(sys.argv[1], encoding="utf-8").read()
times = [time.process_time()]
import broadsheet
broadsheet.extract  # imported when it is first used
times.append(time.process_time())
for _ in range(2):
    broadsheet.extract(page).text
    times.append(time.process_time())
print(*(1000 * (after - before) for before, after in zip(times, times[1:])))
"""
Extractor = Callable[[str, str | None], object]
Times = dict[str, list[float]]  # extractor -> milliseconds of each page


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("sets", nargs="*", default=DEFAULT_SETS, help=f"default: {' '.join(DEFAULT_SETS)}")
    parser.add_argument("--methods", default=",".join(broadsheet.methods()), help="default: all")
    parser.add_argument("--parts", action="store_true", help="measure the steps of the default method instead")
    parser.add_argument("--start", action="store_true", help="measure the start of the program instead")
    parser.add_argument("--workers", metavar="N,...", help="measure extract_many with these numbers of workers instead")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="write the speeds as SVG")
    options = parser.parse_args()
    data = parse_data(options)
    print("broadsheet:", "compiled" if is_compiled() else "plain Python")
    if options.parts:
        measure_steps(data, options.sets)
    elif options.start:
        measure_start()
    elif options.workers:
        measure_workers(data, options.sets, [int(number) for number in options.workers.split(",")])
    else:
        times = compare_extractors(data, options.sets, options.methods.split(","))
        if options.chart:
            options.chart.write_text(draw_speeds({name: median(values) for name, values in times.items()}))


def compare_extractors(data: Data, sets: list[str], methods: list[str]) -> Times:
    """Print a table for each set, one for all sets together, and one by the size of pages."""
    extractors = load_extractors(methods)
    total: Times = {name: [] for name in extractors}
    chars: list[int] = []
    for name in sets:
        records = list(data.read(name))
        times = time_extractors(extractors, records)
        print_times(name, times)
        chars += [len(record.html) for record in records]
        for extractor, values in times.items():
            total[extractor] += values
    if len(sets) > 1:
        print_times("all sets", total)
    print_sizes(total, chars)
    return total


def load_extractors(methods: list[str]) -> dict[str, Extractor]:
    try:
        import trafilatura
        from resiliparse.extract.html2text import extract_plain_text
    except ImportError as error:
        sys.exit(f"{error.name} is not installed; run: make bench")

    def run_method(method: str) -> Extractor:
        return lambda html, url: broadsheet.extract(html, url=url, method=method).text

    return {
        **{f"broadsheet {method}": run_method(method) for method in methods},
        "resiliparse": lambda html, _url: extract_plain_text(html, main_content=True),
        REFERENCE: lambda html, url: trafilatura.bare_extraction(html, url=url, with_metadata=True),
    }


def time_extractors(extractors: dict[str, Extractor], records: list[Record]) -> Times:
    """Run all extractors on each page, in an order that changes from page to page."""
    times: Times = {name: [] for name in extractors}
    for extractor in extractors.values():  # loads weights and fills caches before the measurement
        extractor(str(records[0].html), records[0].url)
    names = list(extractors)
    for number, record in enumerate(records):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            start = time.process_time()
            extractors[name](str(record.html), record.url)
            times[name].append((time.process_time() - start) * 1000)
    return times


def print_times(title: str, times: Times) -> None:
    reference = mean(times[REFERENCE])
    table = Table(
        f"{title}, {len(times[REFERENCE])} pages",
        "median ms",
        "mean ms",
        "p95 ms",
        "p99 ms",
        "pages/s and core",
        "speed",
    )
    for extractor, values in times.items():
        ordered = sorted(values)
        percentiles = (ordered[int(len(values) * share)] for share in (0.95, 0.99))
        average = mean(values)
        table.add(extractor, median(values), average, *percentiles, 1000 / average, reference / average, digits=2)


def print_sizes(times: Times, chars: list[int]) -> None:
    """Print the mean time of the extractors by the size of the page."""
    table = Table("KB", "pages", *(f"{name} ms" for name in times))
    for first, last in pairwise(SIZES):
        pages = [page for page, count in enumerate(chars) if first <= count / 1000 < last]
        if pages:
            label = f"{first} to {last}" if last < SIZES[-1] else f"{first} and more"
            table.add(label, len(pages), *(mean(values[page] for page in pages) for values in times.values()), digits=2)


def measure_start() -> None:
    """Print the processor time of the import, of two pages, and of commands, each in new processes."""
    page = str(Path(__file__).parents[1] / "examples" / "pages" / "harbour.html")
    extract, version = ["-m", "broadsheet", "extract", page], ["-m", "broadsheet", "--version"]
    _run_python(*extract)  # writes bytecode
    runs = []
    for _ in range(START_RUNS):
        times = [float(number) for number in _run_python("-c", _START_PROGRAM, page).split()]
        runs.append([*times, _time_python(*extract), _time_python(*version)])
    names = ("import", "first page", "second page", "broadsheet extract", "broadsheet --version")
    table = Table(f"ms, median of {START_RUNS} processes", *names)
    table.add("harbour.html", *(median(column) for column in zip(*runs, strict=True)), digits=1)


def _run_python(*arguments: str) -> str:
    """Run Python with bytecode, as an installed program, also where the environment turns it off."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, check=True, env=environment, text=True).stdout


def _time_python(*arguments: str) -> float:
    """Return the milliseconds of processor time of a Python process."""
    before = os.times()
    _run_python(*arguments)
    after = os.times()
    return 1000 * (after.children_user + after.children_system - before.children_user - before.children_system)


def measure_workers(data: Data, sets: list[str], numbers: list[int]) -> None:
    """Print the pages per second of `extract_many` without the start of the workers, and the processor time with it."""
    items = [(record.url, str(record.html)) for name in sets for record in data.read(name)]
    table = Table(f"workers, {len(items)} pages", "pages/s", "processor ms a page")
    for number in numbers:
        start_seconds = sum(os.times()[:4])  # of this process, and of workers that have ended
        articles = broadsheet.extract_many([items[0], *items], workers=number)
        next(articles)
        start = time.perf_counter()
        count = sum(1 for _ in articles)
        speed = count / (time.perf_counter() - start)
        table.add(str(number), speed, 1000 * (sum(os.times()[:4]) - start_seconds) / count, digits=1)


def measure_steps(data: Data, sets: list[str]) -> None:
    """Print the processor time of the steps of the default method."""
    method = load_method(DEFAULT_METHOD)
    records = [record for name in sets for record in data.read(name)]
    time_steps(records[0], method, Stopwatch())  # loads weights and fills caches
    watch = Stopwatch()
    for record in records:
        time_steps(record, method, watch)
    watch.times["total"] = [sum(steps) for steps in zip(*watch.times.values(), strict=True)]
    watch.print()


def time_steps(record: Record, method: Method, watch: Stopwatch) -> None:
    with GcPause():
        with watch.step("parse and metadata"):
            page = read_page(record.html, url=record.url)
        with watch.step("blocks"):
            blocks = segment(page)
        with watch.step(f"method ({method.name})"):
            labels = label_blocks(method, page, blocks)
        with watch.step("fields"):
            fields = Fields(page, blocks, labels).find_all()
        with watch.step("assemble"):
            article = assemble(page, blocks, labels, fields, Extraction(method, record.html))
        with watch.step("text"):
            _ = article.text
        with watch.step("body, comments and hash"):
            complete(article)


if __name__ == "__main__":
    main()
