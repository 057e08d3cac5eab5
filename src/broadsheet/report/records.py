"""Read the records that `broadsheet extract` wrote: JSON Lines, optionally with gzip, or Parquet."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from broadsheet.blocks import CONTENT_ROLES
from broadsheet.errors import InputError, UsageError
from broadsheet.extras import import_extra
from broadsheet.site.health import EXPECTED_FIELDS

_SAMPLE_CHARS = 1_500
_MAX_BLOCKS = 60  # of a page that are shown beside the text
_MAX_BLOCKS_ABOVE = 8  # of the first one with text
_MAX_BLOCK_CHARS = 400
_BATCH_ROWS = 500
Row = TypeVar("Row")
_COLUMNS = (
    *EXPECTED_FIELDS,
    "url",
    "host",
    "source_file",
    "fetched_at",
    "status",
    "status_reason",
    "confidence",
    "text",
    "blocks",
)


@dataclass(frozen=True, slots=True)
class PageLine:
    """A block of the page, shown beside the text."""

    text: str
    role: str
    is_kept: bool


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
    page: tuple[PageLine, ...] = ()  # the same place of the page, if the records have the column "blocks"
    month: str = ""  # "2024-03": when the page was fetched, else when it was published; "" if unknown


def read_records(path: Path) -> Iterator[RecordView]:
    """Yield the records of a file one by one. Raises UsageError or InputError."""
    return _name_in_errors(path, map(_make_view, _open_rows(path, _COLUMNS)))


def read_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the records of a file as they are, with all columns. Raises UsageError or InputError."""
    return _name_in_errors(path, map(_check_row, _open_rows(path, None)))


def _open_rows(path: Path, columns: Collection[str] | None) -> Iterator[Mapping[str, Any]]:
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson")):
        return _read_lines(path)
    if name.endswith(".parquet"):
        return _read_parquet(path, columns)
    if not path.exists():
        raise InputError(f"cannot read {path}: no such file; check the name")
    raise UsageError(f"{path} is neither JSON Lines nor Parquet; first: broadsheet extract PAGES -o articles.jsonl")


def _name_in_errors(path: Path, rows: Iterator[Row]) -> Iterator[Row]:
    try:
        yield from rows
    except (OSError, EOFError, ValueError, TypeError, LookupError, zlib.error) as error:
        if isinstance(error, OSError) and error.filename:
            raise
        raise InputError(f"cannot read {path}: it does not contain records of articles ({error})") from error


def _read_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def _read_parquet(path: Path, names: Collection[str] | None) -> Iterator[Mapping[str, Any]]:
    parquet = import_extra("pyarrow.parquet", "tables")
    with parquet.ParquetFile(path) as file:
        columns = [name for name in file.schema_arrow.names if names is None or name in names]
        for batch in file.iter_batches(_BATCH_ROWS, columns=columns):
            yield from batch.to_pylist()


def _check_row(record: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(record, Mapping) or "status" not in record:
        raise ValueError("a record has no status")
    return record


def _make_view(record: Mapping[str, Any]) -> RecordView:
    _check_row(record)
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
        page=_read_page_lines(record.get("blocks") or ()),
        month=str(record.get("fetched_at") or record.get("date") or "")[:7],
    )


def _read_page_lines(blocks: Sequence[Mapping[str, Any]]) -> tuple[PageLine, ...]:
    """Return the blocks of the page from a little above the text to the end of the sample."""
    lines = [
        PageLine(block["text"][:_MAX_BLOCK_CHARS], block["role"], block["role"] in CONTENT_ROLES) for block in blocks
    ]
    first = next((at for at, line in enumerate(lines) if line.is_kept), 0)
    shown: list[PageLine] = []
    kept_chars = 0
    for line in lines[max(first - _MAX_BLOCKS_ABOVE, 0) :][:_MAX_BLOCKS]:
        shown.append(line)
        kept_chars += len(line.text) if line.is_kept else 0
        if kept_chars > _SAMPLE_CHARS:
            break
    return tuple(shown)
