"""The state of a watch in SQLite: articles, page measurements, alarms, and the events that are still to be written.

An article and its event are stored in one transaction, so that a watch that is killed at any moment neither loses an
event nor stores it twice.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from broadsheet.atomic import create_private
from broadsheet.errors import UsageError
from broadsheet.site.health import PageMeasure
from broadsheet.stored import DamagedFile, describe, open_database, parse_json, refuse_damage, require_tables

_VERSION = 1
_SCHEMA = """
CREATE TABLE article (
    site TEXT NOT NULL,
    key TEXT NOT NULL,
    url TEXT NOT NULL,
    state TEXT NOT NULL,        -- active, vanished, ignored (not an article), alias (of an article at another address)
    title TEXT NOT NULL DEFAULT '',
    text TEXT NOT NULL DEFAULT '',
    text_hash TEXT NOT NULL DEFAULT '',
    html_hash TEXT NOT NULL DEFAULT '',
    first_seen TEXT NOT NULL,
    misses INTEGER NOT NULL DEFAULT 0,  -- polls in a row that did not find the page
    PRIMARY KEY (site, key)
) WITHOUT ROWID;
CREATE INDEX article_text ON article (site, text_hash);
CREATE TABLE failure (site TEXT, key TEXT, count INTEGER NOT NULL, PRIMARY KEY (site, key)) WITHOUT ROWID;
CREATE TABLE measure (
    number INTEGER PRIMARY KEY, site TEXT NOT NULL,
    drift REAL, has_changed INTEGER NOT NULL, confidence REAL NOT NULL, missing TEXT NOT NULL
);
CREATE TABLE alarm (site TEXT, kind TEXT, since TEXT NOT NULL, PRIMARY KEY (site, kind)) WITHOUT ROWID;
CREATE TABLE site (name TEXT PRIMARY KEY, template TEXT, last_new TEXT) WITHOUT ROWID;
CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, line TEXT NOT NULL,
    is_written INTEGER NOT NULL DEFAULT 0, is_sent INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX event_waiting ON event (is_written) WHERE is_written = 0;
