"""Write articles as a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broadsheet.article import Article
from broadsheet.atomic import replace_folder
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.fields import FIELDS
from broadsheet.integrations.huggingface.card import CardText, DatasetFacts, write_card
from broadsheet.output.record import CONFIDENCES, SOURCES, Column, choose_columns
from broadsheet.output.tables.arrow import make_row, make_schema

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

_ROWS_PER_FILE = 20_000
_KEYS = (*(field.name for field in FIELDS), "status")  # of sources and confidences


def to_dataset(
    articles: Iterable[Article], *, fields: Sequence[str] | None = None, include: Sequence[str] = ()
) -> datasets.Dataset:
    """Return articles as a `datasets.Dataset`, one row each. Extra `datasets`.

    Args:
        articles: The articles.
        fields: Names of the columns; all of the record if None.
        include: More columns: "markdown", "html", "body", "blocks".

    """
    package = import_extra("datasets", "datasets")
    dataset: datasets.Dataset = package.Dataset(_make_table(articles, choose_columns(fields, include)))
    return dataset


def write_dataset(
    articles: Iterable[Article],
    folder: str | PathLike[str],
    *,
    card: CardText | None = None,
    fields: Sequence[str] | None = None,
    include: Sequence[str] = (),
) -> Path:
    """Write articles as Parquet files with a card (README.md). The folder is written completely or not at all.

    Extra `tables`. Raises UsageError if the folder exists and has files that do not belong to a dataset.

    Args:
        articles: The articles; read once, with a bounded number of them in memory.
        folder: Where to write. An existing dataset is replaced.
        card: Title, licence and description for the card.
        fields: Names of the columns; all of the record if None.
        include: More columns: "markdown", "html", "body", "blocks".

    """
    target = Path(folder)
    _check_folder(target)
    parquet = import_extra("pyarrow.parquet", "tables")
    columns = choose_columns(fields, include)
    facts = DatasetFacts()
    waiting = iter(articles)
    with replace_folder(target) as draft:
        (draft / "data").mkdir(parents=True)
        number = 0
        while rows := list(islice(waiting, _ROWS_PER_FILE)):
            facts.add(rows)
            table = _make_table(rows, columns)
            parquet.write_table(table, draft / "data" / f"train-{number:05}.parquet", compression="zstd")
            number += 1
        if not number:
            raise UsageError("there are no articles to write")
        (draft / "README.md").write_text(write_card(card or CardText(target.name), facts, columns), encoding="utf-8")
    return target


def _check_folder(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder")
    data = folder / "data"
    # The names are common: a README.md without data, or other files in data, do not belong to a dataset.
    dataset_names = ("README.md", "data") if data.is_dir() else ()
    others = [path for path in folder.iterdir() if path.name not in dataset_names]
    if data.is_dir():
        others += [path for path in data.iterdir() if not path.match("train-*.parquet")]
    if others:
        name = min(path.relative_to(folder).as_posix() for path in others)
        raise UsageError(f"the folder {folder} has other files ({name}); name an empty or a new one")


def _make_table(articles: Iterable[Article], columns: Sequence[Column]) -> pa.Table:
    """Return a table without Arrow maps, which `datasets` does not have: sources and confidences become structs."""
    arrow = import_extra("pyarrow", "tables")
    schema = arrow.schema(list(_convert_maps(arrow, make_schema(columns), columns)))
    rows = [_convert_row(make_row(article, columns), columns) for article in articles]
    table: pa.Table = arrow.Table.from_pylist(rows, schema=schema)
    return table


def _convert_maps(arrow: Any, schema: Any, columns: Sequence[Column]) -> Iterator[Any]:
    for field, column in zip(schema, columns, strict=True):
        if column.type in (SOURCES, CONFIDENCES):
            yield arrow.field(field.name, arrow.struct([(name, field.type.item_type) for name in _KEYS]))
        else:
            yield field


def _convert_row(row: dict[str, Any], columns: Sequence[Column]) -> dict[str, Any]:
    for column in columns:
        if column.type in (SOURCES, CONFIDENCES):
            row[column.name] = dict(row[column.name])
    return row
