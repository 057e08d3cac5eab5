"""Speed of Broadsheet beside other extractors that do the same work: the text alone, or all fields.

    make bench          or          python benchmarks/speed.py [dataset.split ...] [--pages N] [--methods fusion,gcn]
    python benchmarks/speed.py --parts          what each group of columns of the record costs
    python benchmarks/speed.py --start          time of the import, of the first pages and of commands
    python benchmarks/speed.py --threads 1,2    pages per second with these numbers of threads
    python benchmarks/speed.py --workers 1,2,4  pages per second with these numbers of worker processes
    python benchmarks/speed.py --chart FILE     also draw the comparison as SVG
    python benchmarks/speed.py --write          write tables, chart and the README's sentence; needs an idle machine

Prints milliseconds of processor time per page, and the speed relative to trafilatura: for the same work, and with
metadata. "All fields" reads every column of the record but comments and the hash of the page; trafilatura extracts no
comments either. The extractors run over the same 15 pages in turn, in an order that changes, so that other load on the
machine affects all of them and each works with warm caches. Without --parts, --start, --threads and --workers, it
compares the extractors, then measures the start and two threads.
"""

from __future__ import annotations

import logging
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

from benchmarks.harness import Table, find_exponent, make_parser, parse_data
from benchmarks.speed_chart import draw_speeds
from benchmarks.speed_docs import write_documents, write_sentence
from benchmarks.speed_parts import ALL_FIELDS, HAS_FIELDS, PARTS, TEXT, open_broadsheet
from benchmarks.speed_peers import FIELD_PEERS, TEXT_PEERS, Page, Timer, make_timer, open_peer_timer
from benchmarks.speed_processes import measure_start, measure_threads, measure_workers
from broadsheet.kernel import is_compiled
from broadsheet.methods import DEFAULT_METHOD

DEFAULT_SETS = ("big5-13.bench", "dragnet.bench")
CHUNK = 15  # pages; the caches of the processor are cold after every change of the extractor
TEXT_ONLY, WITH_FIELDS = "text only", "all fields"
REFERENCES = {TEXT_ONLY: "trafilatura", WITH_FIELDS: "trafilatura with metadata"}
LARGE_KB = 150
SIZES = (0, 25, 50, 100, LARGE_KB, 1_000_000)  # borders of classes of pages, in KB


