"""Article as JSON."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime
from typing import Any

from broadsheet.article import Article
from broadsheet.output.characters import clean_text


def to_dict(article: Article) -> dict[str, Any]:
    """Give all fields as JSON-ready values, always the same keys in the same order."""
    fields = {
        "url": article.url,
        "title": article.title,
        "authors": article.authors,
        "date": write_date(article.date),
        "date_modified": write_date(article.date_modified),
        "language": article.language,
        "site_name": article.site_name,
        "description": article.description,
        "section": article.section,
        "keywords": article.keywords,
        "images": [dataclasses.asdict(image) for image in article.images],
        "canonical_url": article.canonical_url,
        "amp_url": article.amp_url,
        "text": article.text,
        "comments": article.comments,
        "status": article.status.value,
        "confidence": round(article.confidence, 4),
        "method": article.method,
        "sources": dict(sorted(article.sources.items())),
        "confidences": {name: round(sure, 4) for name, sure in sorted(article.confidences.items())},
    }
    return {name: clean_value(value) for name, value in fields.items()}


def to_json(article: Article, *, indent: int | None = None) -> str:
    """Give all fields as JSON; one line unless `indent` is given."""
    return dump_json(to_dict(article), indent=indent)


def dump_json(value: dict[str, Any], *, indent: int | None = None) -> str:
    """Write JSON in the page's own letters."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    # Line ends to some readers, though not to JSON: a record must stay on its line.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def write_date(date: datetime | None) -> str | None:
    """Write a date as ISO 8601, with the zone if it is known."""
    return date.isoformat() if date else None


def clean_value(value: Any) -> Any:
    """Clean every text in a JSON-ready value, so that it can be written as UTF-8; tuples become lists."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list | tuple):
        return [clean_value(item) for item in value]
    if isinstance(value, dict):
        return {name: clean_value(item) for name, item in value.items()}
    return value
