"""The database of a project: one SQLite file that several programs can use at the same time; the history of labels."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from broadsheet.atomic import create_private
from broadsheet.errors import UsageError
from broadsheet.stored import DamagedFile, open_database, refuse_damage, require_tables

FILE_NAME = "project.sqlite"
VERSION = 1
_MAX_VALUE_BYTES = 256_000_000
_BUSY_SECONDS = 30.0  # to wait for another program that writes
# Pages are named by the SHA-256 of their bytes. Times are UTC in ISO 8601.
_SCHEMA = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pages (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL,            -- file name or address, for people
    url TEXT,
    host TEXT NOT NULL,            -- "" if unknown
    charset TEXT,                  -- of the HTTP header
    html BLOB NOT NULL,            -- zlib
    seen_at TEXT NOT NULL,         -- when the page was fetched; if unknown, when it was added
    added_at TEXT NOT NULL,
    page_type TEXT NOT NULL DEFAULT 'article',
    is_done INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX pages_of_host ON pages (host, seen_at);
CREATE TABLE analyses (            -- what the current weights say: analysis.py
    page TEXT PRIMARY KEY REFERENCES pages (hash) ON DELETE CASCADE,
    at TEXT NOT NULL,
    data BLOB NOT NULL
);
CREATE TABLE measurements (        -- one row for each extraction of a page: health.py
    id INTEGER PRIMARY KEY,
    page TEXT NOT NULL REFERENCES pages (hash) ON DELETE CASCADE,
    at TEXT NOT NULL,
    weights TEXT,
    status TEXT NOT NULL,
    confidence REAL NOT NULL,
    disagreement REAL NOT NULL,
    missing TEXT NOT NULL,         -- fields without a value, separated by spaces
    drift REAL                     -- from earlier pages of the host; null if there are too few
);
CREATE INDEX measurements_of_page ON measurements (page, id);
CREATE TABLE labels (
    page TEXT NOT NULL REFERENCES pages (hash) ON DELETE CASCADE,
    block_path TEXT NOT NULL,
    role TEXT NOT NULL,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (page, block_path)
) WITHOUT ROWID;
CREATE TABLE fields (
    page TEXT NOT NULL REFERENCES pages (hash) ON DELETE CASCADE,
    name TEXT NOT NULL,            -- title, date or authors
    value TEXT NOT NULL,           -- JSON; null: the page has none
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (page, name)
) WITHOUT ROWID;
CREATE TABLE changes (             -- the history of labels; an undone step stays in it
    id INTEGER PRIMARY KEY,
    step INTEGER NOT NULL,         -- changes that are undone together
    page TEXT NOT NULL REFERENCES pages (hash) ON DELETE CASCADE,
    kind TEXT NOT NULL,            -- role, field, page_type or is_done
    name TEXT NOT NULL,            -- block path or name of the field
    old TEXT,
    new TEXT,
    who TEXT NOT NULL,
    at TEXT NOT NULL,
    undone_at TEXT
);
CREATE INDEX changes_of_person ON changes (who, undone_at, step);
CREATE TABLE runs (                -- retraining: runs.py
    id INTEGER PRIMARY KEY,
    status TEXT NOT NULL,
    pages INTEGER NOT NULL,
    start TEXT NOT NULL,           -- weights that were fine-tuned
    started_at TEXT NOT NULL,
    ended_at TEXT,
    pid INTEGER,
    comparison TEXT,               -- JSON of retrain.WeightsComparison
    error TEXT
);
"""


# Projects of 0.2 get it when they are opened; older versions of Broadsheet ignore it.
_CHANGES_INDEX = "CREATE INDEX IF NOT EXISTS changes_of_page ON changes (page, undone_at, id)"


class Store:
    """A connection to the database of a project. Threads may share it."""

    def __init__(self, folder: Path, *, creates: bool) -> None:
        """Open the database of a folder. Raises UsageError if there is none and it is not to be created."""
        path = folder / FILE_NAME
        if not path.exists():
            if not creates:
                raise UsageError(f"{folder} is not a project; create it with: broadsheet project add {folder} PAGE...")
            _create_folder(folder)
        self._path = path
        self._lock = threading.RLock()
        try:
            create_private(path)
            self._connection = open_database(
                path, most=_MAX_VALUE_BYTES, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )  # isolation_level=None: transactions begin where `write` says so
        except DamagedFile as error:
            raise UsageError(f"{path} cannot be opened ({error}); restore it from a copy") from error
        except (sqlite3.Error, OSError) as error:
            raise UsageError(f"{path} cannot be opened ({error}); check who may write to the folder") from error
        self._connection.row_factory = sqlite3.Row
        try:
            self._prepare()
        except UsageError:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA foreign_keys = ON")
        with self.write() as database:
            version = database.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise UsageError(f"the project was written by a newer version of Broadsheet (format {version})")
            if version == 0:
                for statement in _SCHEMA.split(";\n"):
                    database.execute(statement)
                database.execute(f"PRAGMA user_version = {VERSION}")
            require_tables(database, _SCHEMA.split(";\n"))
            database.execute(_CHANGES_INDEX)

    @contextlib.contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection, for queries that change nothing."""
        with self._lock, self.name_in_errors():
            yield self._connection

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection within a transaction, which is committed as a whole or not at all."""
        with self._lock, self.name_in_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                if self._connection.in_transaction:  # SQLite has ended it itself if the disk is full
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextlib.contextmanager
    def name_in_errors(self) -> Iterator[None]:
        """Turn into a UsageError: damage, a full disk, another program that writes for too long."""
        try:
            with refuse_damage():
                yield
        except DamagedFile as error:
            raise UsageError(f"{self._path}: {error}; restore it from a copy") from error
        except sqlite3.OperationalError as error:
            raise UsageError(f"cannot use {self._path}: {error}; make room, or wait for other programs") from error

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()


