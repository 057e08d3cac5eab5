"""Record: one labelled page, whatever layout it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

# `with` is a word of Python; everywhere else the names are those of the JSON schema.
_RENAMED = {"with": "with_"}
_LISTS = frozenset(("authors", "with_", "without"))


@dataclass(frozen=True, slots=True)
class Record:
    """A page and what people know of it; None where nobody said."""

    id: str
    html: str | bytes  # bytes: nobody has decoded the page yet
    dataset: str = ""
    split: str | None = None  # train, dev or bench
    url: str | None = None
    site: str | None = None
    lang: str | None = None  # ISO 639-1
    year: int | None = None
    page_type: str | None = None
    text: str | None = None  # gold main text, one paragraph a line
    title: str | None = None
    authors: tuple[str, ...] | None = None
    date: str | None = None  # YYYY-MM-DD or YYYY-MM-DDThh:mm:ss[zone]
    date_modified: str | None = None
    comments: str | None = None
    with_: tuple[str, ...] | None = None  # snippets that must be in the main text
    without: tuple[str, ...] | None = None  # snippets that must not
    label_quality: str | None = None  # gold, or silver: the output of another extractor
    gold_recall: float | None = None  # share of the words of `text` that the visible page has


_FIELDS = frozenset(field.name for field in fields(Record))


def make_record(values: Mapping[str, Any]) -> Record:
    """Make a record of JSON values; names that a record does not have are left out."""
    known: dict[str, Any] = {}
    for key, value in values.items():
        name = _RENAMED.get(key, key)
        if name in _FIELDS and value is not None:
            known[name] = _as_tuple(value) if name in _LISTS else value
    if isinstance(known.get("comments"), list):
        known["comments"] = "\n".join(map(str, known["comments"]))
    return Record(**known)


def _as_tuple(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value))
