"""Record: one labelled page, independent of the layout it was read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

SILVER = "silver"  # label_quality of labels that are the output of another extractor

# `with` is a Python keyword; the other names are those of the JSON schema.
_RENAMED = {"with": "with_"}
_LIST_FIELDS = frozenset(("authors", "with_", "without", "captions", "byline", "dateline", "unsure"))


@dataclass(frozen=True, slots=True)
class Record:
    """A page and its labels. A label that the dataset does not give is None."""

    id: str
    html: str | bytes  # bytes if the layout does not state the encoding
    dataset: str = ""
    split: str | None = None  # train, dev or bench
    url: str | None = None
    site: str | None = None
    lang: str | None = None  # ISO 639-1
    year: int | None = None
    page_type: str | None = None  # article, forum, product, ...
    text: str | None = None  # gold main text, one paragraph per line
    title: str | None = None
    authors: tuple[str, ...] | None = None
    date: str | None = None  # YYYY-MM-DD or YYYY-MM-DDThh:mm:ss[zone]
    date_modified: str | None = None
    comments: str | None = None
    captions: tuple[str, ...] | None = None  # texts of the blocks that are captions
    byline: tuple[str, ...] | None = None  # texts of the blocks that name the authors
    dateline: tuple[str, ...] | None = None  # texts of the blocks that state the date
    unsure: tuple[str, ...] | None = None  # texts of blocks that the main text may contain or not
    with_: tuple[str, ...] | None = None  # snippets that the main text must contain
    without: tuple[str, ...] | None = None  # snippets that it must not contain
    label_quality: str | None = None  # "gold" or "silver"
    gold_recall: float | None = None  # share of the words of `text` that are visible on the page
    origin: str | None = None  # id of the record of another dataset that this record replaces


_FIELDS = frozenset(field.name for field in fields(Record))
# Names of the JSON schema and of the columns of a table of labels.
FIELDS = frozenset({name: key for key, name in _RENAMED.items()}.get(name, name) for name in _FIELDS) - {"id", "html"}


def make_record(values: Mapping[str, Any]) -> Record:
    """Make a record from JSON values. Unknown names and null values are ignored."""
    labels: dict[str, Any] = {}
    for key, value in values.items():
        name = _RENAMED.get(key, key)
        if name in _FIELDS and value is not None:
            labels[name] = _as_tuple(value) if name in _LIST_FIELDS else value
    if isinstance(labels.get("comments"), list):
        labels["comments"] = "\n".join(map(str, labels["comments"]))
    return Record(**labels)


def _as_tuple(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(map(str, value))
