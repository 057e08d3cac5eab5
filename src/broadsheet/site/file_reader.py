"""Reading site files, which may be damaged or made to do harm.

Size, time and the type of every value are checked. A file that does not pass raises SiteFileError with one line.
"""

from __future__ import annotations

import base64
import json
import math
import sqlite3
import time
from array import array
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from broadsheet.errors import SiteFileError
from broadsheet.site.config import SiteConfig
from broadsheet.site.sample import SampledPage
from broadsheet.site.site import Site
from broadsheet.site.storage import FORMAT, MAX_JSON_CHARS, VERSION, as_little_endian

_SQLITE_MAGIC = b"SQLite format 3\0"
_MAX_JSON_BYTES = 4 * (MAX_JSON_CHARS + 1)  # four bytes per character, and the final newline
_MAX_SQLITE_ROWS = 1_000_000
_MAX_VALUE_CHARS = 4_000_000  # one value in SQLite: a sampled page has up to 1.5 million
_MAX_SQLITE_CHARS = 128_000_000  # all values
_MAX_SQLITE_SECONDS = 10.0
_SQLITE_STEPS_PER_CHECK = 1000
_MAX_SAMPLED_PAGES = 4096  # grouping them by template takes quadratic time
_MAX_REASON_CHARS = 200

S = TypeVar("S", bound=Site)


def load_site(kind: type[S], path: Path) -> S:
    """Read a site. Raises SiteFileError if the file cannot be read, is not a saved site, or is of a newer version."""
    try:
        values = _read_values(path)
        if values.facts.get("format") != FORMAT:
            raise SiteFileError(f"{path} is not a saved site; to make one: broadsheet site learn FOLDER -o {path}")
        version = _check(int, values.facts["version"])
        if version > VERSION:
            raise SiteFileError(f"{path} was saved by a newer Broadsheet (format version {version}); update Broadsheet")
        if version != VERSION:
            raise ValueError(f"format version {version}")
        return _make_site(kind, values)
    except OSError as error:
        raise SiteFileError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, sqlite3.Error) as error:
        raise SiteFileError(
            f"{path} is damaged ({_describe(error)}) or not a saved site; learn the site again"
        ) from error


def read_record(text: str) -> Site:
    """Return the site of `storage.write_record`. Raises SiteFileError if the text is damaged."""
    try:
        return _make_site(Site, _read_json(text))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise SiteFileError(f"the record of a site is damaged ({_describe(error)}); learn the sites again") from error


@dataclass(frozen=True, slots=True)
class _Values:
    """The values of a file, before they are checked."""

    facts: dict[str, object]
    texts: dict[str, object] = field(default_factory=dict)
    titles: dict[str, object] = field(default_factory=dict)
    sample: list[object] = field(default_factory=list)


def _describe(error: Exception) -> str:
    """Return the reason in one line."""
    if isinstance(error, RecursionError):
        return "its values are nested too deeply"
    reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
    return " ".join(reason.split())[:_MAX_REASON_CHARS]


def _make_site(kind: type[S], values: _Values) -> S:
    site = kind(_read_config(values.facts["config"]))
    site.pages = _check(int, values.facts["pages"])
    shared_texts = {int(key, 16): _check(str, text) for key, text in values.texts.items()}
    if len(values.sample) > min(site.config.max_pages, _MAX_SAMPLED_PAGES):
        raise ValueError(f"its sample has {len(values.sample)} pages")
    pages = [_read_page(page, shared_texts) for page in values.sample]
    site.sample = {page.fingerprint: page for page in pages}
    site.titles = {address: _read_texts(texts) for address, texts in values.titles.items()}
    return site


def _read_config(value: object) -> SiteConfig:
    settings = _check(dict, value)
    unknown = settings.keys() - {setting.name for setting in fields(SiteConfig)}
    if unknown:
        raise ValueError(f"unknown setting {min(map(str, unknown))!r}")
    defaults = SiteConfig()
    for name, setting in settings.items():
        default = getattr(defaults, name)
        if isinstance(default, bool):
            _check(bool, setting)
        elif isinstance(setting, bool) or not isinstance(setting, int | float) or not 0 <= setting < math.inf:
            raise TypeError(f"setting {name!r} is not a positive number")
        elif isinstance(default, int):
            _check(int, setting)
    return SiteConfig(**settings)


def _read_page(value: object, shared_texts: dict[int, str]) -> SampledPage:
    values = _check(dict, value)
    keys = _read_array("Q", values["keys"])
    return SampledPage(
        fingerprint=int(_check(str, values["fingerprint"]), 16),
        section=_check(str, values["section"]),
        keys=keys,
        structure=_read_array("I", values["looks"]),  # the name of the structure in version 1 of the format
        texts={key: shared_texts[key] for key in keys if key in shared_texts},
    )


def _read_array(kind: str, text: object) -> array[int]:
    numbers = array(kind)
    numbers.frombytes(base64.b64decode(_check(str, text), validate=True))
    return as_little_endian(numbers)


def _read_texts(value: object) -> tuple[str, ...]:
    return tuple(_check(str, text) for text in _check(list, value))


T = TypeVar("T")


def _check(kind: type[T], value: object) -> T:
    if type(value) is not kind:
        raise TypeError(f"{type(value).__name__} in place of {kind.__name__}")
    return value


# Files to values.


def _read_values(path: Path) -> _Values:
    with path.open("rb") as file:
        start = file.read(len(_SQLITE_MAGIC))
        if start == _SQLITE_MAGIC:
            return _read_sqlite(path)
        data = start + file.read(_MAX_JSON_BYTES)
    text = data.decode("utf-8") if len(data) <= _MAX_JSON_BYTES else None
    if text is None or len(text) > MAX_JSON_CHARS + 1:
        raise ValueError("it is too large")
    return _read_json(text)


def _read_json(text: str) -> _Values:
    values = json.loads(text)
    if not isinstance(values, dict) or values.get("version") != VERSION:
        return _Values(values if isinstance(values, dict) else {})
    return _Values(
        facts=values,
        texts=_check(dict, values["texts"]),
        titles=_check(dict, values["titles"]),
        sample=_check(list, values["sample"]),
    )


def _read_sqlite(path: Path) -> _Values:
    values = _Values({})
    sample: dict[str, object] = {}
    parts: dict[str, dict[str, Any]] = {
        "facts": values.facts,
        "texts": values.texts,
        "titles": values.titles,
        "sample": sample,
    }
    chars = 0
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        _limit_sqlite(database)
        for number, (part, name, value) in enumerate(database.execute("SELECT part, name, value FROM site")):
            chars += len(_check(str, value)) + len(_check(str, name))
            if number >= _MAX_SQLITE_ROWS or chars > _MAX_SQLITE_CHARS:
                raise ValueError("it is too large")
            parts[part][name] = json.loads(value)
    values.sample.extend(page for _, page in sorted(sample.items()))
    return values


def _limit_sqlite(database: sqlite3.Connection) -> None:
    """Bound the size of values and the time, and refuse a view, whose rows may be endless."""
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_CHARS)
    database.set_progress_handler(_make_clock(_MAX_SQLITE_SECONDS), _SQLITE_STEPS_PER_CHECK)
    database.execute("PRAGMA trusted_schema = OFF")
    row = database.execute("SELECT type, sql FROM sqlite_master WHERE name = 'site'").fetchone()
    if row is None or row[0] != "table" or not str(row[1]).upper().startswith("CREATE TABLE"):
        raise ValueError("it has no table of sites")


def _make_clock(seconds: float) -> Callable[[], bool]:
    """Return a function that tells whether this many seconds have passed."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end
