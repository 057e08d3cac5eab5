"""JSON Lines: one object per line, with the page or the name of its file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from broadsheet.capture import Capture
from broadsheet.errors import InputError
from broadsheet.inputs.options import ReadOptions
from broadsheet.inputs.packed import open_packed
from broadsheet.inputs.rows import RowReader

_MAX_LINE_BYTES = 64_000_000  # several times the largest page


def read_json_lines(name: str, options: ReadOptions) -> Iterator[Capture]:
    """Yield a capture for every line. A line that is not an object is a fault; offsets are in bytes, unpacked."""
    rows = RowReader(name, options, is_table=False)
    is_first = True
    with open_packed(name) as file:
        offset = 0
        while line := file.readline(_MAX_LINE_BYTES):
            start, offset = offset, offset + len(line)
            if len(line) == _MAX_LINE_BYTES and not line.endswith(b"\n"):
                offset += _skip_line(file)
                yield _make_fault(name, start, f"is longer than {_MAX_LINE_BYTES:,} bytes")
                continue
            if not line.strip():
                continue
            row = _parse_line(line)
            if isinstance(row, str):
                if is_first:
                    raise InputError(f"{name}: the first line {row}; write one JSON object per line")
                yield _make_fault(name, start, row)
                continue
            if is_first:
                rows.check_columns(row.keys())
                is_first = False
            yield rows.read_row(row, start)
    if is_first:
        raise InputError(f"{name} has no records")


def _parse_line(line: bytes) -> Mapping[str, Any] | str:
    """Return the object of a line, or what is wrong with it."""
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "is not UTF-8"
    except (ValueError, RecursionError):
        return "is not valid JSON"
    return row if isinstance(row, dict) else "is not a JSON object"


def _make_fault(name: str, offset: int, reason: str) -> Capture:
    return Capture(source_file=name, source_offset=offset, fault=f"{name}: the line at byte {offset} {reason}")


def _skip_line(file: BinaryIO) -> int:
    """Read to the end of a line, and return the number of bytes."""
    count = 0
    while piece := file.readline(_MAX_LINE_BYTES):
        count += len(piece)
        if piece.endswith(b"\n"):
            break
    return count
