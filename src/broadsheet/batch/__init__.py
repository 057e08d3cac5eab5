"""Batch: many files of pages to Parquet parts, each page exactly once, on one machine or on a Ray cluster.

    find_sources -> plan_run -> engine (schedules process_file) -> report

One input file is one unit of work. `process_file` reads it, extracts its pages, writes a part, renames it and adds an
entry to the manifest. An engine only decides where and when that happens.
"""

from broadsheet.batch.manifest import Part
from broadsheet.batch.options import BatchOptions, Filters
from broadsheet.batch.process import process_file
from broadsheet.batch.run import BatchRequest, BatchResult, run_batch
from broadsheet.batch.sources import Source, find_sources

__all__ = [
    "BatchOptions",
    "BatchRequest",
    "BatchResult",
    "Filters",
    "Part",
    "Source",
    "find_sources",
    "process_file",
    "run_batch",
]
