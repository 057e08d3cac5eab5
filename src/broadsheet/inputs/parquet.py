"""Parquet: a table with a column of pages. Extra `tables`."""

from __future__ import annotations

from collections.abc import Iterator

from broadsheet.capture import Capture
from broadsheet.extras import import_extra
from broadsheet.inputs.options import ReadOptions
from broadsheet.inputs.rows import FILE_COLUMN, TIME_COLUMN, RowReader

_BATCH_ROWS = 64  # pages in memory at a time


def read_parquet(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield a capture for every row; offsets are numbers of rows. Only the columns that are needed are read."""
    parquet = import_extra("pyarrow.parquet", "tables")
    rows = RowReader(name, options)
    with parquet.ParquetFile(name) as file:
        names = file.schema_arrow.names
        rows.check_columns(names)
        wanted = (options.html_column, options.url_column, FILE_COLUMN, TIME_COLUMN)
        number = 0
        for batch in file.iter_batches(_BATCH_ROWS, columns=[column for column in names if column in wanted]):
            for row in batch.to_pylist():
                yield rows.read_row(row, number)
                number += 1
