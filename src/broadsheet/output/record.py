"""The record of an article: named columns of JSON-ready values. JSON and all tables are written from it.

Columns are only added, never changed or removed; a new one raises `SCHEMA_VERSION`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

from broadsheet.article import Article, Comment
from broadsheet.article.lazy import get_requested
from broadsheet.errors import UsageError, describe_unknown
from broadsheet.fields import FIELDS
from broadsheet.fields.field import DATE_TIME, STRING, STRINGS, Field
from broadsheet.output.body_tree import dump_body
from broadsheet.output.measures import MEASURES, measure_text
from broadsheet.output.safe import clean_text
from broadsheet.page import host_of

SCHEMA_VERSION = 2

# Types of values beside those of fields. Writers of tables choose by them.
NUMBER = "number from 0 to 1"
INTEGER = "integer"
UTC_TIME = "date-time (ISO 8601, UTC)"
SOURCES = "object: strings by the names of fields"
CONFIDENCES = "object: numbers by the names of fields"
COMMENTS = "list of comments (author, date, text, reply_to)"
DOUBTS = "list of doubts (text, score, is_kept, block)"
BLOCKS = "list of blocks (text, role, score, path, first_row, last_row)"
TREE = "list of parts, as JSON"
BINARY = "bytes"

_CONFIDENCE_DIGITS = 4
_HASH_DIGITS = 32  # 128 bits: no two of a billion records have the same
_INDENT = 2


class Column(NamedTuple):
    """A column of the record."""

    name: str
    type: str
    description: str  # one sentence
    read: Callable[[Article], object]


def to_dict(article: Article, columns: Sequence[Column] | None = None) -> dict[str, Any]:
    """Return the record of an article: always the same keys in the same order."""
    columns = list_columns(article) if columns is None else columns
    return {column.name: to_json_value(column.read(article)) for column in columns}


def list_columns(article: Article) -> tuple[Column, ...]:
    """Return the columns of the fields that were requested; those of the record for a whole article."""
    requested = get_requested(article)
    return tuple(COLUMNS[name] for name in requested.fields if name in COLUMNS) if requested else RECORD


def choose_columns_of(
    article: Article | None, fields: Sequence[str] | None = None, include: Sequence[str] = ()
) -> tuple[Column, ...]:
    """Return the columns of these names (None: those that an article has), and those to include. Raises UsageError."""
    if fields is not None or article is None:
        return choose_columns(fields, include)
    names = [column.name for column in list_columns(article)]
    return choose_columns(names, include) if names or include else ()


def choose_columns(fields: Sequence[str] | None = None, include: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return the columns of these names (None: the record), and those to include. Raises UsageError."""
    for name, value in (("fields", fields), ("include", include)):
        if isinstance(value, str):  # its letters would be read as names
            raise UsageError(f"{name} must be a list of names, not a string: write [{value!r}]")
    names = [column.name for column in RECORD] if fields is None else list(fields)
    if _MEASURE_GROUP in include:
        include = (*(name for name in include if name != _MEASURE_GROUP), *MEASURE_COLUMNS)
    return tuple(COLUMNS[name] for name in check_names((*names, *include), COLUMNS))


def peek(articles: Iterable[Article]) -> tuple[Article | None, Iterable[Article]]:
    """Return the first article, if there is one, and all of them."""
    waiting = iter(articles)
    first = next(waiting, None)
    return first, () if first is None else chain((first,), waiting)


def check_names(names: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """Return the names, each once. Raises UsageError if there are none, or if one is unknown."""
    unique = tuple(dict.fromkeys(names))
    if not unique:
        raise UsageError(f"no fields were named; known: {', '.join(known)}")
    for name in unique:
        if name not in known:
            raise UsageError(describe_unknown("field", str(name), known))
    return unique


def to_json_value(value: Any) -> Any:
    """Convert a value to a JSON-ready one: tuples to lists, dates to ISO 8601, texts that can be written as UTF-8."""
    if value is None or isinstance(value, str | int | float):  # most values
        return clean_text(value) if isinstance(value, str) else value
    if isinstance(value, list | tuple):
        return [to_json_value(item) for item in value]
    if isinstance(value, dict):
        return {name: to_json_value(item) for name, item in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_json_value(getattr(value, item.name)) for item in dataclasses.fields(value)}
    return value


def make_id(article: Article) -> str | None:
    """Return the hash of file and offset; without a file, of the page. None if neither is known."""
    origin = article.provenance
    if origin.source_file is not None:
        offset = "" if origin.source_offset is None else origin.source_offset
        return _hash_text(f"{origin.source_file}\n{offset}")
    return origin.html_hash[:_HASH_DIGITS] if origin.html_hash else None


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]


