"""A table for warehouses: the rows of a batch in files of a target size, by partitions, sorted, without duplicates.

The new folder replaces an older one when it is complete: readers see all rows of the one or of the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from broadsheet.atomic import replace_folder
from broadsheet.batch.by_site import find_bucket
from broadsheet.batch.folder import DUPLICATES
from broadsheet.batch.manifest import read_entries
from broadsheet.batch.store import Output, open_output
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra

PARTITIONS = ("date", "year", "host", "language")
_MAX_BUFFERED = 1_000_000_000  # bytes of rows in memory, over all partitions
_RATIO = 3  # of rows in memory to rows in a file
_GROUP_ROWS = 20_000
_SORTED_BY = [("host", "ascending"), ("url", "ascending"), ("id", "ascending")]


@dataclass(frozen=True, slots=True)
class CompactCounts:
    """What was written."""

    rows: int
    left_out: int  # duplicates
    files: int


def compact_table(
    folder: str | Path, target: str | Path, *, partition_by: str = "", file_mb: int = 256, is_deduplicated: bool = False
) -> CompactCounts:
    """Write the rows of a batch to files of about `file_mb`.

    Args:
        folder: The output of a batch.
        target: Folder of the table. It is replaced as a whole.
        partition_by: "date" (month of publication), "year", "host" (256 buckets) or "language": folders such as
            `month=2024-03`, which readers of datasets know as columns.
        file_mb: Size of files, about.
        is_deduplicated: Leave out rows that `find_duplicates` does not keep.

    """
    if partition_by and partition_by not in PARTITIONS:
        raise UsageError(f"--partition-by takes {', '.join(PARTITIONS)}, not {partition_by!r}")
    output = open_output(str(folder))
    dropped = _read_dropped(output) if is_deduplicated else np.zeros(0, "S32")
    buffers: dict[str, list[Any]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    rows = files = left_out = 0
    with replace_folder(Path(target)) as draft:
        for batch in _read_batches(output):
            kept = batch.filter(_find_kept(batch, dropped)) if len(dropped) else batch
            left_out += batch.num_rows - kept.num_rows
            rows += kept.num_rows
            for name, piece in _split(kept, partition_by):
                buffers[name].append(piece)
                sizes[name] += piece.nbytes
            while sizes and (max(sizes.values()) > _RATIO * file_mb * 1_000_000 or sum(sizes.values()) > _MAX_BUFFERED):
                name = max(sizes, key=lambda key: (sizes[key], key))
                _write(draft / name, buffers.pop(name), files)
                del sizes[name]
                files += 1
        for name in sorted(buffers):
            _write(draft / name, buffers[name], files)
            files += 1
    return CompactCounts(rows, left_out, files)


def _read_batches(output: Output) -> Iterator[Any]:
    parquet = import_extra("pyarrow.parquet", "tables")
    arrow = import_extra("pyarrow", "tables")
    parts = sorted(read_entries(output), key=lambda part: part.file)
    if not parts:
        raise UsageError(f"there are no parts in {output.name}; name the output folder of broadsheet batch")
    for part in parts:
        with output.open_part(part.file) as opened, parquet.ParquetFile(opened) as file:
            for group in range(file.num_row_groups):
                yield arrow.table(file.read_row_group(group))


def _read_dropped(output: Output) -> np.ndarray:
    """Return the ids of rows to leave out, sorted. 32 bytes each."""
    parquet = import_extra("pyarrow.parquet", "tables")
    name = f"{DUPLICATES}/duplicates.parquet"
    if name not in output.list_sizes(DUPLICATES):
        raise UsageError(f"{output.name} has no {name}; run broadsheet duplicates first")
    with output.open_part(name) as opened:
        table = parquet.read_table(opened, columns=["id", "keep"])
    is_dropped = ~np.array(table["keep"].to_pylist(), bool)
    return np.sort(np.array(table["id"].to_pylist(), "S32")[is_dropped])


def _find_kept(batch: Any, dropped: np.ndarray) -> Any:
    arrow = import_extra("pyarrow", "tables")
    ids = np.array(batch["id"].to_pylist(), "S32")
    places = np.minimum(np.searchsorted(dropped, ids), len(dropped) - 1)
    return arrow.array(dropped[places] != ids)


def _split(table: Any, partition_by: str) -> Iterator[tuple[str, Any]]:
    """Yield the rows of each partition, with the name of its folder."""
    if not partition_by:
        yield "", table
        return
    arrow = import_extra("pyarrow", "tables")
    names = np.array(_name_partitions(table, partition_by))
    for name in sorted(set(names.tolist())):
        yield name, table.filter(arrow.array(names == name))


def _name_partitions(table: Any, partition_by: str) -> list[str]:
    if partition_by == "host":
        return [f"host_bucket={find_bucket(host or '')}" for host in table["host"].to_pylist()]
    if partition_by == "language":
        return [f"text_language={language or 'unknown'}" for language in table["language"].to_pylist()]
    name, form = ("year", "%Y") if partition_by == "year" else ("month", "%Y-%m")
    return [f"{name}={date.strftime(form) if date else 'unknown'}" for date in table["date"].to_pylist()]


def _write(folder: Path, tables: list[Any], number: int) -> None:
    arrow, parquet = import_extra("pyarrow", "tables"), import_extra("pyarrow.parquet", "tables")
    folder.mkdir(parents=True, exist_ok=True)
    table = arrow.concat_tables(tables)
    order = [key for key in _SORTED_BY if key[0] in table.schema.names]
    parquet.write_table(
        table.sort_by(order), folder / f"{number:06d}.parquet", compression="zstd", row_group_size=_GROUP_ROWS
    )
