"""Record: one labelled page, independent of the layout it was read from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from broadsheet.errors import UsageError

SILVER = "silver"  # label_quality of labels that are the output of another extractor

# `with` is a Python keyword; the other names are those of the JSON schema.
_RENAMED = {"with": "with_"}
_LIST_FIELDS = frozenset(("authors", "with_", "without", "captions", "byline", "dateline", "unsure"))
NUMBER_FIELDS: dict[str, Callable[[Any], int | float]] = {"year": int, "gold_recall": float}
_DATE_FIELDS = frozenset(("date", "date_modified"))
_NAME_FIELDS = frozenset(("id", "dataset", "site"))  # a number may be a name too


@dataclass(frozen=True, slots=True)
class Record:
    """A page and its labels. A label that the dataset does not give is None."""

    id: str  # a name for the page; by default file and line
    html: str | bytes  # the page; bytes if the layout does not state the encoding
    dataset: str = ""  # by default the name of the file up to the first dot
    split: str | None = None  # `train`, `dev` or `bench`
    url: str | None = None  # the address
    site: str | None = None  # for results by site
    lang: str | None = None  # ISO 639-1, for results by language
    year: int | None = None  # for results by year
    page_type: str | None = None  # `article`, or another type
    text: str | None = None  # the gold text, one paragraph per line
    title: str | None = None  # the headline
    authors: tuple[str, ...] | None = None  # their names
    date: str | None = None  # `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ss` with an optional zone
    date_modified: str | None = None  # the same
    comments: str | None = None  # of readers; in JSON, also a list
    captions: tuple[str, ...] | None = None  # texts of the blocks that are captions; makes a record one with all roles
    byline: tuple[str, ...] | None = None  # texts of the blocks that name the authors
    dateline: tuple[str, ...] | None = None  # texts of the blocks that state the date
    unsure: tuple[str, ...] | None = None  # texts of blocks that may be article text: neither scored nor learned
    with_: tuple[str, ...] | None = None  # snippets that must be in the text
    without: tuple[str, ...] | None = None  # snippets that must not be in the text
    label_quality: str | None = None  # `gold`, or `silver` for the output of another extractor
    gold_recall: float | None = None  # share of the words of `text` that are in the visible text of the page
    origin: str | None = None  # `id` of a record of another dataset that this record replaces


_FIELDS = frozenset(field.name for field in fields(Record))
# Names of the JSON schema and of the columns of a table of labels.
_KEYS = {name: key for key, name in _RENAMED.items()}
FIELDS = frozenset(_KEYS.get(name, name) for name in _FIELDS) - {"id", "html"}
LIST_FIELDS = frozenset(_KEYS.get(name, name) for name in _LIST_FIELDS)


def make_record(values: Mapping[str, Any], location: str | None = None) -> Record:
    """Make a record from JSON values. Unknown names and null values are ignored.

    Raises UsageError, with the location or the id, for a label of a wrong type and for a date in another form.
    """
    labels: dict[str, Any] = {}
    for key, value in values.items():
        name = _RENAMED.get(key, key)
        if name in _FIELDS and value is not None:
            try:
                labels[name] = _check_label(name, value)
            except TypeError as error:
                place = location or values.get("id")
                raise UsageError(f"{place}: {key!r} must be {error}, not {value!r:.80}") from None
    return Record(**labels)


def is_iso_date(text: str) -> bool:
    """Return whether a text begins with a day as YYYY-MM-DD."""
    try:
        return date.fromisoformat(text[:10]).isoformat() == text[:10]
    except ValueError:
        return False


def drop_other_date(label: Any) -> Any:
    """Return a date of a published dataset, or None if it is in another form: such datasets cannot be corrected."""
    return None if isinstance(label, str) and not is_iso_date(label) else label


def _check_label(name: str, value: Any) -> Any:
    """Return the value of a field. Raises TypeError with what it must be."""
    if name in _LIST_FIELDS:
        return (value,) if isinstance(value, str) else tuple(_check_strings(value))
    if name in NUMBER_FIELDS:
        return _read_number(name, value)
    if name in _DATE_FIELDS and value and isinstance(value, str) and not is_iso_date(value):  # "": not known
        raise TypeError("a day as YYYY-MM-DD, optionally with a time")
    if isinstance(value, str) or (name == "html" and isinstance(value, bytes)):
        return value
    if name == "comments":
        return "\n".join(_check_strings(value))
    if name in _NAME_FIELDS and isinstance(value, int):
        return str(value)
    raise TypeError("a string")


def _check_strings(value: Any) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise TypeError("a list of strings")
    return list(value)


def _read_number(name: str, value: Any) -> int | float:
    try:
        return NUMBER_FIELDS[name](value)
    except (OverflowError, TypeError, ValueError):
        raise TypeError("a number") from None
