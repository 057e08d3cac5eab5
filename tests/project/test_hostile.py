"""Project and watch files that somebody else made, and who may read those that Broadsheet makes."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from broadsheet.errors import UsageError
from broadsheet.project import NewPage, Project
from broadsheet.project.project import NOTE
from broadsheet.project.store import FILE_NAME, Store
from broadsheet.watch.state import State

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
HOSTILE = {
    "endless view": f"CREATE VIEW extra AS {ENDLESS}",
    "endless view instead of a table": f"DROP TABLE {{table}}; CREATE VIEW {{table}} AS {ENDLESS}",
    "trigger": "CREATE TRIGGER t AFTER UPDATE ON {table} BEGIN DELETE FROM {table}; END",
    "virtual table": "CREATE VIRTUAL TABLE v USING fts5(text)",
}


def open_project(folder: Path) -> None:
    Store(folder / "p", creates=True).close()


def open_state(folder: Path) -> None:
    with State(folder / "watch.sqlite"):
        pass


OPENERS: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "project": (open_project, f"p/{FILE_NAME}", "facts"),
    "state": (open_state, "watch.sqlite", "output"),
}


@pytest.mark.parametrize("kind", OPENERS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_database_with_more_than_tables_is_refused(kind: str, name: str, tmp_path: Path) -> None:
    open_file, file, table = OPENERS[kind]
    open_file(tmp_path)
    with closing(sqlite3.connect(tmp_path / file)) as database:
        database.executescript(HOSTILE[name].format(table=table))
    started = time.thread_time()
    with pytest.raises(UsageError, match="that Broadsheet did not make") as refused:
        open_file(tmp_path)
    assert "\n" not in str(refused.value)
    assert time.thread_time() - started < 2


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX systems")
@pytest.mark.parametrize("kind", OPENERS)
def test_only_the_owner_may_read_new_files(kind: str, tmp_path: Path) -> None:
    open_file, file, _ = OPENERS[kind]
    open_file(tmp_path)
    assert (tmp_path / file).stat().st_mode & 0o077 == 0
    if kind == "project":
        assert (tmp_path / "p").stat().st_mode & 0o077 == 0


def test_a_damaged_note_is_one_line(tmp_path: Path) -> None:
    with Project(tmp_path / "p", creates=True) as project:
        page = project.add_page(NewPage("<p>One.", "a.html"))
        assert page is not None
        project.set_fields(page, {NOTE: "ask Ann"}, "ruth")
        assert project.list_notes() == {page.hash: "ask Ann"}
        for value in ("{", '["ask Ann"]'):
            with project.store.write() as database:
                database.execute("UPDATE fields SET value = ?", (value,))
            with pytest.raises(UsageError):
                project.list_notes()


def test_a_damaged_project_is_one_line(tmp_path: Path) -> None:
    """The schema is whole, and a table is not."""
    store = Store(tmp_path / "p", creates=True)
    with pytest.raises(UsageError, match=r"is damaged .*; restore it from a copy"), store.read():
        raise sqlite3.DatabaseError("database disk image is malformed")
    with pytest.raises(sqlite3.IntegrityError), store.read():
        raise sqlite3.IntegrityError("a fault of a statement")
    store.close()
