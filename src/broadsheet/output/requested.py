"""Requested fields: the names of the option `fields`, and articles that have these fields only.

A name is a column of the record, or an attribute of the article. The table says which attributes a column is read from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from broadsheet.article import Article
from broadsheet.article.lazy import ALWAYS_THERE, RequestedValues, find_reason, make_lazy
from broadsheet.errors import UsageError
from broadsheet.output.record import COLUMNS, check_names

_PROVENANCE_COLUMNS = (
    *("id", "source_file", "source_offset", "fetched_at", "http_status"),
    *("html_hash", "weights", "broadsheet_version"),
)
# Field -> the attributes of the article that it is read from. The others are attributes themselves.
_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*ALWAYS_THERE, "status_reason", "host", "schema_version"), ()),
    "date_text": ("date",),
    "date_modified_text": ("date_modified",),
    "text_hash": ("text",),
    "comment_details": ("comments",),
    "blocks": ("page_blocks", "labels"),
    **dict.fromkeys(_PROVENANCE_COLUMNS, ("provenance",)),
}
FIELD_NAMES = (*COLUMNS, "image", "provenance")


def check_fields(fields: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the fields, each once. Raises UsageError for an unknown one."""
    if isinstance(fields, str):  # its letters would be read as names
        raise UsageError(f"fields must be a tuple of names, not a string: write ({fields!r},)")
    return check_names(fields, FIELD_NAMES)


def keep_fields(article: Article, fields: Sequence[str]) -> Article:
    """Make these fields of an article, and return an article that has no others and does not keep the page."""
    attributes = dict.fromkeys(name for field in fields for name in _ATTRIBUTES.get(field, (field,)))
    values = {name: getattr(article, name) for name in attributes}
    always = {name: getattr(article, name) for name in ALWAYS_THERE}
    return make_lazy(Article, RequestedValues(tuple(fields), values, find_reason(article)), **always)
