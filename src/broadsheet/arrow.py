"""Arrow in, Arrow out: pages in record batches to articles in record batches. Extra `tables`.

For programs that map functions over Arrow batches: Ray Data, Spark (`mapInArrow`), daft, Polars, DuckDB.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from broadsheet.capture import Capture, read_address
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.many import extract_many
from broadsheet.methods import Method
from broadsheet.options import ExtractOptions, OptionChanges, make_options
from broadsheet.output.record import choose_columns
from broadsheet.output.tables.arrow import make_row, make_schema

if TYPE_CHECKING:
    import pyarrow as pa

_DEFAULT_URL_COLUMN = "url"  # may be missing


def extract_batches(  # noqa: PLR0913 - keyword arguments, most of them seldom needed
    batches: Iterable[pa.RecordBatch | pa.Table] | pa.Table | pa.RecordBatch,
    *,
    html: str = "html",
    url: str | None = _DEFAULT_URL_COLUMN,
    keep: Sequence[str] = (),
    include: Sequence[str] = (),
    workers: int = 1,
    method: str | Method | None = None,
    options: ExtractOptions | None = None,
    **changes: Unpack[OptionChanges],
) -> Iterator[pa.RecordBatch]:
    """Map record batches of pages to record batches of articles: one row for each row, in the same order.

    A page that fails is a row with the status "failed". A row without a page is one too.

    Args:
        batches: Record batches or tables, or one of them.
        html: Column of the pages, as strings or bytes.
        url: Column of their addresses, as strings or bytes; None if there is none.
        keep: Columns of the input that are copied to the output, such as a key. They must not be columns of the record.
        include: More columns: "markdown", "html", "body", "blocks".
        workers: Number of processes for each batch. Programs that run many tasks at once should leave it at 1.
        method: A name from `broadsheet.methods()`, or a method object.
        options: An `ExtractOptions` value.
        changes: Fields of `ExtractOptions` as keyword arguments. `fields` are the columns of the record; only these
            are computed.

    """
    arrow = import_extra("pyarrow", "tables")
    settings = make_options(options, method, **changes)
    columns = choose_columns(settings.fields, include)
    names = {column.name for column in columns}
    settings = replace(settings, fields=tuple(names))
    if doubled := names & set(keep):
        raise UsageError(f"the column {min(doubled)!r} is in the record too; rename it, or choose others with fields")
    schema = make_schema(columns)
    for table in (batches,) if isinstance(batches, arrow.Table | arrow.RecordBatch) else batches:
        for batch in table.to_batches() if isinstance(table, arrow.Table) else (table,):
            captures = _read_captures(batch, html, url)
            with closing(extract_many(captures, workers=workers, options=settings)) as articles:
                rows = [make_row(article, columns) for article in articles]
            output = arrow.RecordBatch.from_pylist(rows, schema=schema)
            yield _add_columns(arrow, batch, output, keep)


def make_output_schema(
    *, fields: Sequence[str] | None = None, include: Sequence[str] = (), keep: Sequence[pa.Field] = ()
) -> pa.Schema:
    """Return the schema of the batches of `extract_batches`, for programs that need it in advance, such as Spark."""
    arrow = import_extra("pyarrow", "tables")
    schema = make_schema(choose_columns(fields, include))
    output: pa.Schema = arrow.schema([*keep, *schema], metadata=schema.metadata)
    return output


def extract_table(table: pa.Table, **arguments: Any) -> pa.Table:
    """Do the same for a table, for `map_batches` and the like. The arguments are those of `extract_batches`."""
    arrow = import_extra("pyarrow", "tables")
    batches = list(extract_batches(table.to_batches(), **arguments))
    if batches:
        output: pa.Table = arrow.Table.from_batches(batches)
        return output
    keep = [table.schema.field(name) for name in arguments.get("keep", ())]
    schema = make_output_schema(fields=arguments.get("fields"), include=arguments.get("include", ()), keep=keep)
    empty: pa.Table = schema.empty_table()
    return empty


def _read_captures(batch: pa.RecordBatch, html: str, url: str | None) -> Iterator[Capture]:
    names = batch.schema.names
    for name in (html, *((url,) if url not in (None, _DEFAULT_URL_COLUMN) else ())):
        if name not in names:
            raise UsageError(f"the batch has no column {name!r}; its columns: {', '.join(names)}")
    pages = batch.column(names.index(html))
    addresses = batch.column(names.index(url)) if url in names else None
    for number in range(batch.num_rows):  # one page as a Python object at a time
        address = read_address(addresses[number].as_py()) if addresses is not None else None
        page = pages[number].as_py()
        yield Capture(page, address, fault="" if page is not None else "the row has no page")


def _add_columns(arrow: Any, batch: Any, output: Any, keep: Sequence[str]) -> Any:
    if not keep:
        return output
    missing = [name for name in keep if name not in batch.schema.names]
    if missing:
        raise UsageError(f"the batch has no column {missing[0]!r}; its columns: {', '.join(batch.schema.names)}")
    fields = [*(batch.schema.field(name) for name in keep), *output.schema]
    arrays = [*(batch.column(batch.schema.names.index(name)) for name in keep), *output.columns]
    return arrow.RecordBatch.from_arrays(arrays, schema=arrow.schema(fields, metadata=output.schema.metadata))
