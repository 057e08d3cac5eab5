"""Write articles as JSON and JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from broadsheet.article import Article
from broadsheet.output.record import Column, to_dict

_INDENT = 2


def write_json(article: Article, columns: Sequence[Column] | None = None) -> str:
    """Write an indented record."""
    return dump_json(to_dict(article, columns), indent=_INDENT)


def write_json_line(article: Article, columns: Sequence[Column] | None = None) -> str:
    """Write a record on one line."""
    return dump_json(to_dict(article, columns))


def dump_json(value: dict[str, Any], *, indent: int | None = None) -> str:
    """Write JSON with non-ASCII letters as they are."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    # JSON allows these in strings, but some readers of JSON Lines end a line at them.
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\x85", "\\u0085")
