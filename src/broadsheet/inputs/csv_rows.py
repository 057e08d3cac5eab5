"""CSV: a table of pages, a manifest that gives files their addresses, or a list of addresses."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.inputs.options import ReadOptions
from broadsheet.inputs.packed import open_packed
from broadsheet.inputs.rows import RowReader

_SNIFFED_CHARS = 10_000


def read_csv(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield a capture for every row after the head. The delimiter is a comma, a semicolon or a tab."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a cell may hold a page
    rows = RowReader(name, options)
    with open_packed(name) as file, io.TextIOWrapper(file, "utf-8-sig", "replace", newline="") as text:
        head = text.readline()
        delimiter = max(",;\t", key=head[:_SNIFFED_CHARS].count)
        columns = next(csv.reader([head], delimiter=delimiter), [])
        rows.check_columns(columns)
        number = -1
        try:
            for number, row in enumerate(csv.DictReader(text, columns, delimiter=delimiter)):
                yield rows.read_row(row, number)
        except csv.Error as error:
            raise InputError(f"{name}: row {number + 1} is not valid CSV: {error}") from error
    if number < 0:
        raise InputError(f"{name} has no rows")
