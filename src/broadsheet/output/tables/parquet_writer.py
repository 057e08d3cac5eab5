"""Write articles as Parquet. Extra `tables`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO

from broadsheet.article import Article
from broadsheet.extras import import_extra
from broadsheet.output.record import Column
from broadsheet.output.tables.arrow import make_row, make_schema

# Rows and characters that are held in memory before they are written as a row group.
_MAX_ROWS = 2_000
_MAX_CHARS = 32_000_000


class ParquetWriter:
    """Typed columns, compressed with zstd, written in groups of rows."""

    def __init__(self, file: BinaryIO, columns: Sequence[Column]) -> None:
        self._arrow = import_extra("pyarrow", "tables")
        parquet = import_extra("pyarrow.parquet", "tables")
        self._columns = columns
        self._schema = make_schema(columns)
        self._writer: Any = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._chars = 0

    def write(self, article: Article) -> None:
        """Add a row."""
        row = make_row(article, self._columns)
        self._rows.append(row)
        self._chars += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(self._rows) >= _MAX_ROWS or self._chars >= _MAX_CHARS:
            self._write_group()

    def close(self) -> None:
        """Write the last rows and the footer."""
        self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
            self._rows, self._chars = [], 0
