"""Record: one labelled page, independent of the layout it was read from."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import json
import lzma
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
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


# Pages stored as one file each, for the layouts that are folders


_PAGE_SUFFIXES = (".html", ".htm", ".html.gz", ".htm.gz")
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MAX_NAMES = 3  # in a message about skipped files


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file that holds one page."""

    name: str  # without the suffix
    path: Path

    def read(self) -> bytes:
        """Return the page, decompressed."""
        with explain_failure(self.path):
            raw = self.path.read_bytes()
            return gzip.decompress(raw) if self.path.suffix == ".gz" else raw


def list_pages(folder: Path) -> list[PageFile]:
    """Return the pages in a folder, sorted by file name. Raises UsageError if two of them have the same name."""
    pages: dict[str, PageFile] = {}
    for path in sorted(folder.iterdir()):
        name = remove_page_suffix(path.name)
        if name == path.name:
            continue
        if name in pages:
            raise UsageError(
                f"{folder} has two pages named {name!r}: {pages[name].path.name} and {path.name}; rename or remove one"
            )
        pages[name] = PageFile(name, path)
    return list(pages.values())


def remove_page_suffix(name: str) -> str:
    """Return the file name of a page without its suffix, and any other name as it is."""
    suffix = next((suffix for suffix in _PAGE_SUFFIXES if name.lower().endswith(suffix)), "")
    return name[: len(name) - len(suffix)]


def describe_unpaired(pages: Path, labelled: Collection[str], place: Path) -> list[str]:
    """Describe the pages that have no labels and the labels that have no page: both are skipped."""
    names = {page.name for page in list_pages(pages)}
    kinds = (("pages without labels", names.difference(labelled)), ("labels without a page", set(labelled) - names))
    return [f"{place}: skipped {kind} ({len(found)}): {_list_names(found)}" for kind, found in kinds if found]


def _list_names(names: Collection[str]) -> str:
    listed = ", ".join(sorted(names)[:_MAX_NAMES])
    return f"{listed}, ..." if len(names) > _MAX_NAMES else listed


def name_dataset(folder: Path) -> str:
    """Return the folder's name as the user wrote it. `.` and `..` are resolved."""
    return folder.name if folder.name not in {"", ".."} else folder.resolve().name


def read_text(path: Path) -> str:
    """Read a gold text: UTF-8, UTF-16 with a byte order mark, otherwise Windows-1252."""
    raw = path.read_bytes()
    try:
        if raw.startswith(_UTF_16_MARKS):
            return raw.decode("utf-16")
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def read_json_object(path: Path) -> dict[str, Any]:
    """Read a gold file in JSON. Raises UsageError."""
    with explain_failure(path):
        try:
            values = json.loads(path.read_text(encoding="utf-8-sig"))
        except (json.JSONDecodeError, RecursionError) as error:
            raise UsageError(f"{path}: not JSON ({error})") from error
    return check_object(values, str(path))


def check_object(values: Any, location: str) -> dict[str, Any]:
    """Return the values of a JSON object. Raises UsageError for anything else."""
    if not isinstance(values, dict):
        raise UsageError(f"{location}: expected a JSON object with labels, not {values!r:.80}")
    return values


@contextlib.contextmanager
def explain_failure(path: Path) -> Iterator[None]:
    """Turn errors of reading, unpacking and decoding a file into a UsageError with its name."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 (byte {error.start}: {error.reason})") from error
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        raise UsageError(f"{path}: cannot be read ({error})") from error


def find_folder(path: Path, *names: str) -> Path | None:
    """Return the subfolder with the first of the names that exists, ignoring case."""
    if not path.is_dir():
        return None
    folders = {child.name.lower(): child for child in sorted(path.iterdir()) if child.is_dir()}
    return next((folders[name.lower()] for name in names if name.lower() in folders), None)
