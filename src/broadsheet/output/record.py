"""The record of an article: named columns of JSON-ready values. JSON and JSON Lines are written from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from broadsheet.article import Article, Comment
from broadsheet.fields import FIELDS
from broadsheet.fields.field import STRING, STRINGS
from broadsheet.output.characters import clean_text

NUMBER = "number from 0 to 1"
COMMENTS = "list of comments (author, date, text, reply_to)"
OBJECT = "object with the names of fields as keys"
_CONFIDENCE_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the record."""

    name: str
    type: str
    description: str  # one sentence
    read: Callable[[Article], object]


def to_dict(article: Article) -> dict[str, Any]:
    """Return the record of an article: always the same keys in the same order."""
    return {column.name: to_json_value(column.read(article)) for column in RECORD}


def to_json_value(value: Any) -> Any:
    """Convert a value to a JSON-ready one: tuples to lists, dates to ISO 8601, texts that can be written as UTF-8."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list | tuple):
        return [to_json_value(item) for item in value]
    if isinstance(value, dict):
        return {name: to_json_value(item) for name, item in value.items()}
    if isinstance(value, datetime):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_json_value(getattr(value, item.name)) for item in dataclasses.fields(value)}
    return value


def _read_status(article: Article) -> str:
    return article.status.value


def _read_confidence(article: Article) -> float:
    return round(article.confidence, _CONFIDENCE_DIGITS)


def _read_sources(article: Article) -> dict[str, str]:
    return dict(sorted(article.sources.items()))


def _read_confidences(article: Article) -> dict[str, float]:
    return {name: round(confidence, _CONFIDENCE_DIGITS) for name, confidence in sorted(article.confidences.items())}


def _read_comments(article: Article) -> list[dict[str, object]]:
    return [Comment.of(comment).to_dict() for comment in article.comments]


RECORD: tuple[Column, ...] = (
    *(Column(field.name, field.type, field.description, attrgetter(field.name)) for field in FIELDS),
    Column("text", STRING, "The body as plain text, one block per line.", attrgetter("text")),
    Column("comments", STRINGS, "Texts of the comments of readers, in the order of the page.", attrgetter("comments")),
    Column("status", STRING, "Whether the page has an article, or the reason why not.", _read_status),
    Column("confidence", NUMBER, "Expected F1 of the text.", _read_confidence),
    Column("method", STRING, "Name of the method that labelled the blocks.", attrgetter("method")),
    Column("sources", OBJECT, "Source of each field that has a value.", _read_sources),
    Column("confidences", OBJECT, "Confidence of each field that has a value, from 0 to 1.", _read_confidences),
    Column(
        "comment_details", COMMENTS, "The same comments with author, date and the comment replied to.", _read_comments
    ),
)
