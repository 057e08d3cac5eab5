"""Read an article back from its record: a JSON object, or a row of a Parquet file."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from math import isnan
from typing import Any

from broadsheet.article import Article, Code, Comment, Doubt, Paragraph, Part, Provenance, Run, Status
from broadsheet.errors import UsageError
from broadsheet.fields import FIELDS, Image
from broadsheet.fields.field import DATE_TIME, IMAGES, STRING, STRINGS
from broadsheet.output.as_text import render_text
from broadsheet.output.body_tree import read_body

_CHUNK = re.compile(r"[^\n]+(?:\n{2,}[^\n]+)*")  # a line; or lines with blank lines between them, which is code


def read_record(record: Mapping[str, Any]) -> Article:
    """Return the article of a record. Keys that are missing or unknown are ignored. Raises UsageError."""
    if not isinstance(record, Mapping):
        raise UsageError(f"a record must be a dict, not {type(record).__name__}")
    record = {key: _read_cell(value) for key, value in record.items()}
    try:
        values = {field.name: _read_value(record, field.name, field.type) for field in FIELDS}
        return Article(
            **{name: value for name, value in values.items() if value is not None},
            body=_read_body(record),
            comments=_read_comments(record),
            status=Status(record.get("status") or Status.OK),
            confidence=float(record.get("confidence") or 0.0),
            exactness=None if record.get("exactness") is None else float(record["exactness"]),
            doubts=tuple(_read_doubt(doubt) for doubt in record.get("doubts") or ()),
            method=_check_string("method", record.get("method") or ""),
            sources=_read_object(record, "sources", str),
            confidences=_read_object(record, "confidences", float, int),
            provenance=_read_provenance(record),
        )
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise UsageError(f"not the record of an article: {error}") from error


def _read_cell(value: Any) -> Any:
    """Return a value as JSON has it: in rows of pandas, lists are arrays, and missing values are NaN, NaT or NA."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    elif hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime()
    is_missing = type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and isnan(value))
    return None if is_missing else value


def _read_body(record: Mapping[str, Any]) -> tuple[Part, ...]:
    body = record.get("body")
    if body is None:
        return _split_text(record.get("text") or "")
    if isinstance(body, str):  # in tables
        with contextlib.suppress(ValueError):
            body = json.loads(body)
    return read_body(body)


def _read_doubt(doubt: Mapping[str, Any]) -> Doubt:
    return Doubt(str(doubt["text"]), float(doubt["score"]), bool(doubt["is_kept"]), int(doubt["block"]))


def _read_object(record: Mapping[str, Any], name: str, *kinds: type) -> dict[str, Any]:
    """Return an object: also from pairs, and from a struct in which missing keys are None, as tables have them."""
    values = {key: value for key, value in dict(record.get(name) or {}).items() if value is not None}
    for value in values.values():
        if type(value) not in kinds:
            raise TypeError(f"{name} has the value {value!r:.80}")
    return values


def _read_value(record: Mapping[str, Any], name: str, kind: str) -> Any:
    value = record.get(name)
    if value is None:
        return None
    if kind == DATE_TIME:
        return _read_moment(record.get(f"{name}_text") or value)  # the text has the time zone
    if kind == IMAGES:
        return tuple(Image(**image) for image in value)
    if kind == STRINGS and isinstance(value, str):  # its letters would be read as names
        raise TypeError(f"{name} must be a list, not {value!r:.80}")
    if kind == STRINGS:
        return tuple(_check_string(f"an item of {name}", item) for item in value)
    return _check_string(name, value) if kind == STRING else value


def _check_string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {value!r:.80}")
    return value


def _read_provenance(record: Mapping[str, Any]) -> Provenance:
    values = {field.name: record.get(field.name) for field in fields(Provenance)}
    values["fetched_at"] = _read_moment(values["fetched_at"])
    for name in ("source_offset", "http_status"):  # columns of pandas that have missing values are floats
        if (number := values[name]) is not None:
            values[name] = int(number)
    for name in ("source_file", "html_hash", "weights", "broadsheet_version"):
        _check_string(name, values[name] or "")
    return Provenance(**values)


def _read_comments(record: Mapping[str, Any]) -> tuple[Comment, ...]:
    if not (details := record.get("comment_details")):
        return tuple(Comment(text) for text in record.get("comments") or ())
    return tuple(
        Comment(item["text"], item.get("author"), _read_moment(item.get("date")), item.get("reply_to"))
        for item in details
    )


def _read_moment(value: Any) -> datetime | None:
    if value is not None and not isinstance(value, str | datetime):
        raise TypeError(f"a date must be ISO 8601, not {value!r:.80}")
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _split_text(text: str) -> tuple[Part, ...]:
    """Return one paragraph per line. Indented lines, and lines around blank ones, keep their white space as code."""
    parts = tuple(_make_part(chunk) for chunk in _CHUNK.findall(text))
    return parts if render_text(parts) == text else (Code(text),)


def _make_part(chunk: str) -> Part:
    paragraph = Paragraph((Run(chunk),))
    return paragraph if render_text((paragraph,)) == chunk else Code(chunk)