def _make_field_column(field: Field) -> Column:
    read = _make_local_reader(field.name) if field.type == DATE_TIME else attrgetter(field.name)
    return Column(field.name, field.type, field.description, read)


def _make_local_reader(name: str) -> Callable[[Article], str | None]:
    """Return a reader of a date in one form, which every program reads: without time zone and fractions."""

    def read(article: Article) -> str | None:
        moment: datetime | None = getattr(article, name)
        return moment.replace(tzinfo=None).isoformat(timespec="seconds") if moment else None

    return read


def _make_iso_reader(name: str) -> Callable[[Article], str | None]:
    def read(article: Article) -> str | None:
        moment: datetime | None = getattr(article, name)
        return moment.isoformat() if moment else None

    return read


def format_fetched_at(article: Article) -> str | None:
    """Return when the page was captured, in UTC."""
    moment = article.provenance.fetched_at
    if moment is None:
        return None
    aware = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.strftime("%Y-%m-%dT%H:%M:%SZ")


def _read_status(article: Article) -> str:
    return article.status.value


def _read_confidence(article: Article) -> float:
    return round(article.confidence, _CONFIDENCE_DIGITS)


def _read_exactness(article: Article) -> float | None:
    return None if article.exactness is None else round(article.exactness, _CONFIDENCE_DIGITS)


def _read_doubts(article: Article) -> list[dict[str, object]]:
    return [
        {
            "text": doubt.text,
            "score": round(doubt.score, _CONFIDENCE_DIGITS),
            "is_kept": doubt.is_kept,
            "block": doubt.block,
        }
        for doubt in article.doubts
    ]


def _read_sources(article: Article) -> dict[str, str]:
    return dict(sorted(article.sources.items()))


def _read_confidences(article: Article) -> dict[str, float]:
    return {name: round(confidence, _CONFIDENCE_DIGITS) for name, confidence in sorted(article.confidences.items())}


def _read_comments(article: Article) -> list[dict[str, object]]:
    return [Comment.of(comment).to_dict() for comment in article.comments]


def _read_host(article: Article) -> str | None:
    return host_of(article.url) or None


def _read_text_hash(article: Article) -> str | None:
    return _hash_text(clean_text(text)) if (text := article.text) else None


def _read_schema_version(article: Article) -> int:  # noqa: ARG001 - the same for all articles
    return SCHEMA_VERSION


def _read_blocks(article: Article) -> list[dict[str, object]]:
    return [
        {
            "text": block.text,
            "role": block.role.value,
            "score": round(block.score, _CONFIDENCE_DIGITS),
            "path": block.path,
            "first_row": block.nodes.start,
            "last_row": block.nodes.stop - 1,
        }
        for block in article.blocks
    ]


def _read_body(article: Article) -> object:
    return dump_body(article.body)


def _read_boilerplate_share(article: Article) -> float | None:
    """Return None if the blocks of the page are not known."""
    if article.page_blocks is None:
        return None
    chars = sum(map(len, article.page_blocks.text))
    return round(max(1 - len(article.text) / chars, 0.0), _CONFIDENCE_DIGITS) if chars else 0.0


def _read_year(article: Article) -> int | None:
    return article.date.year if article.date else None


def _make_measure_column(name: str) -> Column:
    item = MEASURES[name]

    def read(article: Article) -> object:
        return getattr(measure_text(article.text), name)

    return Column(name, INTEGER if item.type == "int" else NUMBER, item.metadata["description"], read)


def _of_provenance(name: str) -> Callable[[Article], object]:
    return attrgetter(f"provenance.{name}")