CREATE TABLE output (path TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
"""
_MAX_VALUE_BYTES = 64_000_000
_MAX_MEASURES = 500  # kept for each site


class EventKind(StrEnum):
    """Kinds of events."""

    NEW = "new"
    ALERT = "alert"  # a new article matches an alert
    CHANGED = "changed"
    VANISHED = "vanished"
    RETURNED = "returned"  # a vanished article is back
    ALARM = "alarm"
    RESOLVED = "resolved"  # an alarm has ended


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened on a site."""

    kind: EventKind
    site: str
    time: datetime
    values: dict[str, Any]  # JSON-ready: url, article, diff, ... by kind; see docs/howto/watch.md


@dataclass(frozen=True, slots=True)
class KnownArticle:
    """An article that the watch has seen."""

    key: str
    url: str
    state: str
    title: str
    text: str
    html_hash: str
    misses: int


@dataclass(frozen=True, slots=True)
class FeedArticle:
    """An article of the feed."""

    site: str
    url: str
    title: str
    text: str
    first_seen: str


@dataclass(frozen=True, slots=True)
class WaitingEvent:
    """An event that is still to be delivered."""

    number: int
    line: str


class State:
    """The database. One process at a time may use it."""

    def __init__(self, path: Path, *, sent_kinds: Sequence[str] = ("alarm", "resolved")) -> None:
        self._path = path
        self._sent_kinds = list(sent_kinds)  # kinds of events that go to the webhook
        try:
            create_private(path)
            self._database = open_database(path, most=_MAX_VALUE_BYTES, isolation_level=None, timeout=2.0)
        except (sqlite3.Error, OSError, DamagedFile) as error:
            raise UsageError(f"cannot use the state {path}: {_describe(error)}") from error
        try:
            with refuse_damage():
                self._open()
        except BaseException as error:
            self._database.close()
            if isinstance(error, sqlite3.Error | OSError | DamagedFile):
                raise UsageError(f"cannot use the state {path}: {_describe(error)}") from error
            raise

    def _open(self) -> None:
        database = self._database
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")  # an event that was written to the output is also on disk
        database.execute("BEGIN EXCLUSIVE")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version == 0 and not tables:
            for statement in _SCHEMA.split(";\n"):
                database.execute(statement)
            database.execute(f"PRAGMA user_version = {_VERSION}")
        elif version != _VERSION:
            database.execute("ROLLBACK")
            raise DamagedFile("it was not made by this version of broadsheet watch")
        require_tables(database, _SCHEMA.split(";\n"))
        database.execute("COMMIT")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    @contextmanager
    def change(self) -> Iterator[None]:
        """Make the changes in the block together or not at all. An inner block is part of the outer one."""
        if self._database.in_transaction:
            yield
            return
        try:
            self._database.execute("BEGIN IMMEDIATE")
            yield
            self._database.execute("COMMIT")
        except BaseException as error:
            self._roll_back()
            if isinstance(error, sqlite3.OperationalError):
                raise UsageError(f"cannot use the state {self._path}: {error}; make room, then start again") from error
            raise

    def _roll_back(self) -> None:
        if self._database.in_transaction:  # SQLite has ended it itself if the disk is full
            self._database.execute("ROLLBACK")

    def _execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """Run a statement. Raises UsageError if the file is damaged."""
        try:
            with refuse_damage():
                return self._database.execute(statement, values)
        except DamagedFile as error:
            raise UsageError(f"cannot use the state {self._path}: {_describe(error)}") from error

    # Articles.

    def find_article(self, site: str, key: str) -> KnownArticle | None:
        """Return the article with a key."""
        return next(self._select_articles("site = ? AND key = ?", (site, key)), None)

    def find_text(self, site: str, text: str) -> KnownArticle | None:
        """Return the active article with the same text."""
        condition = "site = ? AND text_hash = ? AND state = 'active'"
        return next(self._select_articles(condition, (site, hash_text(text))), None)

    def list_recent(self, site: str, earliest: datetime) -> list[KnownArticle]:
        """Return the active articles that were first seen at or after a time."""
        condition = "site = ? AND state = 'active' AND first_seen >= ?"
        return list(self._select_articles(condition, (site, _write_time(earliest))))

    def _select_articles(self, condition: str, values: tuple[str, ...]) -> Iterator[KnownArticle]:
        columns = "key, url, state, title, text, html_hash, misses"
        for row in self._execute(f"SELECT {columns} FROM article WHERE {condition} ORDER BY key", values):
            yield KnownArticle(*row)

    def save_article(self, site: str, article: KnownArticle, now: datetime) -> None:
        """Add an article, or replace what is known of it."""
        self._execute(
            "INSERT INTO article (site, key, url, state, title, text, text_hash, html_hash, first_seen, misses) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (site, key) DO UPDATE SET url = excluded.url, "
            "state = excluded.state, title = excluded.title, text = excluded.text, text_hash = excluded.text_hash, "
            "html_hash = excluded.html_hash, misses = excluded.misses",
            (
                site,
                article.key,
                article.url,
                article.state,
                article.title,
                article.text,
                hash_text(article.text),
                article.html_hash,
                _write_time(now),
                article.misses,
            ),
        )
        self._execute("DELETE FROM failure WHERE site = ? AND key = ?", (site, article.key))

    def count_failure(self, site: str, key: str) -> int:
        """Count a failed fetch of a new article; return the number of failures."""
        self._execute(
            "INSERT INTO failure VALUES (?, ?, 1) ON CONFLICT (site, key) DO UPDATE SET count = count + 1", (site, key)
        )
        return self.find_failures(site, key)

    def find_failures(self, site: str, key: str) -> int:
        """Return how often a new article could not be fetched."""
        row = self._execute("SELECT count FROM failure WHERE site = ? AND key = ?", (site, key)).fetchone()
        return row[0] if row else 0

    # Sites.

    def find_template(self, site: str) -> str | None:
        """Return the learned template of a site, as JSON."""
        return self._find_fact(site, "template")

    def save_template(self, site: str, record: str | None) -> None:
        """Store the learned template of a site."""
        self._save_fact(site, "template", record)

    def find_last_new(self, site: str) -> datetime | None:
        """Return when the last new article was seen."""
        text = self._find_fact(site, "last_new")
        return datetime.fromisoformat(text) if text else None

    def save_last_new(self, site: str, now: datetime) -> None:
        """Store when a new article was seen."""
        self._save_fact(site, "last_new", _write_time(now))

    def _find_fact(self, site: str, column: str) -> str | None:
        row = self._execute(f"SELECT {column} FROM site WHERE name = ?", (site,)).fetchone()
        return row[0] if row else None

    def _save_fact(self, site: str, column: str, value: str | None) -> None:
        self._execute(
            f"INSERT INTO site (name, {column}) VALUES (?, ?) "
            f"ON CONFLICT (name) DO UPDATE SET {column} = excluded.{column}",
            (site, value),
        )

    def forget_template(self, site: str) -> None:
        """Forget the template and the measurements of a site, so that the next poll learns it again."""
        self.save_template(site, None)
        self._execute("DELETE FROM measure WHERE site = ?", (site,))

    # Measurements and alarms.

    def add_measure(self, site: str, measure: PageMeasure) -> None:
        """Store the measurements of a page, and drop the oldest."""
        self._execute(
            "INSERT INTO measure (site, drift, has_changed, confidence, missing) VALUES (?, ?, ?, ?, ?)",
            (site, measure.drift, measure.has_changed, measure.confidence, json.dumps(measure.missing)),
        )
        self._execute(
            "DELETE FROM measure WHERE site = ? AND number <= "
            "(SELECT number FROM measure WHERE site = ? ORDER BY number DESC LIMIT 1 OFFSET ?)",
            (site, site, _MAX_MEASURES),
        )

    def list_measures(self, site: str) -> list[PageMeasure]:
        """Return the measurements of a site, the oldest first."""
        rows = self._execute("SELECT confidence, missing, drift FROM measure WHERE site = ? ORDER BY number", (site,))
        return [
            PageMeasure(confidence, tuple(map(str, parse_json(missing, list))), drift)
            for confidence, missing, drift in rows
        ]

    def list_alarms(self, site: str) -> list[str]:
        """Return the kinds of the alarms that are active."""
        return [row[0] for row in self._execute("SELECT kind FROM alarm WHERE site = ? ORDER BY kind", (site,))]

    def save_alarm(self, site: str, kind: str, now: datetime) -> None:
        """Store that an alarm is active."""
        self._execute("INSERT OR REPLACE INTO alarm VALUES (?, ?, ?)", (site, kind, _write_time(now)))

    def delete_alarm(self, site: str, kind: str) -> None:
        """Store that an alarm has ended."""
        self._execute("DELETE FROM alarm WHERE site = ? AND kind = ?", (site, kind))

    # Events.

    def add_event(self, event: Event) -> None:
        """Store an event; it is delivered later."""
        cursor = self._execute("INSERT INTO event (kind, line) VALUES (?, '')", (str(event.kind),))
        number = int(cursor.lastrowid or 0)
        self._execute("UPDATE event SET line = ? WHERE number = ?", (_format_event(number, event), number))

    def list_unwritten(self, limit: int) -> list[WaitingEvent]:
        """Return the first events that are not yet in the output."""
        query = "SELECT number, line FROM event WHERE is_written = 0 ORDER BY number LIMIT ?"
        return [WaitingEvent(*row) for row in self._execute(query, (limit,))]

    def list_unsent(self) -> list[WaitingEvent]:
        """Return the events that were not yet sent to the webhook."""
        query = (
            "SELECT number, line FROM event WHERE is_sent = 0 AND line != ''"
            " AND kind IN (SELECT value FROM json_each(?)) ORDER BY number"
        )
        return [WaitingEvent(*row) for row in self._execute(query, (json.dumps(self._sent_kinds),))]

    def list_newest(self, limit: int) -> list[FeedArticle]:
        """Return the newest articles, the newest first."""
        query = (
            "SELECT site, url, title, text, first_seen FROM article"
            " WHERE state = 'active' ORDER BY first_seen DESC, key LIMIT ?"
        )
        return [FeedArticle(*row) for row in self._execute(query, (limit,))]

    def mark_written(self, numbers: Iterable[int]) -> None:
        """Store that events are in the output. Their text is no longer needed, except for the webhook."""
        rows = [(number,) for number in numbers]
        self._database.executemany("UPDATE event SET is_written = 1 WHERE number = ?", rows)
        query = (
            "UPDATE event SET line = '' WHERE number = ? AND (is_sent OR kind NOT IN (SELECT value FROM json_each(?)))"
        )
        self._database.executemany(query, [(*row, json.dumps(self._sent_kinds)) for row in rows])

    def mark_sent(self, number: int) -> None:
        """Store that an event was sent to the webhook."""
        query = "UPDATE event SET is_sent = 1, line = CASE WHEN is_written THEN '' ELSE line END WHERE number = ?"
        self._execute(query, (number,))

    def find_output_size(self, path: str) -> int | None:
        """Return how many bytes of the output file are known to be complete."""
        row = self._execute("SELECT bytes FROM output WHERE path = ?", (path,)).fetchone()
        return row[0] if row else None

    def save_output_size(self, path: str, size: int) -> None:
        """Store how many bytes of the output file are complete."""
        self._execute("INSERT OR REPLACE INTO output VALUES (?, ?)", (path, size))


def _format_event(number: int, event: Event) -> str:
    """Return an event as one line of JSON, without a newline."""
    facts = {
        "id": number,
        "event": str(event.kind),
        "site": event.site,
        "time": event.time.isoformat(timespec="seconds"),
    }
    return json.dumps({**facts, **event.values}, ensure_ascii=False)


def hash_text(text: str) -> str:
    """Return the hash of a text, the same whatever its white space; "" for no text."""
    words = text.split()
    return (
        hashlib.blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest() if words else ""
    )


def _write_time(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _describe(error: Exception) -> str:
    if "locked" in str(error):
        return "another broadsheet watch uses it; stop that one, or set another state"
    if "not a database" in str(error):
        return "the file is not a database; set another state"
    return f"{describe(error)}; set another state, or remove the file to start over"
