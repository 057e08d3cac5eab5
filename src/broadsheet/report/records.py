"""Read the records that `broadsheet extract` wrote: JSON Lines, JSON or CSV, optionally with gzip, or Parquet."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, TypeVar

from broadsheet.article import Article
from broadsheet.blocks import CONTENT_ROLES
from broadsheet.errors import InputError, UsageError
from broadsheet.extras import import_extra
from broadsheet.output.record import COLUMNS
from broadsheet.output.tables.files import parse_cell
from broadsheet.site.health import EXPECTED_FIELDS
from broadsheet.stored import MAX_JSON_BYTES, describe, parse_json

_SAMPLE_CHARS = 1_500
_MAX_BLOCKS = 60  # of a page that are shown beside the text
_MAX_BLOCKS_ABOVE = 8  # of the first one with text
_MAX_BLOCK_CHARS = 400
_BATCH_ROWS = 500
_MAX_CELL_CHARS = 64_000_000
_MAX_FILE_CHARS = 1_000_000_000  # of JSON, which is read as a whole; JSON Lines may have any length
Row = TypeVar("Row")
# What readers and damaged files raise.
_FAULTS = (OSError, EOFError, ValueError, TypeError, LookupError, AttributeError, OverflowError, csv.Error, zlib.error)
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


def read_articles(path: Path, *, since: datetime | None = None, alert: str | None = None) -> Iterator[Article]:
    """Yield the articles of a file of records one by one. Raises UsageError or InputError.

    Args:
        path: Records, or events of `broadsheet watch`.
        since: Leave out pages that were fetched earlier; if that is unknown, those that were published earlier.
        alert: Only articles that this alert of `broadsheet watch` has found.

    """
    try:
        for row in read_rows(path):
            is_new = since is None or _read_time(row) >= since
            if is_new and (alert is None or alert in (row.get("alerts") or ())):
                yield Article.from_dict(row)
    except OSError as error:  # named here, because the caller is writing to another file
        raise InputError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    except (UsageError, ValueError, TypeError) as error:  # also times and alerts of other types
        raise InputError(f"cannot read {path}: {error}") from error


def _read_time(row: Mapping[str, Any]) -> datetime:
    text = str(row.get("fetched_at") or row.get("date") or "0001-01-01")
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def read_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the records of a file as they are, with all columns. Raises UsageError or InputError."""
    return _name_in_errors(path, map(_check_row, _open_rows(path, None)))


def _open_rows(path: Path, columns: Collection[str] | None) -> Iterator[Mapping[str, Any]]:
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending in _TEXT_READERS:
        return _read_text_file(path, _TEXT_READERS[ending])
    if ending == ".parquet":
        return _read_parquet(path, columns)
    if not path.exists():
        raise InputError(f"cannot read {path}: no such file; check the name")
    raise UsageError(
        f"{path} is not JSON Lines, JSON, CSV or Parquet; first: broadsheet extract PAGES -o articles.jsonl"
    )


def _name_in_errors(path: Path, rows: Iterator[Row]) -> Iterator[Row]:
    try:
        yield from rows
    except _FAULTS as error:
        if isinstance(error, OSError) and error.filename:
            raise
        raise InputError(f"cannot read {path}: it does not contain records of articles ({describe(error)})") from error


def _read_text_file(path: Path, read: Callable[[TextIO], Iterator[Mapping[str, Any]]]) -> Iterator[Mapping[str, Any]]:
    with (
        gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as packed,
        io.TextIOWrapper(packed, encoding="utf-8-sig", newline="") as file,  # a cell may contain line ends
    ):
        yield from read(file)


def _read_lines(file: TextIO) -> Iterator[Mapping[str, Any]]:
    """Yield records. Of events of `broadsheet watch`, yield each article once, as it was last seen."""
    articles: dict[str, dict[str, Any]] = {}  # by address
    while line := file.readline(MAX_JSON_BYTES + 1):
        row = parse_json(line, dict) if line.strip() else {}
        if row and "event" not in row:
            yield row
        elif isinstance(row.get("article"), Mapping):
            alerts = articles.get(row["url"], {}).get("alerts", [])
            articles[row["url"]] = {"fetched_at": row["time"], **row["article"], "alerts": alerts}
        elif row.get("event") == "alert" and row["url"] in articles:
            articles[row["url"]]["alerts"].append(row["alert"])
    yield from articles.values()


def _read_json(file: TextIO) -> Iterator[Mapping[str, Any]]:
    records = parse_json(file.read(_MAX_FILE_CHARS + 1), object, most=_MAX_FILE_CHARS)
    return iter(records if isinstance(records, list) else [records])


def _read_csv(file: TextIO) -> Iterator[Mapping[str, Any]]:
    csv.field_size_limit(_MAX_CELL_CHARS)  # a cell may hold a whole text
    rows = csv.DictReader(file, strict=True)
    if not rows.fieldnames:
        raise ValueError("there is no row with the names of the columns")
    for row in rows:
        yield {name: parse_cell(cell or "", COLUMNS[name]) for name, cell in row.items() if name in COLUMNS}


_TEXT_READERS = {".jsonl": _read_lines, ".ndjson": _read_lines, ".json": _read_json, ".csv": _read_csv}


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
    url, place, text = (_read_text(record, name) for name in ("url", "source_file", "text"))
    return RecordView(
        name=_read_text(record, "title") or url or place or "(without title)",
        url=url or None,
        place=place,
        host=_read_text(record, "host") or "(unknown)",
        status=_read_text(record, "status"),
        reason=_read_text(record, "status_reason"),
        confidence=float(record.get("confidence") or 0.0),
        missing=tuple(name for name in EXPECTED_FIELDS if name in record and not record[name]),
        sample=text[:_SAMPLE_CHARS],
        chars=len(text),
        page=_read_page_lines(record.get("blocks") or ()),
        month=str(record.get("fetched_at") or record.get("date") or "")[:7],
    )


def _read_text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name) or ""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__}, not a text")
    return value


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