def _create_folder(folder: Path) -> None:
    """Create the folder of a new project. It must be empty: a project replaces and removes its own subfolders."""
    try:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} has other files in it; name a new folder, or that of a project")
    except (OSError, ValueError) as error:  # ValueError: a NUL character
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot create the folder {str(folder)!r}: {reason}; name another one") from error


def format_now() -> str:
    """Return the current time as the database stores it."""
    return format_time(datetime.now(UTC))


def format_time(time: datetime) -> str:
    """Return a time as the database stores it. A time without a zone is taken as UTC."""
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="seconds")


# Changes of labels: every change is written to the history in the same transaction, so that it can be undone.


class ChangeKind(StrEnum):
    """What a change is about."""

    ROLE = "role"  # of a block; the name is its path
    FIELD = "field"
    PAGE_TYPE = "page_type"
    IS_DONE = "is_done"


@dataclass(frozen=True, slots=True)
class Change:
    """A new value of a label. None removes the label."""

    kind: ChangeKind
    name: str
    new: str | None


def apply_changes(store: Store, page: str, changes: Iterable[Change], who: str) -> int:
    """Make changes of one page in one step. Return how many values differ from before."""
    at = format_now()
    with store.write() as database:
        step = database.execute("SELECT coalesce(max(step), 0) + 1 FROM changes").fetchone()[0]
        count = 0
        for change in changes:
            old = _read_value(database, page, change.kind, change.name)
            if old != change.new:
                _write_value(database, page, change, who, at)
                database.execute(
                    "INSERT INTO changes (step, page, kind, name, old, new, who, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (step, page, change.kind, change.name, old, change.new, who, at),
                )
                count += 1
    return count


def undo_step(store: Store, who: str, page: str | None = None) -> str | None:
    """Undo the last step of a person, of one page or of any. Return the page; None if there is nothing to undo."""
    with store.write() as database:
        condition, values = ("AND page = ?", (page,)) if page else ("", ())
        query = f"SELECT max(step) FROM changes WHERE who = ? AND undone_at IS NULL {condition}"
        step = database.execute(query, (who, *values)).fetchone()[0]
        if step is None:
            return None
        at = format_now()
        rows = database.execute("SELECT * FROM changes WHERE step = ? ORDER BY id DESC", (step,)).fetchall()
        for row in rows:
            _write_value(database, row["page"], Change(ChangeKind(row["kind"]), row["name"], row["old"]), who, at)
        database.execute("UPDATE changes SET undone_at = ? WHERE step = ?", (at, step))
        return str(rows[0]["page"])


def _read_value(database: sqlite3.Connection, page: str, kind: ChangeKind, name: str) -> str | None:
    queries = {
        ChangeKind.ROLE: ("SELECT role FROM labels WHERE page = ? AND block_path = ?", (page, name)),
        ChangeKind.FIELD: ("SELECT value FROM fields WHERE page = ? AND name = ?", (page, name)),
        ChangeKind.PAGE_TYPE: ("SELECT page_type FROM pages WHERE hash = ?", (page,)),
        ChangeKind.IS_DONE: ("SELECT is_done FROM pages WHERE hash = ?", (page,)),
    }
    row = database.execute(*queries[kind]).fetchone()
    return None if row is None else str(row[0])


def _write_value(database: sqlite3.Connection, page: str, change: Change, who: str, at: str) -> None:
    if change.kind is ChangeKind.PAGE_TYPE:
        database.execute("UPDATE pages SET page_type = ? WHERE hash = ?", (change.new, page))
    elif change.kind is ChangeKind.IS_DONE:
        database.execute("UPDATE pages SET is_done = ? WHERE hash = ?", (int(change.new or 0), page))
    else:
        table, column = ("labels", "block_path") if change.kind is ChangeKind.ROLE else ("fields", "name")
        if change.new is None:
            database.execute(f"DELETE FROM {table} WHERE page = ? AND {column} = ?", (page, change.name))
        else:
            database.execute(
                f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?, ?)",
                (page, change.name, change.new, who, at),
            )
