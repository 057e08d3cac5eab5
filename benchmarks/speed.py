"""Speed of all methods beside trafilatura and resiliparse.

    make bench          or          python -m benchmarks.speed [dataset.split ...] [--pages N]
    python -m benchmarks.speed --parts          processor time of the steps of the default method

Prints milliseconds per page, and the speed relative to `trafilatura.bare_extraction(with_metadata=True)`. Each page
goes through all extractors in turn, so that other load on the machine affects all of them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import mean, median

import broadsheet
from benchmarks.harness import Data, Stopwatch, make_parser, parse_data
from broadsheet.article import assemble
from broadsheet.blocks import segment
from broadsheet.corpora import Record
from broadsheet.fields import read_fields
from broadsheet.gc_pause import GcPause
from broadsheet.methods import DEFAULT_METHOD, Method, load_method
from broadsheet.methods.apply import label_blocks
from broadsheet.page import read_page

DEFAULT_SETS = ("big5-13.bench", "dragnet.bench")
REFERENCE = "trafilatura"
Extractor = Callable[[str, str | None], object]
Times = dict[str, list[float]]  # extractor -> milliseconds of each page


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("sets", nargs="*", default=DEFAULT_SETS, help=f"default: {' '.join(DEFAULT_SETS)}")
    parser.add_argument("--parts", action="store_true", help="measure the steps of the default method instead")
    options = parser.parse_args()
    if options.parts:
        measure_steps(parse_data(options), options.sets)
    else:
        compare_extractors(parse_data(options), options.sets)


def compare_extractors(data: Data, sets: list[str]) -> None:
    """Print a table for each set, and one for all sets together."""
    extractors = load_extractors()
    total: Times = {name: [] for name in extractors}
    for name in sets:
        times = time_extractors(extractors, list(data.read(name)))
        print_times(name, times)
        for extractor, values in times.items():
            total[extractor] += values
    if len(sets) > 1:
        print_times("all sets", total)


def load_extractors() -> dict[str, Extractor]:
    try:
        import trafilatura
        from resiliparse.extract.html2text import extract_plain_text
    except ImportError as error:
        sys.exit(f"{error.name} is not installed; run: make bench")

    def run_method(method: str) -> Extractor:
        return lambda html, url: broadsheet.extract(html, url=url, method=method).text

    return {
        **{f"broadsheet {method}": run_method(method) for method in broadsheet.methods()},
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
            start = time.perf_counter()
            extractors[name](str(record.html), record.url)
            times[name].append((time.perf_counter() - start) * 1000)
    return times


def print_times(title: str, times: Times) -> None:
    reference = mean(times[REFERENCE])
    print(f"\n{title}: {len(times[REFERENCE])} pages")
    print(f"{'':20}{'median ms':>10}{'mean ms':>10}{'p95 ms':>10}{'speed':>8}")
    for extractor, values in times.items():
        p95 = sorted(values)[int(len(values) * 0.95)]
        print(f"{extractor:20}{median(values):10.2f}{mean(values):10.2f}{p95:10.2f}{reference / mean(values):7.1f}x")


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
            fields = read_fields(page, blocks, labels)
        with watch.step("assemble"):
            article = assemble(page, blocks, labels, fields, method=method.name)
        with watch.step("text"):
            _ = article.text


if __name__ == "__main__":
    main()
