"""Site files: versioned JSON, or SQLite with the same records if the JSON would be large.

A file holds the settings, counts, a summary in words, the pages of the sample (hashes only, 8 bytes per key), the short
texts that at least two of them share, and the titles from home pages. It holds no text of an article.

A file may be damaged or made to do harm: size, time and the type of every value are checked when it is read. One that
does not pass raises SiteFileError with one line.
"""

from __future__ import annotations

import base64
import json
import math
import sqlite3
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from broadsheet.atomic import replace_file, write_atomically
from broadsheet.errors import SiteFileError
from broadsheet.site.sample import SampledPage
from broadsheet.site.site import Site
from broadsheet.site.template import SiteConfig
from broadsheet.stored import describe, open_database, parse_json, refuse_damage

FORMAT = "broadsheet-site"
VERSION = 1
MAX_JSON_CHARS = 16_000_000  # a larger site is written as SQLite
_Values = dict[str, Any]
_SQLITE_MAGIC = b"SQLite format 3\0"
_MAX_JSON_BYTES = 4 * (MAX_JSON_CHARS + 1)  # four bytes per character, and the final newline
_MAX_SQLITE_ROWS = 1_000_000
_MAX_VALUE_CHARS = 4_000_000  # one value in SQLite: a sampled page has up to 1.5 million
_MAX_SQLITE_CHARS = 128_000_000  # all values
_MAX_SQLITE_SECONDS = 10.0
_SQLITE_STEPS_PER_CHECK = 1000
_MAX_SAMPLED_PAGES = 4096  # grouping them by template takes quadratic time

S = TypeVar("S", bound=Site)


def save_site(site: Site, path: Path, *, max_json: int = MAX_JSON_CHARS) -> None:
    """Write a site to a file, completely or not at all."""
    values = _write_values(site)
    text = json.dumps(values, ensure_ascii=False, indent=1)
    if len(text) > max_json:
        with replace_file(path) as draft:
            _write_sqlite(values, draft)
    else:
        with write_atomically(path, errors="backslashreplace") as file:
            file.write(text + "\n")


def write_record(site: Site) -> str:
    """Return a site as JSON on one line, without a summary: for stores of many sites."""
    return json.dumps(_write_values(site, has_summary=False), ensure_ascii=False).encode("utf-8", "replace").decode()


def _write_values(site: Site, *, has_summary: bool = True) -> _Values:
    return {
        "format": FORMAT,
        "version": VERSION,
        "summary": site.describe().splitlines() if has_summary else [],
        "config": asdict(site.config),
        "pages": site.pages,
        "texts": {f"{key:016x}": text for key, text in sorted(find_shared_texts(site).items())},
        "titles": {address: list(texts) for address, texts in sorted(site.titles.items())},
        "sample": [_write_page(page) for _, page in sorted(site.sample.items())],
    }


def find_shared_texts(site: Site) -> dict[int, str]:
    """Return the short texts that at least two pages of the sample have, by key."""
    support = Counter(key for page in site.sample.values() for key in page.texts)
    texts = {key: text for page in site.sample.values() for key, text in page.texts.items()}
    return {key: text for key, text in texts.items() if support[key] > 1}


def _write_page(page: SampledPage) -> _Values:
    return {
        "fingerprint": f"{page.fingerprint:016x}",
        "section": page.section,
        "looks": _write_array(page.structure),  # the name of the structure in version 1 of the format
        "keys": _write_array(page.keys),
    }


def _write_array(numbers: array[int]) -> str:
    return base64.b64encode(as_little_endian(numbers).tobytes()).decode("ascii")


def as_little_endian(numbers: array[int]) -> array[int]:
    """Return the numbers in the byte order of site files, or back in that of the machine."""
    if sys.byteorder == "big":
        numbers = array(numbers.typecode, numbers)
        numbers.byteswap()
    return numbers


