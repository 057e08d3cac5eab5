"""write_articles: an iterator of articles to a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from broadsheet.article import Article
from broadsheet.atomic import write_atomically
from broadsheet.errors import UsageError
from broadsheet.output.formats import TABLES
from broadsheet.output.record import Column, choose_columns_of, peek
from broadsheet.output.tables.writer import JsonLinesWriter, TableWriter

_JSON_LINES_ENDINGS = (".jsonl", ".ndjson")


def write_articles(
    articles: Iterable[Article],
    path: str | PathLike[str],
    *,
    fields: Sequence[str] | None = None,
    include: Sequence[str] = (),
) -> int:
    """Write articles to a table, and return their number. The file is written completely or not at all.

    Args:
        articles: The articles; an iterator is read one by one.
        path: The file; its ending is .csv, .xlsx, .parquet or .jsonl.
        fields: Names of the columns; if None, those of the first article: its requested fields, or the record.
        include: More columns: "markdown", "html", "body", "blocks".

    """
    target = Path(path)
    first, articles = peek(articles)
    columns = choose_columns_of(first, fields, include)
    ending = _check_ending(target)
    count = 0
    with write_atomically(target, "wb") as file, closing(_open_writer(ending, file, columns)) as writer:
        for article in articles:
            writer.write(article)
            count += 1
    return count


def _check_ending(path: Path) -> str:
    ending = path.suffix.lower()
    endings = [*(row.ending for row in TABLES.values()), *_JSON_LINES_ENDINGS]
    if ending not in endings:
        raise UsageError(f"unknown ending of {path.name!r}; known: {', '.join(endings)}")
    return ending


def _open_writer(ending: str, file: BinaryIO, columns: Sequence[Column]) -> TableWriter:
    if ending in _JSON_LINES_ENDINGS:
        return JsonLinesWriter(file, columns)
    return TABLES[ending[1:]].open_writer(file, columns)
