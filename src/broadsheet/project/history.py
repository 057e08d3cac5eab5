"""Changes of labels: every change is written to the history in the same transaction, so that it can be undone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from broadsheet.project.store import Store, format_now


class Kind(StrEnum):
    """What a change is about."""

    ROLE = "role"  # of a block; the name is its path
    FIELD = "field"
    PAGE_TYPE = "page_type"
    IS_DONE = "is_done"


@dataclass(frozen=True, slots=True)
class Change:
    """A new value of a label. None removes the label."""

    kind: Kind
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
            _write_value(database, row["page"], Change(Kind(row["kind"]), row["name"], row["old"]), who, at)
        database.execute("UPDATE changes SET undone_at = ? WHERE step = ?", (at, step))
        return str(rows[0]["page"])


def _read_value(database: sqlite3.Connection, page: str, kind: Kind, name: str) -> str | None:
    queries = {
        Kind.ROLE: ("SELECT role FROM labels WHERE page = ? AND block_path = ?", (page, name)),
        Kind.FIELD: ("SELECT value FROM fields WHERE page = ? AND name = ?", (page, name)),
        Kind.PAGE_TYPE: ("SELECT page_type FROM pages WHERE hash = ?", (page,)),
        Kind.IS_DONE: ("SELECT is_done FROM pages WHERE hash = ?", (page,)),
    }
    row = database.execute(*queries[kind]).fetchone()
    return None if row is None else str(row[0])


def _write_value(database: sqlite3.Connection, page: str, change: Change, who: str, at: str) -> None:
    if change.kind is Kind.PAGE_TYPE:
        database.execute("UPDATE pages SET page_type = ? WHERE hash = ?", (change.new, page))
    elif change.kind is Kind.IS_DONE:
        database.execute("UPDATE pages SET is_done = ? WHERE hash = ?", (int(change.new or 0), page))
    else:
        table, column = ("labels", "block_path") if change.kind is Kind.ROLE else ("fields", "name")
        if change.new is None:
            database.execute(f"DELETE FROM {table} WHERE page = ? AND {column} = ?", (page, change.name))
        else:
            database.execute(
                f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?, ?, ?)",
                (page, change.name, change.new, who, at),
            )
