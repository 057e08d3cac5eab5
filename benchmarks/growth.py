"""Growth of time and memory with the size of hostile pages, each of which repeats one construct.

    python benchmarks/growth.py [--shapes 'entities,comments'] [--repeats 3]

Prints, for the 24 growth shapes of the fuzz suite from 100 KB to 1.6 MB, the exponent b of time = a * size ** b, with
the text alone and with all fields, and the memory of the parser and of an extraction for the largest page. Exit code 1
if an exponent is above 1.1, or if the parser takes more than 50 MB and 40 bytes per byte of the page.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.shapes import GROWTH_SHAPES, Shape, find_shape

import broadsheet
from benchmarks.harness import Table, find_exponent
from benchmarks.sample_pages import make_page
from benchmarks.speed_parts import ALL_FIELDS, TEXT, open_broadsheet
from broadsheet.page import read_page

SIZES = (100_000, 200_000, 400_000, 800_000, 1_600_000)
MAX_EXPONENT = 1.1
MAX_BYTES, MAX_BYTES_PER_BYTE = 50_000_000, 40  # of the parser
SECOND_LOOKS = 3  # at an exponent that is too high: other load on the machine disturbs the times
LIMITS = broadsheet.Limits(max_seconds=120)
Run = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of memory for the largest page of a shape."""

    page: int  # its size
    parser: int
    extraction: int

    @property
    def is_bounded(self) -> bool:
        """Whether the parser stays within its memory."""
        return self.parser <= MAX_BYTES + MAX_BYTES_PER_BYTE * self.page


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", metavar="NAME,...", help="default: the 24 of `tests.fuzz.shapes.GROWTH_SHAPES`")
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="the least time of N counts; default: 3")
    options = parser.parse_args()
    shapes = [find_shape(name) for name in options.shapes.split(",")] if options.shapes else GROWTH_SHAPES
    run_all(make_page(0))  # loads weights
    unbounded = print_memory(shapes)
    exponent = print_times(shapes, options.repeats)
    print(f"\nlargest exponent: {exponent:.2f}; at most {MAX_EXPONENT} is allowed")
    limit = f"{MAX_BYTES / 1e6:.0f} MB and {MAX_BYTES_PER_BYTE} bytes per byte"
    print(f"parser above {limit}: {', '.join(unbounded) or 'none'}")
    return int(exponent > MAX_EXPONENT or bool(unbounded))


def print_memory(shapes: Sequence[Shape]) -> list[str]:
    """Print the memory for the largest page of each shape; return the shapes for which the parser takes too much.

    Before the times: a process that has extracted large pages has free memory, which would not count.
    """
    table = Table("memory", "page MB", "parser MB", "bytes per byte", "extraction MB", "bytes per byte")
    unbounded = []
    for shape in shapes:
        page = shape.make(SIZES[-1])
        size = len(page.encode("utf-8", "surrogatepass"))
        memory = Memory(size, measure_memory(run_parser, page), measure_memory(run_all, page))
        parts = [figure for part in (memory.parser, memory.extraction) for figure in (part / 1e6, part / size)]
        table.add(shape.name, size / 1e6, *parts, digits=1)
        unbounded += [] if memory.is_bounded else [shape.name]
    return unbounded


def print_times(shapes: Sequence[Shape], repeats: int) -> float:
    """Print the exponents of each shape, and the time for its largest page; return the largest exponent."""
    table = Table("time", "text only, exponent", "ms", "all fields, exponent", "ms")
    largest = 0.0
    for shape in shapes:
        pages = [shape.make(size) for size in SIZES]
        text, full = (measure_times(run, pages, repeats) for run in (run_text, run_all))
        exponents = [find_exponent(SIZES, times) for times in (text, full)]
        table.add(shape.name, exponents[0], text[-1], exponents[1], full[-1], digits=2)
        largest = max(largest, *exponents)
    return largest


def run_text(html: str) -> object:
    return open_broadsheet(TEXT, limits=LIMITS)(html, None)


def run_all(html: str) -> object:
    return open_broadsheet(ALL_FIELDS, limits=LIMITS)(html, None)


def run_parser(html: str) -> object:
    return read_page(html, limits=LIMITS)


def measure_times(run: Run, pages: Sequence[str], repeats: int) -> list[float]:
    """Return the least milliseconds of processor time for each page."""
    times = [float("inf")] * len(pages)
    for _ in range(1 + SECOND_LOOKS):
        for number, page in enumerate(pages):
            times[number] = min(times[number], *(_measure_time(run, page) for _ in range(repeats)))
        if find_exponent(SIZES, times) <= MAX_EXPONENT:
            break
    return times


def _measure_time(run: Run, page: str) -> float:
    start = time.thread_time()
    run(page)
    return 1000 * (time.thread_time() - start)


def measure_memory(run: Run, page: str) -> int:
    """Return the bytes by which the memory of a forked process grows at its peak (Linux)."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(_find_peak, (run, page))


def _find_peak(run: Run, page: str) -> int:
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before = _read_status("VmRSS")
    result = run(page)
    peak = _read_status("VmHWM")
    del result
    return peak - before


def _read_status(name: str) -> int:
    """Return a size of this process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith(name)).split()[1])


if __name__ == "__main__":
    sys.exit(main())
