"""Values that programs read back from files: JSON, compressed data, SQLite. They are checked before they are used.

A file may be damaged or made to do harm. What does not pass raises DamagedFile with one line: size, depth, and the type
of every value that becomes part of a dataclass.
"""

from __future__ import annotations

import json
import types
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from broadsheet.errors import UsageError

if TYPE_CHECKING:
    import sqlite3

MAX_JSON_BYTES = 64_000_000
_MAX_REASON_CHARS = 200
_COLUMN_TYPES = ("TEXT", "INTEGER", "REAL", "BLOB")
T = TypeVar("T")
E = TypeVar("E", bound=Enum)
_Column = Sequence[Any]
_Reader = Callable[[_Column], _Column]  # checks the values of one column, and converts them


class DamagedFile(UsageError, ValueError):
    """A file or a part of it is not what Broadsheet writes."""


def parse_json(
    text: str | bytes,
    kind: type[T],
    *,
    most: int = MAX_JSON_BYTES,
    make: Callable[[dict[str, Any]], Any] | None = None,
) -> T:
    """Parse JSON whose outermost value is of a type; `make` replaces each object. Raises DamagedFile."""
    if len(text) > most:
        raise DamagedFile(f"it has more than {most:,} bytes of JSON")
    try:
        value = json.loads(text, parse_constant=_refuse_constant, object_hook=make)
    except RecursionError as error:
        raise DamagedFile("its values are nested too deeply") from error
    except ValueError as error:  # also a number of more than 4,300 digits, or bytes that are not UTF-8
        raise DamagedFile(f"it is not JSON ({describe(error)})") from error
    return _check_kind(kind, value)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def unpack(data: bytes, *, most: int = MAX_JSON_BYTES) -> bytes:
    """Unpack zlib data. Raises DamagedFile if it is damaged or too large."""
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(data, most)
    except (zlib.error, TypeError) as error:
        raise DamagedFile(f"its compressed data is damaged ({describe(error)})") from error
    if not unpacker.eof:
        raise DamagedFile("its compressed data is incomplete, or too large")
    return unpacked


def describe(error: BaseException) -> str:
    """Return the reason of an error in one line. Errors quote what the file says, which may have line breaks."""
    reason = f"{error} is missing" if isinstance(error, KeyError) else str(error) or type(error).__name__
    return " ".join(reason.split())[:_MAX_REASON_CHARS]


def _check_kind(kind: type[T], value: object) -> T:
    if not isinstance(value, kind) or (type(value) is bool and kind is not bool and kind is not object):
        raise DamagedFile(f"it has {type(value).__name__} in place of {kind.__name__}")
    return value


def _check_items(value: object) -> Sequence[Any]:
    return value if type(value) is tuple else _check_kind(list, value)  # tuples are defaults


def read_member(kind: type[E], value: object) -> E:
    """Return the member of an enumeration with a value. Raises DamagedFile."""
    try:
        return kind(value)
    except ValueError as error:
        raise DamagedFile(describe(error)) from error


# Dataclasses: checked and converted column by column, because a file may have a hundred thousand rows


def read_value(kind: type[T], value: object) -> T:
    """Return a dataclass from a JSON object. Names that it does not have are ignored. Raises DamagedFile."""
    return read_values(kind, [value])[0]


def read_values(kind: type[T], rows: object) -> tuple[T, ...]:
    """Return dataclasses from a list of JSON objects. Raises DamagedFile."""
    rows = _check_kind(list, rows)
    for row in rows:
        if type(row) is not dict:
            raise DamagedFile(f"it has {type(row).__name__} in place of an object")
    columns = []
    for name, (read, default) in _list_readers(cast("Any", kind)).items():
        try:
            column = [row[name] for row in rows] if default is MISSING else [row.get(name, default) for row in rows]
            columns.append(read(column))
        except DamagedFile as error:
            raise DamagedFile(f"{name}: {error}") from error
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            raise DamagedFile(describe(error)) from error
    return tuple(map(kind, *columns))


@cache
def _list_readers(kind: Any) -> dict[str, tuple[_Reader, Any]]:
    """Return for each field what checks its column, and its default."""
    hints = get_type_hints(kind)
    return {field.name: (_make_reader(hints[field.name]), field.default) for field in fields(kind)}


def _make_reader(hint: Any) -> _Reader:
    """Return the function that checks a column of values of a type."""
    if hint is Any:
        return lambda column: column
    if get_origin(hint) in (Union, types.UnionType):
        (inner,) = (_make_reader(part) for part in get_args(hint) if part is not type(None))
        return lambda column: [None if value is None else inner([value])[0] for value in column]
    if get_origin(hint) is tuple:
        item = _make_reader(get_args(hint)[0])
        return lambda column: [tuple(item(_check_items(value))) for value in column]
    if get_origin(hint) in (dict, Mapping):
        return lambda column: [_check_kind(dict, value) for value in column]
    return _make_plain_reader(hint)


