"""`broadsheet batch`: processor time beside plain extraction, scaling, and quality with --by-site.

    python -m benchmarks.batch cost           processor time of plain extraction and of a batch with one worker
    python -m benchmarks.batch large          the same for large pages, of 180 KB on average
    python -m benchmarks.batch workers        elapsed time with one and with two workers; needs an idle machine
    python -m benchmarks.batch by-site        word F1 of batches with and without --by-site, beside Site.learn

The load of the machine is printed with the times: with other programs running, only processor times mean something.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import mean

import pyarrow.parquet as pq
from tests.batch.archives import pack_record

import broadsheet
from benchmarks.harness import Data, GoldPage, Table, run_command
from broadsheet.batch import BatchOptions, BatchRequest, find_sources, process_file, run_batch
from broadsheet.corpora import Record
from broadsheet.inputs import read_captures
from broadsheet.options import ExtractOptions
from broadsheet.site import Sites

COST_SETS = ("metahtml.dev", "wcxb.dev", "dragnet.dev", "big5-09.dev")
COST_PAGES = 400
LARGE_SETS = ("metahtml.dev", "wcxb.dev", "big5-09.dev", "fundus.dev")
LARGE_PAGES = 120
LARGE_COPIES = 5  # of each page, so that the start of a command is a small part of the time
LARGE_BYTES = range(90_000, 400_000)
ARCHIVES = 4
WORKER_COPIES = 5  # of each page, so that the start of the command is a small part of the time
ROUNDS = 3
SITE_SETS = ("big5-05.dev", "big5-09.dev", "big5-13.bench", "wcxb.dev")  # the last one has few pages a host
SITE_METHODS = ("fusion", "stadynot", "twcem")
PLAIN = """
import sys, broadsheet
from broadsheet.inputs import read_captures
for path in sys.argv[1:]:
    for capture in read_captures(path):
        broadsheet.extract(capture.html, capture.url, charset=capture.content_type)
"""


def main() -> None:
    run_command(__doc__, {"cost": show_cost, "large": show_large, "workers": show_workers, "by-site": show_by_site})


# Cost


def show_cost(data: Data) -> None:
    """Print the processor times of usual pages."""
    measure_cost(read_pages(data))


def show_large(data: Data) -> None:
    """Print the processor times of large pages."""
    records = (record for name in LARGE_SETS for record in data.read(name) if len(record.html) in LARGE_BYTES)
    measure_cost(iter(list(islice(records, LARGE_PAGES)) * LARGE_COPIES))


def measure_cost(records: Iterator[Record]) -> None:
    """Print processor times: of the work alone, and of whole commands with their start."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = write_archives(folder, records, ARCHIVES)
        archives = sorted(map(str, folder.glob("*.gz")))
        print(f"{count} pages in {ARCHIVES} archives; the least of {ROUNDS} rounds; load {os.getloadavg()[0]:.1f}")
        table = Table("processor time, ms a page", "extract", "batch", "batch / extract")
        work = time_in_turn(lambda: extract_all(archives), lambda: process_all(archives), time.process_time)
        table.add(
            "in one process, after loading", *(1000 * value / count for value in work), work[1] / work[0], digits=2
        )
        plain = [sys.executable, "-c", PLAIN, *archives]
        commands = time_in_turn(
            lambda: subprocess.run(plain, check=True), lambda: run_batch_command(archives, 1), read_children_seconds
        )
        cells = [1000 * value / count for value in commands]
        table.add("whole command, one worker", *cells, commands[1] / commands[0], digits=2)
    print(f"peak memory of the largest process: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")


def read_pages(data: Data) -> Iterator[Record]:
    for name in COST_SETS:
        for number, record in enumerate(data.read(name)):
            if number >= COST_PAGES // len(COST_SETS):
                break
            yield record


def write_archives(folder: Path, records: Iterator[Record] | Sequence[Record], count: int) -> int:
    """Write pages to WARC files, in turn. Return the number of pages."""
    files = [(folder / f"{number}.warc.gz").open("wb") for number in range(count)]
    pages = 0
    for pages, record in enumerate(records, 1):
        html = record.html if isinstance(record.html, bytes) else record.html.encode("utf-8", "surrogatepass")
        files[pages % count].write(pack_record(html, record.url or "https://x.example/"))
    for file in files:
        file.close()
    return pages


