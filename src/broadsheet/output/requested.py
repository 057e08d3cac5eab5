"""Requested fields: the names of the option `fields`, and articles that have these fields only.

A name is a column of the record, or an attribute of the article. The table says which attributes a column is read from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from broadsheet.article import Article
from broadsheet.article.assemble import PageSource
from broadsheet.article.lazy import ALWAYS_THERE, RequestedValues, find_reason, make_lazy
from broadsheet.errors import UsageError
from broadsheet.output.measures import MEASURES
from broadsheet.output.record import COLUMNS, check_names

_PROVENANCE_COLUMNS = (
    *("id", "source_file", "source_offset", "fetched_at", "http_status"),
    *("html_hash", "weights", "broadsheet_version"),
)
_HASHED_FIELDS = frozenset(("id", "html_hash", "provenance"))
# Field -> the attributes of the article that it is read from. The others are attributes themselves.
_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*ALWAYS_THERE, "status_reason", "host", "schema_version"), ()),
    "date_text": ("date",),
    "date_modified_text": ("date_modified",),
    "text_hash": ("text",),
    "comment_details": ("comments",),
    "blocks": ("page_blocks", "labels"),
    **dict.fromkeys(MEASURES, ("text",)),
    "boilerplate_share": ("text", "page_blocks"),
    "year": ("date",),
    **dict.fromkeys(_PROVENANCE_COLUMNS, ("provenance",)),
}
# Attribute -> the columns that state it, if there is none of its name.
_COLUMNS_OF: dict[str, tuple[str, ...]] = {
    "date": ("date", "date_text"),
    "date_modified": ("date_modified", "date_modified_text"),
    "comments": ("comments", "comment_details"),
    "image": ("images",),
    "provenance": _PROVENANCE_COLUMNS,
    "page_blocks": (),  # not in records
}
NO_TEXTS: Mapping[str, str] = MappingProxyType({})
FIELD_NAMES = (*COLUMNS, "image", "provenance")


def check_fields(fields: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the fields, each once. Raises UsageError for an unknown one."""
    if isinstance(fields, str):  # its letters would be read as names
        raise UsageError(f"fields must be a tuple of names, not a string: write ({fields!r},)")
    if not isinstance(fields, Iterable):
        raise UsageError(f"fields must be a tuple of names, not {fields!r:.80}")
    return check_names(fields, FIELD_NAMES)


def keep_fields(article: Article, fields: Sequence[str], texts: Mapping[str, str] = NO_TEXTS) -> Article:
    """Make these fields of an article, and return an article that has no others and does not keep the page.

    `texts` are forms of the body that are known, by attribute.
    """
    values = {name: texts[name] if name in texts else _read(article, name, fields) for name in list_attributes(fields)}
    always = {name: getattr(article, name) for name in ALWAYS_THERE}
    return make_lazy(Article, RequestedValues(tuple(fields), values, find_reason(article)), **always)


def _read(article: Article, name: str, fields: Sequence[str]) -> Any:
    """Read an attribute; the provenance without the hash of the page if no field needs it."""
    if name == "provenance" and _HASHED_FIELDS.isdisjoint(fields) and isinstance(article._source, PageSource):
        return article._source.make("origin")
    return getattr(article, name)


def list_attributes(fields: Iterable[str]) -> tuple[str, ...]:
    """Return the attributes of an article that fields are read from."""
    return tuple(dict.fromkeys(name for field in fields for name in _ATTRIBUTES.get(field, (field,))))


def list_record_columns(fields: Iterable[str]) -> list[str]:
    """Return the columns of a record from which `read_requested` reads an article with these fields."""
    names = (name for attribute in list_attributes(fields) for name in _COLUMNS_OF.get(attribute, (attribute,)))
    return list(dict.fromkeys((*ALWAYS_THERE, "status_reason", *names)))


def read_requested(record: Mapping[str, Any], fields: Sequence[str]) -> Article:
    """Return the article of a record with the columns of `list_record_columns`; it has no other fields."""
    from broadsheet.output.read_record import read_record  # imported here: only clients read records

    article = read_record(record)
    reason = {"status": record["status_reason"]} if record.get("status_reason") else {}
    texts = {name: record[name] for name in ("text", "markdown", "html") if name in record}
    return keep_fields(replace(article, sources={**reason, **article.sources}), fields, texts)
