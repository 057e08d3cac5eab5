"""Values that are read back from files: size, depth and types are checked, and errors are one line."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from broadsheet.stored import (
    DamagedFile,
    open_database,
    parse_json,
    read_member,
    read_value,
    refuse_damage,
    require_tables,
    unpack,
)


class Color(Enum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: float
    name: str


@dataclass(frozen=True)
class Shape:
    points: tuple[Point, ...]
    color: Color
    size: int = 3
    note: str | None = None
    counts: Mapping[str, Any] | None = None


RIGHT = {"points": [{"x": 1, "name": "a"}, {"x": 0.5, "name": "b"}], "color": "red", "unknown": 1}


def test_a_dataclass_is_read() -> None:
    assert read_value(Shape, RIGHT) == Shape((Point(1, "a"), Point(0.5, "b")), Color.RED)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"size": True}, "size: it has bool in place of int"),
        ({"size": "3"}, "size: it has str in place of int"),
        ({"color": "blue"}, "'blue' is not a valid Color"),
        ({"color": ["red"]}, "is not a valid Color"),
        ({"points": None}, "points: it has NoneType in place of list"),
        ({"points": [1]}, "points: it has int in place of an object"),
        ({"points": [{"x": 1}]}, "points: 'name' is missing"),
        ({"points": [{"x": "1", "name": "a"}]}, "points: x: it has str in place of float"),
        ({"counts": []}, "counts: it has list in place of dict"),
        ({"note": 1}, "note: it has int in place of str"),
    ],
)
def test_wrong_values(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(DamagedFile) as refused:
        read_value(Shape, {**RIGHT, **changes})
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "not JSON"),
        ('{"x": NaN}', "NaN is not a number"),
        (b"\xff\xfe\xfd", "not JSON"),
        ("[]", "list in place of dict"),
        ('{"x": "' + "x" * 200 + '"}', "more than 100 bytes"),
    ],
)
def test_wrong_json(text: str | bytes, line: str) -> None:
    with pytest.raises(DamagedFile, match=line):
        parse_json(text, dict, most=100 if "more" in line else 1_000_000)


def test_compressed_data_is_bounded() -> None:
    assert unpack(zlib.compress(b"text")) == b"text"
    for data in (b"", b"text", zlib.compress(b"text")[:-5], zlib.compress(bytes(2000))):
        with pytest.raises(DamagedFile):
            unpack(data, most=1000)


def test_members() -> None:
    assert read_member(Color, "red") is Color.RED
    with pytest.raises(DamagedFile):
        read_member(Color, "blue")


TABLE = "CREATE TABLE t (a TEXT NOT NULL, b INTEGER, c REAL, d BLOB)"


@pytest.mark.parametrize(
    ("statement", "is_right"),
    [
        ("INSERT INTO t VALUES ('x', 1, 1, x'00')", True),
        ("INSERT INTO t VALUES ('x', NULL, 0.5, NULL)", True),
        ("INSERT INTO t VALUES (x'00', 1, 1, NULL)", False),
        ("INSERT INTO t VALUES ('x', 'many', 1, NULL)", False),
        ("INSERT INTO t VALUES ('x', 1, 'x', NULL)", False),
        ("INSERT INTO t VALUES ('x', 1, 1, 'x')", False),
        ('CREATE TABLE "a""b" (x ANY)', True),
        ("CREATE TABLE u (x ANY); INSERT INTO u VALUES (1)", False),
        ("CREATE VIEW v AS SELECT * FROM t", False),
        ("CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END", False),
    ],
)
def test_values_of_a_database_have_the_types_of_their_columns(statement: str, is_right: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(f"{TABLE}; {statement}")
    if is_right:
        open_database(path, most=1000, is_read_only=True).close()
        return
    with pytest.raises(DamagedFile):
        open_database(path, most=1000)


def test_rows_are_checked_unless_the_caller_does(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE sites (host TEXT, site TEXT)")
        database.execute("INSERT INTO sites VALUES ('a', x'00')")
    with pytest.raises(DamagedFile, match="values of other types"):
        open_database(path, most=1000)
    with closing(open_database(path, most=1000, checks_rows=False)) as database:
        assert database.execute("SELECT host FROM sites").fetchone() == ("a",)


def test_tables_that_are_needed(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as database:
        database.execute(TABLE)
        require_tables(database, [TABLE])
        with pytest.raises(DamagedFile, match="its table 't' has no column 'e'"):
            require_tables(database, ["CREATE TABLE t (a, e)"])
        with pytest.raises(DamagedFile, match="its table 'u' has no column 'a'"):
            require_tables(database, ["CREATE TABLE u (a)"])


def test_errors_of_a_damaged_database() -> None:
    with pytest.raises(DamagedFile, match="is damaged"), refuse_damage():
        raise sqlite3.DatabaseError("database disk image\nis malformed")
    with pytest.raises(DamagedFile, match="not UTF-8"), refuse_damage():
        b"\xff".decode()
    for error in (sqlite3.OperationalError("database is locked"), sqlite3.IntegrityError("a fault of a statement")):
        with pytest.raises(type(error)), refuse_damage():
            raise error
