"""Memory and time of what grows with a batch: `python -m benchmarks.batch_scale duplicates 5000000 | resume 100000`.

Rows and entries are generated. A quarter of the rows are near-duplicates of others, a tenth are exact copies.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from broadsheet.batch import BatchOptions, BatchRequest, Part, Source, run_batch
from broadsheet.batch.duplicates import PERMUTATIONS, find_duplicates
from broadsheet.batch.folder import OutputFolder
from broadsheet.batch.manifest import OPTIONS, SEGMENT_PARTS, move_to_segment, name_entry, write_entry
from broadsheet.batch.options import hash_options
from broadsheet.batch.sources import SourceList
from broadsheet.inputs import Kind

PART_ROWS = 100_000


def main() -> None:
    """Run a measurement."""
    commands = {"duplicates": measure_duplicates, "resume": measure_resume}
    commands[sys.argv[1]](int(sys.argv[2]))


def measure_duplicates(count: int) -> None:
    """Deduplicate generated rows in a process of its own, and print its peak memory."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("SPILL")) as name:
        folder = Path(name) / "out"
        generate_rows(folder, count)
        if (process := os.fork()) == 0:
            began, cpu = time.monotonic(), time.process_time()
            counts = find_duplicates(folder, folder / "_duplicates" / "duplicates.parquet", spill=name)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            seconds, cpu_seconds = time.monotonic() - began, time.process_time() - cpu
            print(
                f"{count:,} rows: {seconds:.0f} s, {cpu_seconds:.0f} s of processor time, peak {peak:.0f} MB; {counts}"
            )
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(process, 0)


def generate_rows(folder: Path, count: int) -> None:
    """Write parts of generated rows."""
    output = OutputFolder(folder)
    output.create()
    random = np.random.default_rng(0)
    for start in range(0, count, PART_ROWS):
        size = min(PART_ROWS, count - start)
        signatures = random.integers(0, 2**32, (size, PERMUTATIONS), dtype=np.uint32)
        hashes = [f"{number:032x}" for number in range(start + 1, start + size + 1)]
        for row in range(size // 4):  # every fourth row, with one number in twenty changed
            signatures[4 * row + 1] = np.where(
                random.random(PERMUTATIONS) < 0.05, signatures[4 * row + 1], signatures[4 * row]
            )
        for row in range(size // 10):
            signatures[10 * row + 5], hashes[10 * row + 5] = signatures[10 * row + 3], hashes[10 * row + 3]
        table = pa.table(
            {
                "id": [f"{number:032x}" for number in range(start, start + size)],
                "text_hash": hashes,
                "minhash": [row.tobytes() for row in signatures],
                "url": [f"https://host{number % 1000}.example/{number // 2}" for number in range(start, start + size)],
                "fetched_at": pa.array(np.arange(start, start + size), pa.timestamp("us", "UTC")),
            }
        )
        key = f"{start // PART_ROWS:020x}"
        path = folder / f"part-{key}.parquet"
        pq.write_table(table, path)
        part = Part("part", key, "1-1", "abc", path.name, path.stat().st_size, size)
        output.write(name_entry(key), write_entry(part).encode())


def measure_resume(count: int) -> None:
    """Start a run of which all inputs are done."""
    options = BatchOptions()
    description = options.describe()
    with tempfile.TemporaryDirectory() as folder:
        output = OutputFolder(Path(folder))
        output.create()
        sources = [
            Source(f"s3://x/{at}.warc.gz", f"s3://x/{at}.warc.gz", f"9-{at}", 9, Kind.WARC) for at in range(count)
        ]
        values: dict[str, Any] = {
            "hosts": {f"host{number}.example": 9 for number in range(20)},
            "host_count": 20,
            "statuses": {"ok": 180},
        }
        parts = [
            Part(at.name, at.key, at.stamp, hash_options(description), at.part_file, 4, 180, input_bytes=9, **values)
            for at in sources
        ]
        output.write(OPTIONS, json.dumps(description).encode())
        for part in parts:
            (output.root / part.file).write_bytes(b"PAR1")
        for start in range(0, count, SEGMENT_PARTS):
            move_to_segment(output, parts[start : start + SEGMENT_PARTS])
        del parts
        began, cpu = time.monotonic(), time.process_time()
        result = run_batch(BatchRequest(SourceList(tuple(sources)), folder, options))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        seconds, cpu_seconds = time.monotonic() - began, time.process_time() - cpu
        print(
            f"{count:,} inputs: {result.new} new, {seconds:.1f} s, {cpu_seconds:.1f} s of processor time, {peak:.0f} MB"
        )


if __name__ == "__main__":
    main()
