"""The cache: answers and scores in one SQLite file, keyed by everything that they depend on."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from broadsheet.corpora import Record
from broadsheet.evaluation.answer import Answer, read_answer
from broadsheet.evaluation.contenders import Contender
from broadsheet.evaluation.fingerprint import fingerprint_scoring
from broadsheet.evaluation.scores import PageScores

_TABLES = """
create table if not exists answers (page text, contender text, run text, answer text, primary key (page, contender));
create table if not exists page_scores (page text, gold text, contender text, columns text, error_words text,
                                        primary key (page, gold, contender));
create table if not exists facts (name text primary key, value real);
"""


@contextmanager
def open_store(folder: Path | None) -> Iterator[AnswerStore]:
    """Open the cache in a folder; None for a temporary cache."""
    if folder is None:
        with TemporaryDirectory(prefix="broadsheet-eval-") as temporary, open_store(Path(temporary)) as store:
            yield store
        return
    folder.mkdir(parents=True, exist_ok=True)
    # Every row is committed at once: a transaction that lasts for a whole page would block other runs.
    connection = sqlite3.connect(folder / "answers.sqlite", timeout=60, isolation_level=None)
    try:
        # A lost cache only costs a rerun, so rows are not synced to disk.
        connection.executescript("pragma journal_mode = wal; pragma synchronous = off;" + _TABLES)
        yield AnswerStore(connection, folder)
    finally:
        connection.close()


def hash_page(record: Record) -> str:
    """Return the hash of everything that a contender is given: html, url, language."""
    html = record.html if isinstance(record.html, bytes) else record.html.encode("utf-8", "surrogatepass")
    return hashlib.sha256(b"\0".join((html, repr((record.url, record.lang)).encode()))).hexdigest()[:32]


def hash_gold(record: Record) -> str:
    """Return the hash of the labels and of the code that scores."""
    labels = (record.text, record.title, record.authors, record.date, record.with_, record.without)
    return hashlib.sha256(f"{fingerprint_scoring()}{labels!r}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


class AnswerStore:
    """Cached answers, scores and facts."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection = connection
        self.folder = folder
        self._lost: dict[tuple[str, str], tuple[Answer, str]] = {}

    def find_answer(self, page_hash: str, contender: Contender) -> tuple[Answer, str] | None:
        """Return an answer and the run that made it."""
        if lost := self._lost.get((page_hash, contender.key)):
            return lost
        query = "select answer, run from answers where page = ? and contender = ?"
        row = self._connection.execute(query, (page_hash, contender.key)).fetchone()
        return (read_answer(json.loads(row[0])), row[1]) if row else None

    def add_answer(self, page_hash: str, contender: Contender, answer: Answer, run: str) -> None:
        """Store an answer. One that was lost with its process is forgotten when the store is closed."""
        self._connection.execute("delete from page_scores where page = ? and contender = ?", (page_hash, contender.key))
        if answer.is_lost:
            self._lost[page_hash, contender.key] = (answer, run)
            return
        row = (page_hash, contender.key, run, answer.to_json())
        self._connection.execute("insert or replace into answers values (?, ?, ?, ?)", row)

    def find_scores(self, page_hash: str, gold_hash: str, contender: Contender) -> PageScores | None:
        """Return the scores of an answer."""
        query = "select columns, error_words from page_scores where page = ? and gold = ? and contender = ?"
        row = self._connection.execute(query, (page_hash, gold_hash, contender.key)).fetchone()
        return PageScores(json.loads(row[0]), json.loads(row[1])) if row else None

    def add_scores(self, page_hash: str, gold_hash: str, contender: Contender, scores: PageScores) -> None:
        """Store the scores of an answer."""
        row = (
            page_hash,
            gold_hash,
            contender.key,
            json.dumps(dict(scores.columns)),
            json.dumps(dict(scores.error_words)),
        )
        self._connection.execute("insert or replace into page_scores values (?, ?, ?, ?, ?)", row)

    def find_fact(self, name: str) -> float | None:
        """Return a number by name, such as a peak of memory."""
        row = self._connection.execute("select value from facts where name = ?", (name,)).fetchone()
        return row[0] if row else None

    def add_fact(self, name: str, value: float) -> None:
        """Store a number by name."""
        self._connection.execute("insert or replace into facts values (?, ?)", (name, value))
