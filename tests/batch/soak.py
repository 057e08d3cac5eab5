"""Soak: the memory of `broadsheet batch` stays flat over 50,000 pages.

python -m tests.batch.soak --pages 50000

Half of the pages are in one archive, so that one process reads them all; the others are in archives of 1,000. The pages
are variants of the test pages, some of them mutated as for fuzzing. The resident memory of the processes is read
from /proc while the command runs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
from tests.batch.archives import make_page, name_address, pack_record
from tests.fuzz.mutate import mutate_page
from tests.fuzz.seeds import load_seed_pages

MAX_GROWTH_BYTES = 60_000_000  # of the last two thirds of the run over the first third: a row group is held in memory
SMALL_ARCHIVE_PAGES = 1_000
SHOWN_ROWS = 10
_SAMPLE_SECONDS = 0.5
_SAMPLES_PER_LINE = 120
_MAX_PAGE_CHARS = 60_000
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Sample:
    """Resident bytes at a time."""

    seconds: float
    driver: int
    worker: int  # the largest one


def main() -> int:
    """Run the soak test."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=50_000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="broadsheet-soak-") as folder:
        root = Path(folder)
        write_archives(root / "warc", options.pages)
        samples = run_batch_command(root, options.workers)
        rows = sum(pq.read_metadata(path).num_rows for path in (root / "out").glob("*.parquet"))
    print_table(samples)
    growth = measure_growth(samples)
    print(
        f"{rows:,} rows of {options.pages:,} pages; the largest worker process grew by {growth / 1e6:+.1f} MB; at most "
        f"{MAX_GROWTH_BYTES / 1e6:.0f} allowed"
    )
    return int(rows != options.pages or growth > MAX_GROWTH_BYTES)


def write_archives(folder: Path, pages: int) -> None:
    """Write one archive with half of the pages, and the others with 1,000 pages each."""
    folder.mkdir()
    starts = [0, *range(pages // 2, pages, SMALL_ARCHIVE_PAGES), pages]
    for number, (first, last) in enumerate(pairwise(starts)):
        with (folder / f"{number:03}.warc.gz").open("wb") as file:
            for page in range(first, last):
                file.write(pack_record(vary_page(page), name_address(page)))


def vary_page(number: int) -> bytes:
    """Return a test page with texts of its own: of eight, six are short, one is long, and one is long and mutated."""
    if number % 8 > 1:
        return make_page(number)
    random = Random(number)
    html = random.choice(load_seed_pages()).replace("<p>", f"<p>Report {number}: ")
    if number % 8:
        html = mutate_page(html, random)[:_MAX_PAGE_CHARS]
    return html.encode("utf-8", "replace")


def run_batch_command(root: Path, workers: int) -> list[Sample]:
    """Run the command, and return its memory over time."""
    command = [sys.executable, "-m", "broadsheet", "batch", str(root / "warc"), "-o", str(root / "out"), "--quiet"]
    samples: list[Sample] = []
    began = time.monotonic()
    with subprocess.Popen([*command, "--workers", str(workers)]) as process:
        while process.poll() is None:
            children = [read_memory(number) for number in list_children(process.pid)]
            samples.append(Sample(time.monotonic() - began, read_memory(process.pid), max(children, default=0)))
            if len(samples) % _SAMPLES_PER_LINE == 0:
                print(describe_sample(samples[-1]), file=sys.stderr)
            time.sleep(_SAMPLE_SECONDS)
    if process.returncode:
        sys.exit(f"the command ended with the exit code {process.returncode}")
    return samples


def describe_sample(sample: Sample) -> str:
    """Return a sample as a row of the table."""
    return f"| {sample.seconds:.0f} s | {sample.driver / 1e6:.0f} | {sample.worker / 1e6:.0f} |"


def list_children(parent: int) -> list[int]:
    """Return the ids of the child processes."""
    numbers: list[int] = []
    for tasks in Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            numbers += map(int, tasks.read_text().split())
        except OSError:  # the thread has ended
            continue
    return numbers


def read_memory(process: int) -> int:
    """Return the resident bytes of a process; 0 if it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError):
        return 0


def print_table(samples: Sequence[Sample]) -> None:
    """Print the largest sizes in each tenth of the run."""
    print("| up to | driver, MB | largest worker, MB |\n|---|---:|---:|")
    for number in range(SHOWN_ROWS):
        part = samples[number * len(samples) // SHOWN_ROWS : (number + 1) * len(samples) // SHOWN_ROWS]
        if part:
            driver, worker = max(sample.driver for sample in part), max(sample.worker for sample in part)
            print(describe_sample(Sample(part[-1].seconds, driver, worker)))


def measure_growth(samples: Sequence[Sample]) -> int:
    """Return how much larger the largest worker is after the first third of the run."""
    third = max(len(samples) // 3, 1)
    later = max((sample.worker for sample in samples[third:]), default=0)
    return later - max(sample.worker for sample in samples[:third])


if __name__ == "__main__":
    sys.exit(main())
