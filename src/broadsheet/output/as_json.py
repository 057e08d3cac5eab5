"""Write articles as JSON and JSON Lines."""

from __future__ import annotations

import json
from typing import Any

from broadsheet.article import Article
from broadsheet.output.record import to_dict

_INDENT = 2


def to_json(article: Article, *, indent: int | None = None) -> str:
    """Return the record of an article as JSON, on one line unless `indent` is given."""
    return dump_json(to_dict(article), indent=indent)


def write_json(article: Article, source: str | None = None) -> str:
    """Write an indented record, which begins with the name of its page if `source` is given."""
    return dump_json(_add_source(to_dict(article), source), indent=_INDENT)


def write_json_line(article: Article, source: str | None = None) -> str:
    """Write a record on one line, which begins with the name of its page if `source` is given."""
    return dump_json(_add_source(to_dict(article), source))


def dump_json(value: dict[str, Any], *, indent: int | None = None) -> str:
    """Write JSON with non-ASCII letters as they are."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    # JSON allows these in strings, but some readers of JSON Lines end a line at them.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")


def _add_source(record: dict[str, Any], source: str | None) -> dict[str, Any]:
    return record if source is None else {"source": source, **record}
