from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from broadsheet.errors import SiteFileError
from broadsheet.site import Site, storage
from broadsheet.site.storage import save_site

PAGES = [f"<div class=a><p>Menu</p><p>Story {number}, in full.</p></div>" for number in range(4)]
ENDLESS_VIEW = """CREATE VIEW site AS WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
    SELECT 'texts' AS part, n AS name, '"x"' AS value FROM numbers WHERE n < 0"""
SITE_TABLE = "CREATE TABLE site (part TEXT, name TEXT, value TEXT)"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("site") / "site.json"
    Site.learn(PAGES).save(path)
    values: dict[str, Any] = json.loads(path.read_text())
    return values


def load_error(path: Path) -> str:
    started = time.process_time()
    with pytest.raises(SiteFileError) as raised:
        Site.load(path)
    assert time.process_time() - started < 5
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) < 500
    return message


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("version", "1"),
        ("version", 0),
        ("version", True),
        ("config", []),
        ("config", {"max_pages": "256"}),
        ("config", {"max_pages": 1e9}),
        ("config", {"max_pages": -1}),
        ("config", {"min_share": float("nan")}),
        ("config", {"reads_elements": 1}),
        ("config", {"x" * 100_000: 1}),
        ("pages", None),
        ("pages", 1e400),
        ("texts", []),
        ("texts", {"xyz": "a"}),
        ("texts", {"0f": 3}),
        ("titles", {"a": "b"}),
        ("titles", {"a": [["b"]]}),
        ("sample", {}),
        ("sample", [3]),
        ("sample", [{}]),
        ("sample", [{"fingerprint": "0f", "section": 1, "keys": "", "looks": ""}]),
        ("sample", [{"fingerprint": 15, "section": "", "keys": "", "looks": ""}]),
        ("sample", [{"fingerprint": "0f", "section": "", "keys": "AAAA", "looks": ""}]),
        ("sample", [{"fingerprint": "0f", "section": "", "keys": "\u00e4", "looks": ""}]),
        ("sample", [{"fingerprint": "0f", "section": "", "keys": [], "looks": ""}]),
        ("sample", [{"fingerprint": "0f", "section": "", "keys": "", "looks": ""}] * 300),  # more than max_pages
    ],
)  # fmt: skip
def test_wrong_values(tmp_path: Path, saved: dict[str, Any], key: str, value: object) -> None:
    (tmp_path / "site").write_text(json.dumps({**saved, key: value}))
    assert "is damaged" in load_error(tmp_path / "site")


@pytest.mark.parametrize("key", ["version", "config", "pages", "texts", "titles", "sample"])
def test_missing_values(tmp_path: Path, saved: dict[str, Any], key: str) -> None:
    (tmp_path / "site").write_text(json.dumps({name: value for name, value in saved.items() if name != key}))
    assert f"'{key}' is missing" in load_error(tmp_path / "site")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[" * 1_000_000,
        b'{"format": "broadsheet-site", "version": 1, "config": ' + b"[" * 100_000,
        b'{"a":' * 100_000,
        b"\xff\xfe",
        b"9" * 10_000,
        b"SQLite format 3\0",
        b"SQLite format 3\0" + bytes(10_000),
        b"[],\n" * 5_000_000,  # larger than any that is written
    ],
    ids=range(9),
)
def test_damaged_files(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "site").write_bytes(content)
    assert "is damaged" in load_error(tmp_path / "site")


def test_a_device_is_not_read_without_end() -> None:
    assert "is damaged (it is too large)" in load_error(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("schema", "rows"),
    [
        (ENDLESS_VIEW, []),
        ("CREATE TABLE other (a)", []),
        (SITE_TABLE, []),
        (SITE_TABLE, [("facts", "format", b"x")]),
        (SITE_TABLE, [("facts", "format", 3)]),
        (SITE_TABLE, [("facts", "format", "nonsense")]),
        (SITE_TABLE, [("facts", "format", "[" * 100_000)]),
        (SITE_TABLE, [("other", "format", '""')]),
        (SITE_TABLE, [("texts", "0f", '"' + "x" * 5_000_000 + '"')]),
        ("CREATE TABLE site (part TEXT, name TEXT, value TEXT AS (hex(zeroblob(5000000))))", [("texts", "0f")]),
    ],
)  # fmt: skip
def test_damaged_databases(tmp_path: Path, schema: str, rows: list[tuple[object, ...]]) -> None:
    with closing(sqlite3.connect(tmp_path / "site")) as database, database:
        database.execute(schema)
        for row in rows:
            names = ("part", "name", "value")[: len(row)]
            database.execute(f"INSERT INTO site ({', '.join(names)}) VALUES ({', '.join('?' * len(row))})", row)
    assert load_error(tmp_path / "site")


def test_a_slow_database_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_site(Site.learn(PAGES), tmp_path / "site", max_json=0)
    assert Site.load(tmp_path / "site") == Site.learn(PAGES)
    monkeypatch.setattr(storage, "_MAX_SQLITE_SECONDS", -1.0)
    monkeypatch.setattr(storage, "_SQLITE_STEPS_PER_CHECK", 1)
    assert "interrupted" in load_error(tmp_path / "site")


def test_too_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_site(Site.learn(PAGES), tmp_path / "site", max_json=0)
    monkeypatch.setattr(storage, "_MAX_SQLITE_ROWS", 3)
    assert "too large" in load_error(tmp_path / "site")
