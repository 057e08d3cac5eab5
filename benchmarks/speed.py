"""Speed beside trafilatura and resiliparse: each page goes through all in turn, so that a noisy machine hits all alike.

    make bench          or          python benchmarks/speed.py [dataset.split ...] [--pages N] [--parts]

Prints milliseconds a page and how many times as fast as `trafilatura.bare_extraction(with_metadata=True)` each is; with
`--parts`, the processor time of the steps of the default method instead.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
DEFAULT_SETS = ("big5-13.bench", "dragnet.bench")
Extractor = Callable[[str, str | None], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=DEFAULT_SETS)
    parser.add_argument("--pages", type=int, default=None, help="of each set; all by default")
    parser.add_argument("--parts", action="store_true", help="the steps of the default method instead")
    options = parser.parse_args()
    if options.parts:
        print_parts([page for name in options.sets for page in read_pages(name, options.pages)])
        return
    extractors = load_extractors()
    together: dict[str, list[float]] = {name: [] for name in extractors}
    for name in options.sets:
        times = time_set(extractors, list(read_pages(name, options.pages)))
        print_table(name, times)
        for extractor, values in times.items():
            together[extractor] += values
    if len(options.sets) > 1:
        print_table("all together", together)


def load_extractors() -> dict[str, Extractor]:
    try:
        import trafilatura
        from resiliparse.extract.html2text import extract_plain_text
    except ImportError as error:
        sys.exit(f"{error.name} is missing; run: make bench")

    import broadsheet

    def run_method(method: str) -> Extractor:
        return lambda html, url: broadsheet.extract(html, url=url, method=method).text

    return {
        **{f"broadsheet {method}": run_method(method) for method in broadsheet.methods()},
        "resiliparse": lambda html, _url: extract_plain_text(html, main_content=True),
        "trafilatura": lambda html, url: trafilatura.bare_extraction(html, url=url, with_metadata=True),
    }


def read_pages(name: str, count: int | None) -> Iterator[tuple[str, str | None]]:
    path = DATA / f"{name}.jsonl.xz"
    if not path.exists():
        sys.exit(f"{path} is missing: the benchmark needs the labelled pages")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for at, line in enumerate(lines):
            if count is not None and at >= count:
                return
            record = json.loads(line)
            yield record["html"], record["url"]


def time_set(extractors: dict[str, Extractor], pages: list[tuple[str, str | None]]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in extractors}
    for extractor in extractors.values():  # load weights and caches before the clock starts
        extractor(*pages[0])
    names = list(extractors)
    for at, (html, url) in enumerate(pages):
        turn = at % len(names)
        for name in names[turn:] + names[:turn]:
            started = time.perf_counter()
            extractors[name](html, url)
            times[name].append((time.perf_counter() - started) * 1000)
    return times


def print_parts(pages: list[tuple[str, str | None]]) -> None:
    """Time the steps of the default method, one after the other, in one pass."""
    from broadsheet.article import assemble
    from broadsheet.blocks import segment
    from broadsheet.fields import read_fields
    from broadsheet.gc_pause import GcPause
    from broadsheet.methods import DEFAULT_METHOD, load_method
    from broadsheet.methods.apply import label_blocks
    from broadsheet.page import read_page

    method = load_method(DEFAULT_METHOD)
    names = ("parse, walk and metadata", "blocks", f"method ({method.name})", "fields", "assemble", "text")
    times: list[list[float]] = []
    for html, url in pages[:1] + pages:  # the first loads what is loaded once
        with GcPause():
            clock = [time.process_time()]
            page = read_page(html, url=url)
            clock.append(time.process_time())
            blocks = segment(page)
            clock.append(time.process_time())
            labels = label_blocks(method, page, blocks)
            clock.append(time.process_time())
            fields = read_fields(page, blocks, labels)
            clock.append(time.process_time())
            article = assemble(page, blocks, labels, fields, method=method.name)
            clock.append(time.process_time())
            _ = article.text
            clock.append(time.process_time())
        times.append([(end - start) * 1000 for start, end in pairwise(clock)])
    print(f"processor time of a page, {len(pages)} pages, ms{'median':>10}{'mean':>10}")
    for name, values in zip((*names, "all"), (*zip(*times[1:], strict=True), list(map(sum, times[1:]))), strict=True):
        print(f"{name:45}{median(values):10.2f}{mean(values):10.2f}")


def print_table(name: str, times: dict[str, list[float]]) -> None:
    reference = mean(times["trafilatura"])
    print(f"\n{name}: {len(times['trafilatura'])} pages")
    print(f"{'':20}{'median ms':>10}{'mean ms':>10}{'p95 ms':>10}{'speed':>8}")
    for extractor, values in times.items():
        p95 = sorted(values)[int(len(values) * 0.95)]
        speed = reference / mean(values)
        print(f"{extractor:20}{median(values):10.2f}{mean(values):10.2f}{p95:10.2f}{speed:7.1f}x")


if __name__ == "__main__":
    main()