def _make_plain_reader(hint: type) -> _Reader:
    if issubclass(hint, Enum):
        return lambda column: list(map(hint, column))
    if is_dataclass(hint):
        return lambda column: read_values(hint, list(column))
    allowed = {int, float} if hint is float else {hint}

    def check(column: _Column) -> _Column:
        for kind in set(map(type, column)) - allowed:
            raise DamagedFile(f"it has {kind.__name__} in place of {hint.__name__}")
        return column

    return check


# SQLite


def open_database(
    path: Path, *, most: int, is_read_only: bool = False, checks_rows: bool = True, **options: Any
) -> sqlite3.Connection:
    """Open a file that Broadsheet wrote; `most` bounds the bytes of a value. Raises sqlite3.Error, DamagedFile.

    Without `checks_rows`, which reads every row, the caller checks the types of the values that it reads.
    """
    import sqlite3  # imported here: most programs read none

    place = f"{path.resolve().as_uri()}?mode=ro" if is_read_only else path
    database: sqlite3.Connection = sqlite3.connect(place, uri=is_read_only, **options)
    try:
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, most)
        with refuse_damage():
            tables = _check_schema(database)
            for table in tables if checks_rows else ():
                _check_rows(database, table)
    except BaseException:
        database.close()
        raise
    return database


def require_tables(database: sqlite3.Connection, schema: Iterable[str]) -> None:
    """Raise DamagedFile unless the database has the tables and columns that these statements create."""
    import sqlite3

    with closing(sqlite3.connect(":memory:")) as empty:
        for statement in schema:
            empty.execute(statement)
        columns_there = _list_columns(database)
        for table, columns in _list_columns(empty).items():
            if missing := columns - columns_there.get(table, set()):
                raise DamagedFile(f"its table {table!r} has no column {min(missing)!r}")


def _list_columns(database: sqlite3.Connection) -> dict[str, set[str]]:
    columns: dict[str, set[str]] = {}
    query = "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'"
    for table, column in database.execute(query):
        columns.setdefault(table, set()).add(column)
    return columns


def _check_schema(database: sqlite3.Connection) -> list[str]:
    """Return the names of the tables. Raise DamagedFile for a file that has more than plain tables and indexes.

    The rows of a view may be endless, a trigger runs with every change, and a virtual table may read anything.
    """
    database.execute("PRAGMA trusted_schema = OFF")
    tables = database.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    for kind, _, sql in tables:
        words = str(sql or "").upper().split(None, 2)
        if kind not in ("table", "index") or words[:2] == ["CREATE", "VIRTUAL"]:
            raise DamagedFile(f"it has a {kind} that Broadsheet did not make")
    return [name for kind, name, _ in tables if kind == "table" and not name.startswith("sqlite_")]


def _check_rows(database: sqlite3.Connection, table: str) -> None:
    """Raise DamagedFile for a table with values of other types than its columns."""
    columns = database.execute('SELECT name, type, "notnull" FROM pragma_table_info(?)', (table,)).fetchall()
    wrong = " OR ".join(_find_wrong_type(*column) for column in columns) or "0"
    if database.execute(f"SELECT 1 FROM {_quote(table)} WHERE {wrong} LIMIT 1").fetchone():
        raise DamagedFile(f"its table {table[:80]!r} has values of other types than its columns")


def _find_wrong_type(name: str, declared: str, is_required: bool) -> str:
    """Return a condition that is true for values that a column does not allow. SQLite itself stores any value."""
    stored = {"REAL": "'real', 'integer'"}.get(declared, f"'{declared.lower()}'")
    allowed = stored if is_required else f"{stored}, 'null'"
    return f"typeof({_quote(name)}) NOT IN ({allowed})" if declared in _COLUMN_TYPES else "1"


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def refuse_damage() -> Iterator[None]:
    """Turn what SQLite raises for a damaged file into DamagedFile. Its errors may quote bytes that are not UTF-8."""
    import sqlite3

    try:
        yield
    except sqlite3.DatabaseError as error:
        is_damage = type(error) is sqlite3.DatabaseError or "decode" in str(error) or "no such" in str(error)
        if not is_damage:  # a full disk, a lock, or a fault of a statement
            raise
        raise DamagedFile(f"it is damaged ({describe(error)})") from error
    except UnicodeDecodeError as error:
        raise DamagedFile("it is damaged (its names are not UTF-8)") from error
