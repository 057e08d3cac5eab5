"""Read the records that `broadsheet extract` wrote: JSON Lines, also in gzip, or Parquet."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from broadsheet.errors import InputError, UsageError
from broadsheet.extras import import_extra

EXPECTED_FIELDS = ("title", "date", "authors", "language")  # that an article should have
_SAMPLE_CHARS = 1_500
_BATCH_ROWS = 500
_COLUMNS = (*EXPECTED_FIELDS, "url", "host", "source_file", "status", "status_reason", "confidence", "text")


@dataclass(frozen=True, slots=True)
class RecordView:
    """What a report needs of a record."""

    name: str  # title, address or file
    url: str | None
    place: str  # file or address that the page was read from
    host: str
    status: str
    reason: str
    confidence: float
    missing: tuple[str, ...]  # of EXPECTED_FIELDS
    sample: str  # the start of the text
    chars: int  # of the text


def read_records(path: Path) -> Iterator[RecordView]:
    """Yield the records of a file one by one. Raises UsageError or InputError."""
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson")):
        rows = _read_lines(path)
    elif name.endswith(".parquet"):
        rows = _read_parquet(path)
    else:
        raise UsageError(f"{path} is neither JSON Lines nor Parquet; write the articles with -o articles.jsonl")
    try:
        yield from map(_make_view, rows)
    except (OSError, EOFError, ValueError, TypeError, zlib.error) as error:
        if isinstance(error, OSError) and error.filename:
            raise
        raise InputError(f"cannot read {path}: it does not contain records of articles ({error})") from error


def _read_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _read_parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    parquet = import_extra("pyarrow.parquet", "tables")
    with parquet.ParquetFile(path) as file:
        columns = [name for name in file.schema_arrow.names if name in _COLUMNS]
        for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
            yield from batch.to_pylist()


def _make_view(record: Mapping[str, Any]) -> RecordView:
    if not isinstance(record, Mapping) or "status" not in record:
        raise ValueError("a record has no status")
    url, place = record.get("url"), record.get("source_file") or ""
    text = record.get("text") or ""
    return RecordView(
        name=record.get("title") or url or place or "(without title)",
        url=url,
        place=place,
        host=record.get("host") or "(unknown)",
        status=record["status"],
        reason=record.get("status_reason") or "",
        confidence=float(record.get("confidence") or 0.0),
        missing=tuple(name for name in EXPECTED_FIELDS if name in record and not record[name]),
        sample=text[:_SAMPLE_CHARS],
        chars=len(text),
    )