def time_in_turn(
    one: Callable[[], object], two: Callable[[], object], clock: Callable[[], float]
) -> tuple[float, float]:
    """Return the least times of two functions that take turns. The first round only loads."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS + 1):
        for function, values in zip((one, two), times, strict=True):
            began = clock()
            function()
            values.append(clock() - began)
    return min(times[0][1:]), min(times[1][1:])


def read_children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def extract_all(archives: Sequence[str]) -> None:
    for path in archives:
        for capture in read_captures(path):
            broadsheet.extract(capture.html or b"", capture.url, charset=capture.content_type)


def process_all(archives: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as out:
        for source in find_sources(archives).sources:
            process_file(source, BatchOptions(), out)


def run_batch_command(archives: Sequence[str], workers: int) -> None:
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "broadsheet", "batch", *archives, "-o", out, "--quiet"]
        subprocess.run([*command, "--workers", str(workers)], check=True)


# Workers


def show_workers(data: Data) -> None:
    """Print the elapsed time with one and with two workers."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        count = write_archives(folder, list(read_pages(data)) * WORKER_COPIES, 2 * ARCHIVES)
        archives = sorted(map(str, folder.glob("*.gz")))
        for kind, clock in (("elapsed", time.perf_counter), ("processor", read_children_seconds)):
            times = time_in_turn(lambda: run_batch_command(archives, 1), lambda: run_batch_command(archives, 2), clock)
            table = Table(f"{kind} seconds, {count} pages, load {os.getloadavg()[0]:.1f}", "1", "2", "1 / 2")
            table.add("workers", *times, times[0] / times[1], digits=2)


# Sites


@dataclass(frozen=True, slots=True)
class Scores:
    """Mean word F1."""

    single: float
    learned: float  # with Site.learn of all pages of the host
    batch: float
    batch_by_site: float


def show_by_site(data: Data) -> None:
    """Print word F1 of the rows of batches, and of the same pages with sites learned in memory."""
    for name in SITE_SETS:
        pages = data.read_gold(name)
        hosts = len({page.record.site for page in pages})
        table = Table(f"{name}: {len(pages)} pages of {hosts} hosts", *Scores.__slots__, "gain")
        for method in SITE_METHODS:
            scores = score_method(pages, method)
            cells = [getattr(scores, field) for field in Scores.__slots__]
            table.add(method, *cells, f"{scores.batch_by_site - scores.batch:+.3f}")


def score_method(pages: Sequence[GoldPage], method: str) -> Scores:
    addresses = [f"https://{page.record.site or 'x.example'}/{at}" for at, page in enumerate(pages)]
    sites = Sites()
    sites.learn([(url, page.record.html) for url, page in zip(addresses, pages, strict=True)])

    def extract(page: GoldPage, url: str, site: Sites | None) -> str:
        return broadsheet.extract(page.record.html, url, method, site=site).text

    pairs = list(zip(pages, addresses, strict=True))
    return Scores(
        single=mean(page.score(extract(page, url, None)).f1 for page, url in pairs),
        learned=mean(page.score(extract(page, url, sites)).f1 for page, url in pairs),
        batch=score_batch(pairs, method, is_by_site=False),
        batch_by_site=score_batch(pairs, method, is_by_site=True),
    )


def score_batch(pairs: Sequence[tuple[GoldPage, str]], method: str, *, is_by_site: bool) -> float:
    """Return the mean word F1 of the rows of a batch of four archives."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_archives(folder, [replace(page.record, url=url) for page, url in pairs], ARCHIVES)
        options = BatchOptions(extract=ExtractOptions(method=method), is_by_site=is_by_site)
        run_batch(BatchRequest(find_sources([f"{folder}/*.gz"]), str(folder / "out"), options))
        tables = [pq.read_table(path, columns=["url", "text"]) for path in (folder / "out").glob("*.parquet")]
        texts = {row["url"]: row["text"] or "" for table in tables for row in table.to_pylist()}
    return mean(page.score(texts[url]).f1 for page, url in pairs)


if __name__ == "__main__":
    main()