# SQLite: the same values, one database row per page and per title, so that no string gets huge.


def _write_sqlite(values: _Values, path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE site (part TEXT, name TEXT, value TEXT, PRIMARY KEY (part, name)) WITHOUT ROWID")
        database.executemany("INSERT INTO site VALUES (?, ?, ?)", _list_rows(values))


def _list_rows(values: _Values) -> Iterator[tuple[str, str, str]]:
    for part, value in values.items():
        if part in ("texts", "titles"):
            yield from ((part, name, json.dumps(entry)) for name, entry in value.items())
        elif part == "sample":
            yield from ((part, page["fingerprint"], json.dumps(page)) for page in value)
        else:
            yield "facts", part, json.dumps(value)


# Reading


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
            f"{path} is damaged ({describe(error)}) or not a saved site; learn the site again"
        ) from error


def read_record(text: str) -> Site:
    """Return the site of `storage.write_record`. Raises SiteFileError if the text is damaged."""
    try:
        return _make_site(Site, _read_json(text))
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise SiteFileError(f"the record of a site is damaged ({describe(error)}); learn the sites again") from error


@dataclass(frozen=True, slots=True)
class _SiteParts:
    """The values of a file, before they are checked."""

    facts: dict[str, object]
    texts: dict[str, object] = field(default_factory=dict)
    titles: dict[str, object] = field(default_factory=dict)
    sample: list[object] = field(default_factory=list)


def _make_site(kind: type[S], values: _SiteParts) -> S:
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


def _read_values(path: Path) -> _SiteParts:
    with path.open("rb") as file:
        start = file.read(len(_SQLITE_MAGIC))
        if start == _SQLITE_MAGIC:
            return _read_sqlite(path)
        data = start + file.read(_MAX_JSON_BYTES)
    text = data.decode("utf-8") if len(data) <= _MAX_JSON_BYTES else None
    if text is None or len(text) > MAX_JSON_CHARS + 1:
        raise ValueError("it is too large")
    return _read_json(text)


def _read_json(text: str) -> _SiteParts:
    values = parse_json(text, object)
    if not isinstance(values, dict) or values.get("version") != VERSION:
        return _SiteParts(values if isinstance(values, dict) else {})
    return _SiteParts(
        facts=values,
        texts=_check(dict, values["texts"]),
        titles=_check(dict, values["titles"]),
        sample=_check(list, values["sample"]),
    )


def _read_sqlite(path: Path) -> _SiteParts:
    values = _SiteParts({})
    sample: dict[str, object] = {}
    parts: dict[str, dict[str, Any]] = {
        "facts": values.facts,
        "texts": values.texts,
        "titles": values.titles,
        "sample": sample,
    }
    chars = 0
    with refuse_damage(), closing(open_database(path, most=_MAX_VALUE_CHARS, is_read_only=True)) as database:
        _limit_sqlite(database)
        for number, (part, name, value) in enumerate(database.execute("SELECT part, name, value FROM site")):
            chars += len(_check(str, value)) + len(_check(str, name))
            if number >= _MAX_SQLITE_ROWS or chars > _MAX_SQLITE_CHARS:
                raise ValueError("it is too large")
            parts[part][name] = parse_json(value, object)
    values.sample.extend(page for _, page in sorted(sample.items()))
    return values


def _limit_sqlite(database: sqlite3.Connection) -> None:
    """Bound the time, and require the table of sites."""
    database.set_progress_handler(_make_clock(_MAX_SQLITE_SECONDS), _SQLITE_STEPS_PER_CHECK)
    row = database.execute("SELECT type, sql FROM sqlite_master WHERE name = 'site'").fetchone()
    if row is None or row[0] != "table" or not str(row[1]).upper().startswith("CREATE TABLE"):
        raise ValueError("it has no table of sites")


def _make_clock(seconds: float) -> Callable[[], bool]:
    """Return a function that tells whether this many seconds have passed."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end
