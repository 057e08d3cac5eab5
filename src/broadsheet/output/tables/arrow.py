"""Articles as Arrow tables: typed columns that pandas, Polars, DuckDB, Spark and Parquet share. Extra `tables`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, BinaryIO

from broadsheet.article import Article
from broadsheet.extras import import_extra
from broadsheet.fields.field import DATE_TIME, IMAGES, STRING, STRINGS
from broadsheet.output.record import (
    BINARY,
    BLOCKS,
    COMMENTS,
    CONFIDENCES,
    DOUBTS,
    INTEGER,
    NUMBER,
    SCHEMA_VERSION,
    SOURCES,
    TREE,
    UTC_TIME,
    Column,
    choose_columns_of,
    peek,
    to_dict,
)

# Rows and characters that are held in memory before they are written as a row group.
_MAX_ROWS = 2_000
_MAX_CHARS = 32_000_000


if TYPE_CHECKING:
    import pyarrow as pa

_EXTRA = "tables"


def to_arrow(
    articles: Iterable[Article], *, fields: Sequence[str] | None = None, include: Sequence[str] = ()
) -> pa.Table:
    """Return articles as a table of pyarrow, with one typed column per field of the record.

    Args:
        articles: The articles.
        fields: Names of the columns; if None, those of the first article: its requested fields, or the record.
        include: More columns: "markdown", "html", "body", "blocks".

    """
    arrow = import_extra("pyarrow", _EXTRA)
    first, articles = peek(articles)
    columns = choose_columns_of(first, fields, include)
    rows = [make_row(article, columns) for article in articles]
    table: pa.Table = arrow.Table.from_pylist(rows, schema=make_schema(columns))
    return table


def make_schema(columns: Sequence[Column]) -> pa.Schema:
    """Return the Arrow schema of columns. Its metadata state the version of the record."""
    arrow = import_extra("pyarrow", _EXTRA)
    schema: pa.Schema = arrow.schema([(column.name, _make_type(arrow, column.type)) for column in columns])
    return schema.with_metadata({"broadsheet.schema_version": str(SCHEMA_VERSION)})


def make_row(article: Article, columns: Sequence[Column]) -> dict[str, Any]:
    """Return the record of an article with values that fit the schema."""
    record = to_dict(article, columns)
    for column in columns:
        convert = _CONVERTERS.get(column.type)
        if convert is not None and record[column.name] is not None:
            record[column.name] = convert(record[column.name])
    return record


_CONVERTERS: dict[str, Callable[[Any], object]] = {
    DATE_TIME: datetime.fromisoformat,
    UTC_TIME: datetime.fromisoformat,
    SOURCES: lambda value: list(value.items()),
    CONFIDENCES: lambda value: list(value.items()),
    TREE: lambda value: json.dumps(value, ensure_ascii=False),  # its depth varies, and an Arrow type is fixed
}


def _make_type(arrow: Any, kind: str) -> Any:
    string = arrow.string()
    makers: dict[str, Callable[[], Any]] = {
        STRING: lambda: string,
        STRINGS: lambda: arrow.list_(string),
        DATE_TIME: lambda: arrow.timestamp("us"),  # the local time of the page; Spark takes no other unit
        UTC_TIME: lambda: arrow.timestamp("us", "UTC"),
        NUMBER: arrow.float64,
        INTEGER: arrow.int64,
        IMAGES: lambda: arrow.list_(arrow.struct([(name, string) for name in ("url", "caption", "alt", "credit")])),
        SOURCES: lambda: arrow.map_(string, string),
        CONFIDENCES: lambda: arrow.map_(string, arrow.float64()),
        TREE: lambda: string,
        BINARY: arrow.binary,
        COMMENTS: lambda: arrow.list_(
            arrow.struct([("author", string), ("date", string), ("text", string), ("reply_to", arrow.int64())])
        ),
        DOUBTS: lambda: arrow.list_(
            arrow.struct(
                [("text", string), ("score", arrow.float64()), ("is_kept", arrow.bool_()), ("block", arrow.int64())]
            )
        ),
        BLOCKS: lambda: arrow.list_(_make_block_type(arrow)),
    }
    return makers[kind]()


def _make_block_type(arrow: Any) -> Any:
    texts = [(name, arrow.string()) for name in ("text", "role", "path")]
    return arrow.struct(
        [*texts[:2], ("score", arrow.float64()), texts[2], ("first_row", arrow.int64()), ("last_row", arrow.int64())]
    )


class ParquetWriter:
    """Typed columns, compressed with zstd, written in groups of rows."""

    def __init__(self, file: BinaryIO, columns: Sequence[Column]) -> None:
        self._file = file
        self.row_bytes = 0  # without the footer; known when the writer is closed
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
        self.row_bytes = self._file.tell()
        self._writer.close()

    def discard(self) -> None:
        """End without writing, after an error: the file is not valid, and may be closed."""
        self._rows = []
        self._writer.is_open = False  # otherwise its finalizer writes a footer

    def _write_group(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
            self._rows, self._chars = [], 0
