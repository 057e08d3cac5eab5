r"""JSON Lines: one record per line, plain or compressed, in one file or in several files of a folder.

    news.jsonl            or  news.jsonl.gz, news.jsonl.xz

    {"html": "<html>...", "text": "First paragraph.\nSecond paragraph.", "title": "..."}

`html` is required. The other names are those of `Record`, with `with` for `with_`. Without an id, a record is named
after its file and line; without a dataset, after the file name up to the first dot.
"""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from broadsheet.corpora.page_files import explain_failure
from broadsheet.corpora.record import Record, make_record
from broadsheet.errors import UsageError

NAME = "JSON Lines (.jsonl, .jsonl.gz, .jsonl.xz)"
_OPENERS: dict[str, Any] = {".jsonl": open, ".gz": gzip.open, ".xz": lzma.open}
_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.xz")


def matches(path: Path) -> bool:
    """Return whether the path is a JSON Lines file or a folder that contains one."""
    if path.is_dir():
        return any(child.name.endswith(_SUFFIXES) for child in path.iterdir())
    return path.name.endswith(_SUFFIXES)


def read(path: Path) -> Iterator[Record]:
    """Yield the records."""
    for file in _list_files(path):
        for number, line in enumerate(_read_lines(file), 1):
            if line.strip():
                yield _read_line(line, f"{file}:{number}", dataset=file.name.partition(".")[0])


def count_records(path: Path) -> int:
    """Return the number of records, without parsing them."""
    total = 0
    for file in _list_files(path):
        with explain_failure(file), _OPENERS[file.suffix](file, "rb") as lines:
            total += sum(not line.isspace() for line in lines)
    return total


def describe_skipped(path: Path) -> list[str]:  # noqa: ARG001 - the signature of all layouts
    """Return nothing: a page and its labels are the same record."""
    return []


def _list_files(path: Path) -> list[Path]:
    return sorted(child for child in path.iterdir() if child.name.endswith(_SUFFIXES)) if path.is_dir() else [path]


def _read_lines(path: Path) -> Iterator[str]:
    with explain_failure(path), cast("IO[str]", _OPENERS[path.suffix](path, "rt", encoding="utf-8-sig")) as lines:
        yield from lines


def _read_line(line: str, location: str, *, dataset: str) -> Record:
    try:
        values = json.loads(line)
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{location}: not JSON ({error}); a record is one line") from error
    if not isinstance(values, dict) or not isinstance(values.get("html"), str):
        raise UsageError(f"{location}: a record is an object that needs 'html', the page as a string")
    labels = {name: value for name, value in values.items() if value is not None}
    return make_record({"id": location, "dataset": dataset, **labels}, location)
