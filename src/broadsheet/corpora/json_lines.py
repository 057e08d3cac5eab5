"""JSON lines: one record a line, plain or packed (.jsonl, .jsonl.gz, .jsonl.xz), or many such files in a folder."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from broadsheet.corpora.record import Record, make_record
from broadsheet.errors import UsageError

NAME = "JSON lines (.jsonl, .jsonl.gz, .jsonl.xz)"
_OPENERS: dict[str, Any] = {".jsonl": open, ".gz": gzip.open, ".xz": lzma.open}
_ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.xz")


def matches(path: Path) -> bool:
    """Tell whether this is such a file, or a folder of such files."""
    if path.is_dir():
        return any(child.name.endswith(_ENDINGS) for child in path.iterdir())
    return path.name.endswith(_ENDINGS)


def read(path: Path) -> Iterator[Record]:
    """Read the records, one at a time."""
    for file in _find_files(path):
        with _open_text(file) as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield _read_line(line, f"{file}:{number}", dataset=file.name.partition(".")[0])


def count(path: Path) -> int:
    """Number of records, without reading them as JSON."""
    total = 0
    for file in _find_files(path):
        with _OPENERS[file.suffix](file, "rb") as lines:
            total += sum(not line.isspace() for line in lines)
    return total


def _find_files(path: Path) -> list[Path]:
    return sorted(child for child in path.iterdir() if child.name.endswith(_ENDINGS)) if path.is_dir() else [path]


def _open_text(path: Path) -> IO[str]:
    return cast("IO[str]", _OPENERS[path.suffix](path, "rt", encoding="utf-8"))


def _read_line(line: str, place: str, *, dataset: str) -> Record:
    try:
        values = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{place}: not JSON ({error})") from error
    if not isinstance(values, dict) or not isinstance(values.get("html"), str):
        raise UsageError(f"{place}: a record needs 'html', the page as a string")
    return make_record({"id": place, "dataset": dataset, **values})