@dataclass(frozen=True, slots=True)
class Entry:
    """An extractor in the comparison, and the work it does."""

    work: str
    name: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the documents show of a comparison."""

    parts: Mapping[str, str]  # texts by the names of their marks
    chart: str


Times = Mapping[Entry, Sequence[float]]  # milliseconds of each page


def main() -> None:
    options = parse_options()
    logging.disable(logging.CRITICAL)  # peers log warnings about many pages
    warnings.simplefilter("ignore")
    data = parse_data(options)
    pages = [(str(record.html), record.url) for name in options.sets for record in data.read(name)]
    print("broadsheet:", "compiled" if is_compiled() else "plain Python")
    if options.parts:
        measure_parts(pages)
    if options.workers:
        measure_workers(pages, options.workers)
    is_all = options.write or not (options.parts or options.workers or options.start or options.threads)
    comparison = compare_extractors(pages, options) if is_all else None
    if options.start or is_all:
        start = measure_start()
    if options.threads or is_all:
        threads = measure_threads(pages, options.threads or (1, 2))
    if options.write and comparison:
        write_documents({**comparison.parts, "start": f"{start.text}\n{threads.text}"}, comparison.chart)


def parse_options() -> Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("sets", nargs="*", default=DEFAULT_SETS, help=f"default: {' '.join(DEFAULT_SETS)}")
    parser.add_argument("--methods", default=DEFAULT_METHOD, metavar="NAME,...", help=f"default: {DEFAULT_METHOD}")
    parser.add_argument("--repeats", type=int, default=1, metavar="N", help="the least time of N counts for each page")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="write the speeds as SVG")
    parser.add_argument("--write", action="store_true", help="write the results into the documents")
    parser.add_argument("--parts", action="store_true", help="measure groups of columns of the record")
    parser.add_argument("--start", action="store_true", help="measure the start of the program")
    parser.add_argument("--threads", type=parse_numbers, metavar="N,...", help="measure these numbers of threads")
    parser.add_argument("--workers", type=parse_numbers, metavar="N,...", help="measure extract_many with workers")
    return parser.parse_args()


def parse_numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def compare_extractors(pages: Sequence[Page], options: Namespace) -> Comparison:
    """Print tables of all pages, of the large ones, and by size; write the chart if asked."""
    times = measure_times(open_timers(options.methods.split(",")), pages, options.repeats)
    kilobytes = [len(html) / 1000 for html, _url in pages]
    parts = {"all pages": print_times(f"{len(pages)} pages", times).text}
    large = [number for number, size in enumerate(kilobytes) if size >= LARGE_KB]
    if large:
        title = f"{len(large)} pages of {LARGE_KB} KB and more"
        parts["all pages"] += "\n" + print_times(title, choose_pages(times, large)).text
    parts["sizes"] = print_sizes(times, kilobytes).text
    if options.write:
        parts["sentence"] = describe_speed(times)
    speeds = {work: {entry.name: median(times[entry]) for entry in times if entry.work == work} for work in REFERENCES}
    chart = draw_speeds(speeds)
    if options.chart:
        options.chart.write_text(chart)
    return Comparison(parts, chart)


def describe_speed(times: Times) -> str:
    """Return the sentence of the README. Raises KeyError if trafilatura or resiliparse is not installed."""
    average = {entry: mean(values) for entry, values in times.items()}
    ours, text = average[Entry(WITH_FIELDS, "broadsheet")], average[Entry(TEXT_ONLY, "broadsheet")]
    metadata = average[Entry(WITH_FIELDS, REFERENCES[WITH_FIELDS])]
    resiliparse = average[Entry(TEXT_ONLY, "resiliparse")]
    count = len(next(iter(times.values())))
    return write_sentence(count, metadata / ours, metadata / text, resiliparse / text)


def open_timers(methods: Iterable[str]) -> dict[Entry, Timer]:
    """Return the extractors that are installed; name the others."""
    timers: dict[Entry, Timer] = {}
    for method in methods:
        name = "broadsheet" if method == DEFAULT_METHOD else f"broadsheet {method}"
        timers[Entry(TEXT_ONLY, name)] = make_timer(open_broadsheet(TEXT, method=method))
        timers[Entry(WITH_FIELDS, name)] = make_timer(open_broadsheet(ALL_FIELDS, method=method))
    for work, peers in ((TEXT_ONLY, TEXT_PEERS), (WITH_FIELDS, FIELD_PEERS)):
        for name in peers:
            if timer := open_peer_timer(name):
                timers[Entry(work, name)] = timer
            else:
                print(f"{name} is not installed and was skipped: make peers, or broadsheet eval --setup-peers")
    return dict(sorted(timers.items(), key=lambda item: item[0].work, reverse=True))


def measure_times(timers: Mapping[Entry, Timer], pages: Sequence[Page], repeats: int = 1) -> Times:
    """Run the extractors over the same pages in turn, in an order that changes."""
    times: dict[Entry, list[float]] = {entry: [] for entry in timers}
    entries = list(timers)
    for timer in timers.values():
        timer(pages[:CHUNK])  # loads what the first pages need
    for number, chunk in enumerate(split_chunks(pages)):
        turn = number % len(entries)
        rounds: dict[Entry, list[list[float]]] = {entry: [] for entry in entries}
        for _ in range(repeats):
            for entry in entries[turn:] + entries[:turn]:
                rounds[entry].append(timers[entry](chunk))
        for entry, runs in rounds.items():
            times[entry] += map(min, zip(*runs, strict=True))
    return times


def split_chunks(pages: Sequence[Page]) -> Iterator[Sequence[Page]]:
    for start in range(0, len(pages), CHUNK):
        yield pages[start : start + CHUNK]


def choose_pages(times: Times, numbers: Sequence[int]) -> Times:
    return {entry: [values[number] for number in numbers] for entry, values in times.items()}


def print_times(title: str, times: Times) -> Table:
    """Print the time of each extractor and its speed: the ratio of the mean times, and of the median times."""
    metadata = Entry(WITH_FIELDS, REFERENCES[WITH_FIELDS])
    ratios = "x trafilatura, same work", "x trafilatura with metadata", "the same, median page"
    table = Table(title, "work", "median ms", "mean ms", "p95 ms", *ratios)
    for entry, values in times.items():
        p95 = sorted(values)[int(len(values) * 0.95)]
        same_work = Entry(entry.work, REFERENCES[entry.work])
        speeds = [divide(mean, times, same_work, entry), *(divide(of, times, metadata, entry) for of in (mean, median))]
        table.add(entry.name, entry.work, median(values), mean(values), p95, *speeds, digits=2)
    return table


def divide(average: Callable[[Sequence[float]], float], times: Times, first: Entry, second: Entry) -> float | str:
    """Return the ratio of two average times; "" if the first extractor is not installed."""
    return average(times[first]) / average(times[second]) if first in times else ""


def print_sizes(times: Times, kilobytes: Sequence[float]) -> Table:
    """Print the mean time by the size of the page, and the exponent b of time = a * size ** b."""
    table = Table("mean ms by KB", "pages", *(f"{entry.name}, {entry.work}" for entry in times))
    for first, last in pairwise(SIZES):
        numbers = [number for number, size in enumerate(kilobytes) if first <= size < last]
        if numbers:
            label = f"{first} to {last}" if last < SIZES[-1] else f"{first} and more"
            table.add(label, len(numbers), *map(mean, choose_pages(times, numbers).values()), digits=2)
    table.add("exponent", len(kilobytes), *(find_exponent(kilobytes, values) for values in times.values()), digits=2)
    return table


def measure_parts(pages: Sequence[Page]) -> None:
    """Print the time of the default method when it is asked for more and more columns of the record."""
    timers = {Entry(name, ""): make_timer(open_broadsheet(columns)) for name, columns in PARTS.items()}
    if not HAS_FIELDS:
        print("this version computes all columns in any case: the option `fields` is missing")
    means = {entry.work: mean(values) for entry, values in measure_times(timers, pages).items()}
    table = Table(f"{len(pages)} pages", "mean ms", "x everything")
    for name, value in means.items():
        table.add(name, value, means[list(PARTS)[-1]] / value, digits=2)


if __name__ == "__main__":
    main()
