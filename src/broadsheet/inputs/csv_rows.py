"""CSV: a table of pages, a manifest that gives files their addresses, or a list of addresses."""

from __future__ import annotations

import codecs
import csv
import io
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.inputs.options import ReadOptions
from broadsheet.inputs.packed import open_packed
from broadsheet.inputs.rows import RowReader

_SNIFFED_CHARS = 10_000


def read_csv(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield a capture for every row after the head. The delimiter is a comma, a semicolon or a tab.

    A table is UTF-8, or UTF-16 with a byte-order mark. A page in another character set is decoded like a file.
    """
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a cell may hold a page
    rows = RowReader(name, options)
    with open_packed(name) as file, _open_text(file, name) as text:
        head = text.readline()
        delimiter = max(",;\t", key=head[:_SNIFFED_CHARS].count)
        columns = next(csv.reader([head], delimiter=delimiter), [])
        rows.check_columns(columns)
        number = -1
        try:
            for number, row in enumerate(csv.DictReader(text, columns, delimiter=delimiter)):
                yield rows.read_row(_restore_bytes(row, options.html_column), number)
        except csv.Error as error:
            raise InputError(f"{name}: row {number + 1} is not valid CSV: {error}") from error
    if number < 0:
        raise InputError(f"{name} has no rows")


def _open_text(file: BinaryIO, name: str) -> io.TextIOWrapper:
    """Open a table as text. Bytes that are not UTF-8 are kept, as surrogates."""
    with open_packed(name) as start:
        is_utf16 = start.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    if is_utf16:
        return io.TextIOWrapper(file, "utf-16", "replace", newline="")
    return io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")


def _restore_bytes(row: dict[str, Any], html_column: str) -> dict[str, Any]:
    """Return a row whose page is bytes if it is not UTF-8; in other cells, such bytes are replaced."""
    restored = dict(row)
    for name, value in row.items():
        if isinstance(value, str) and not value.isascii():
            data = value.encode("utf-8", "surrogateescape")
            text = data.decode("utf-8", "replace")
            restored[name] = data if name == html_column and text != value else text
    return restored