RECORD: tuple[Column, ...] = (
    *map(_make_field_column, FIELDS),
    Column("text", STRING, "The body as plain text, one block per line.", attrgetter("text")),
    Column("comments", STRINGS, "Texts of the comments of readers, in the order of the page.", attrgetter("comments")),
    Column("status", STRING, "Whether the page has an article, or the reason why not.", _read_status),
    Column("confidence", NUMBER, "Expected F1 of the text.", _read_confidence),
    Column("method", STRING, "Name of the method that labelled the blocks.", attrgetter("method")),
    Column("sources", SOURCES, "Source of each field that has a value.", _read_sources),
    Column("confidences", CONFIDENCES, "Confidence of each field that has a value, from 0 to 1.", _read_confidences),
    Column(
        "comment_details", COMMENTS, "The same comments with author, date and the comment replied to.", _read_comments
    ),
    Column(
        "status_reason",
        STRING,
        "Why the status is not `ok`, or what was wrong with the capture.",
        attrgetter("status_reason"),
    ),
    Column("date_text", STRING, "`date` with the time zone that the page states, if any.", _make_iso_reader("date")),
    Column("date_modified_text", STRING, "The same of `date_modified`.", _make_iso_reader("date_modified")),
    Column("host", STRING, "Host of `url`, without `www.`.", _read_host),
    Column("id", STRING, "Hash of `source_file` and `source_offset`; without a file, of the page.", make_id),
    Column("source_file", STRING, "File or address that the page was read from.", _of_provenance("source_file")),
    Column(
        "source_offset",
        INTEGER,
        "Place of the page in that file: bytes in WARC and JSON Lines files, rows in tables.",
        _of_provenance("source_offset"),
    ),
    Column("fetched_at", UTC_TIME, "When the page was captured.", format_fetched_at),
    Column("http_status", INTEGER, "HTTP status of the capture.", _of_provenance("http_status")),
    Column("html_hash", STRING, "SHA-256 of the page.", _of_provenance("html_hash")),
    Column("text_hash", STRING, "Hash of `text`: equal texts have equal hashes.", _read_text_hash),
    Column("weights", STRING, "Hash of the weights of the method.", _of_provenance("weights")),
    Column("broadsheet_version", STRING, "Version of the program.", _of_provenance("broadsheet_version")),
    Column("schema_version", INTEGER, "Version of this table of columns.", _read_schema_version),
    Column("exactness", NUMBER, "Probability that the text is right to the word; null if unknown.", _read_exactness),
    Column(
        "doubts", DOUBTS, "The few blocks that were narrowly decided, in the text (`is_kept`) or not.", _read_doubts
    ),
)
EXTRA_COLUMNS: tuple[Column, ...] = (
    Column("markdown", STRING, "The body as Markdown.", attrgetter("markdown")),
    Column("html", STRING, "The body as HTML that is safe to embed.", attrgetter("html")),
    Column("body", TREE, "The body as a tree of parts, each with its type.", _read_body),
    Column("blocks", BLOCKS, "All blocks of the page, with their path and rows of the node table.", _read_blocks),
    *map(_make_measure_column, MEASURES),
    Column(
        "boilerplate_share", NUMBER, "Share of the characters of the page that are not text.", _read_boilerplate_share
    ),
    Column("year", INTEGER, "Year of publication.", _read_year),
)
MEASURE_COLUMNS = (*MEASURES, "boilerplate_share", "year")
_MEASURE_GROUP = "measures"  # a name for all of them
COLUMNS = {column.name: column for column in (*RECORD, *EXTRA_COLUMNS)}


def format_json(article: Article, columns: Sequence[Column] | None = None) -> str:
    """Write an indented record."""
    return dump_json(to_dict(article, columns), indent=_INDENT)


def format_json_line(article: Article, columns: Sequence[Column] | None = None) -> str:
    """Write a record on one line."""
    return dump_json(to_dict(article, columns))


def dump_json(value: dict[str, Any], *, indent: int | None = None) -> str:
    """Write JSON with non-ASCII letters as they are."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    # JSON allows these in strings, but some readers of JSON Lines end a line at them.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
