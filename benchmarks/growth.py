"""Growth of time and memory with the size of hostile pages, each of which repeats one construct.

    python -m benchmarks.growth [--all] [--shapes 'entities,comments'] [--methods fusion] [--repeats 3]
    python -m benchmarks.growth --large [--all] ...

Prints, for each method and the growth shapes of the fuzz suite (all shapes with --all), the exponent b of
time = a * size ** b from 100 KB to 1.6 MB, of an extraction with all outputs, and its time and memory for the largest
page. Exit code 1 if an exponent is above 1.15. Times of less than 30 ms are not judged: there, an exponent is mostly
the cost of caches that a larger page no longer fits in, and 8 MB take less than the limit in any case.

With --large, pages have 8 MB: extraction with one method and all outputs, in a process of its own. Exit code 1 if one
takes more than 2 s of processor time or 500 MB, or exceeds `max_seconds` by more than 0.3 s.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.fuzz.shapes import ATTACK_SHAPES, GROWTH_SHAPES, SHAPES, Shape

import broadsheet
from benchmarks.harness import Table, find_exponent
from benchmarks.sample_pages import make_page
from broadsheet.errors import LimitReached, MissingExtra
from broadsheet.output import FORMATS, TABLES
from broadsheet.output.record import RECORD
from broadsheet.page import read_page

SIZES = (100_000, 200_000, 400_000, 800_000, 1_600_000)
MAX_EXPONENT = 1.15
MIN_SECONDS = 0.03  # for the largest page: less is not judged
SECOND_LOOKS = 3  # at an exponent that is too high: other load on the machine disturbs the times
LIMITS = broadsheet.Limits(max_seconds=120)
LARGE = 8_000_000
MAX_SECONDS, MAX_BYTES, MAX_OVERSHOOT = 2.0, 500_000_000, 0.3
SHORT_SECONDS = 0.05  # a time limit that large pages exceed
PARSER_BYTES, PARSER_BYTES_PER_BYTE = 50_000_000, 40
URL = "https://x.example/news/ferry"


class Cost(NamedTuple):
    """Processor seconds and peak bytes of a page in a process of its own."""

    extraction: float
    slowest_output: float
    output_name: str
    seconds: float  # of all
    memory: int
    overshoot: float  # of a short time limit


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="pages of 8 MB within the default limits")
    parser.add_argument("--all", action="store_true", help="all shapes of the fuzz suite")
    parser.add_argument("--shapes", metavar="NAME,...", help="only these")
    parser.add_argument("--methods", metavar="NAME,...", default=",".join(broadsheet.methods()))
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="the least time of N counts; default: 3")
    options = parser.parse_args()
    every = (*SHAPES, *ATTACK_SHAPES)
    shapes = every if options.all or options.shapes else GROWTH_SHAPES
    if options.shapes:
        shapes = tuple(shape for shape in shapes if shape.name in options.shapes.split(","))
    methods = options.methods.split(",")
    for method in methods:  # loads the weights
        write_all(broadsheet.extract(make_page(0), method=method))
    if options.large:
        return print_costs(shapes, methods)
    is_bounded = print_parser_memory(shapes)
    return int(print_growth(shapes, methods, options.repeats) > MAX_EXPONENT or not is_bounded)


def write_all(article: broadsheet.Article) -> dict[str, float]:
    """Write an article in all formats; return the processor seconds of each."""
    seconds = {}
    for name, layout in FORMATS.items():
        started = time.process_time()
        layout.write(article)
        seconds[name] = time.process_time() - started
    for name, table in TABLES.items():
        started = time.process_time()
        try:
            writer = table.open_writer(io.BytesIO(), RECORD)
        except MissingExtra:
            continue
        writer.write(article)
        writer.close()
        seconds[name] = time.process_time() - started
    return seconds


def print_costs(shapes: Sequence[Shape], methods: Sequence[str]) -> int:
    """Print what large pages cost; return 1 if one costs too much."""
    table = Table("shape, 8 MB", "method", "extraction s", "slowest output s", "", "all s", "MB", "overshoot s")
    failures = 0
    worst = Cost(0.0, 0.0, "", 0.0, 0, 0.0)
    for shape in shapes:
        page = shape.make(LARGE)
        for method in methods:
            cost: Cost = run_forked(measure_cost, page, method)
            worst = Cost(*map(max, worst, cost))  # type: ignore[arg-type]
            cells = (cost.extraction, cost.slowest_output, cost.output_name, cost.seconds, cost.memory / 1e6)
            table.add(shape.name, method, *cells, cost.overshoot, digits=2)
            if cost.seconds > MAX_SECONDS or cost.memory > MAX_BYTES or cost.overshoot > MAX_OVERSHOOT:
                failures += 1
                print(f"FAILED {shape.name}, {method}", flush=True)
    print(
        f"\n{len(shapes)} shapes, {len(methods)} methods: at most {worst.seconds:.2f} s ({worst.extraction:.2f} s of "
        f"extraction, {worst.slowest_output:.2f} s of an output), {worst.memory / 1e6:.0f} MB, "
        f"{worst.overshoot:.2f} s beyond max_seconds; {failures} failures"
    )
    return int(bool(failures))


def measure_cost(page: str, method: str) -> Cost:
    """Extract a page and write it. Called in a forked process."""
    before = reset_peak()
    started = time.process_time()
    article = broadsheet.extract(page, URL, method)
    extraction = time.process_time() - started
    outputs = write_all(article)
    seconds, memory = time.process_time() - started, read_peak() - before
    slowest = max(outputs, key=lambda name: outputs[name])
    started = time.process_time()
    try:
        limits = broadsheet.Limits(max_seconds=SHORT_SECONDS)
        broadsheet.extract(page, URL, method, limits=limits, fields=tuple(column.name for column in RECORD))
    except LimitReached:
        pass
    overshoot = max(0.0, time.process_time() - started - SHORT_SECONDS)
    return Cost(extraction, outputs[slowest], slowest, seconds, memory, overshoot)


def print_growth(shapes: Sequence[Shape], methods: Sequence[str], repeats: int) -> float:
    """Print the exponent of each shape and method, and the time for its largest page; return the largest exponent."""
    table = Table("time of extraction and outputs", "method", "exponent", "ms")
    largest = 0.0
    for shape in shapes:
        pages = [shape.make(size) for size in SIZES]
        for method in methods:
            times = measure_times(pages, method, repeats)
            exponent = find_exponent(SIZES, times)
            is_judged = times[-1] >= MIN_SECONDS
            table.add(shape.name, method, exponent if is_judged else f"({exponent:.2f})", 1000 * times[-1], digits=2)
            largest = max(largest, exponent if is_judged else 0.0)
    print(f"\nlargest exponent: {largest:.2f}; at most {MAX_EXPONENT} is allowed", flush=True)
    return largest


def measure_times(pages: Sequence[str], method: str, repeats: int) -> list[float]:
    """Return the least seconds of processor time for each page."""
    times = [float("inf")] * len(pages)
    for _ in range(1 + SECOND_LOOKS):
        for number, page in enumerate(pages):
            times[number] = min(times[number], *(_measure_time(page, method) for _ in range(repeats)))
        if times[-1] < MIN_SECONDS or find_exponent(SIZES, times) <= MAX_EXPONENT:
            break
    return times


def _measure_time(page: str, method: str) -> float:
    started = time.thread_time()
    article = broadsheet.extract(page, URL, method, limits=LIMITS)
    for layout in FORMATS.values():
        layout.write(article)
    return time.thread_time() - started


def print_parser_memory(shapes: Sequence[Shape]) -> bool:
    """Print the memory of the parser for the largest page of each shape; return whether it is bounded.

    Before the times: a process that has extracted large pages has free memory, which would not count.
    """
    table = Table("memory of the parser", "page MB", "MB", "bytes per byte")
    unbounded = []
    for shape in shapes:
        page = shape.make(SIZES[-1])
        size = len(page.encode("utf-8", "surrogatepass"))
        memory: int = run_forked(measure_parser, page)
        table.add(shape.name, size / 1e6, memory / 1e6, memory / size, digits=1)
        unbounded += [shape.name] if memory > PARSER_BYTES + PARSER_BYTES_PER_BYTE * size else []
    limit = f"{PARSER_BYTES / 1e6:.0f} MB and {PARSER_BYTES_PER_BYTE} bytes per byte"
    print(f"parser above {limit}: {', '.join(unbounded) or 'none'}")
    return not unbounded


def measure_parser(page: str) -> int:
    """Return the bytes by which the memory of the process grows at its peak. Called in a forked process."""
    before = reset_peak()
    kept = read_page(page, limits=LIMITS)
    peak = read_peak()
    del kept
    return peak - before


def run_forked(call: Callable[..., Any], *arguments: object) -> Any:
    """Call a function in a process of its own (Linux)."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(call, arguments)


def reset_peak() -> int:
    """Forget the peak memory of this process; return its memory."""
    Path("/proc/self/clear_refs").write_text("5")
    return _read_status("VmRSS")


def read_peak() -> int:
    """Return the peak memory of this process in bytes."""
    return _read_status("VmHWM")


def _read_status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(name)).split()[1])


if __name__ == "__main__":
    sys.exit(main())
