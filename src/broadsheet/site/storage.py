"""Writing site files: versioned JSON, or SQLite with the same records if the JSON would be large.

A file holds the settings, counts, a summary in words, the pages of the sample (hashes only, 8 bytes per key), the short
texts that at least two of them share, and the titles from home pages. It holds no text of an article.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import sys
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from broadsheet.atomic import replace_file, write_atomically
from broadsheet.site.sample import SampledPage
from broadsheet.site.site import Site

FORMAT = "broadsheet-site"
VERSION = 1
MAX_JSON_CHARS = 16_000_000  # a larger site is written as SQLite
_Values = dict[str, Any]


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
