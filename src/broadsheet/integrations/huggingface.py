"""Articles as a dataset of the Hugging Face hub: a folder of Parquet files with a card, or a `datasets.Dataset`.

from broadsheet.integrations.huggingface import to_dataset, write_dataset
write_dataset(articles, "my-news")              # extra tables; datasets.load_dataset("my-news") reads it
dataset = to_dataset(articles)                  # extra datasets
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broadsheet.article import Article, Status
from broadsheet.atomic import replace_folder
from broadsheet.errors import UsageError
from broadsheet.extras import import_extra
from broadsheet.fields import FIELDS
from broadsheet.output.record import CONFIDENCES, SOURCES, Column, choose_columns
from broadsheet.output.tables.arrow import make_row, make_schema
from broadsheet.page import host_of
from broadsheet.version import __version__

if TYPE_CHECKING:
    import datasets
    import pyarrow as pa

_ROWS_PER_FILE = 20_000
_KEYS = (*(row.name for row in FIELDS), "status")  # of sources and confidences


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
    for described, column in zip(schema, columns, strict=True):
        if column.type in (SOURCES, CONFIDENCES):
            yield arrow.field(described.name, arrow.struct([(name, described.type.item_type) for name in _KEYS]))
        else:
            yield described


def _convert_row(row: dict[str, Any], columns: Sequence[Column]) -> dict[str, Any]:
    for column in columns:
        if column.type in (SOURCES, CONFIDENCES):
            row[column.name] = dict(row[column.name])
    return row


_MAX_HOSTS = 20
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST_SIZE = "n>1M"


@dataclass(frozen=True, slots=True)
class CardText:
    """What only the maker of a dataset knows."""

    title: str
    licence: str = "unknown"  # an identifier of the hub, such as "cc-by-4.0"
    description: str = ""  # Markdown


@dataclass(slots=True)
class DatasetFacts:
    """Counts of the articles."""

    rows: int = 0
    chars: int = 0
    confidence: float = 0.0  # sum
    languages: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    methods: Counter[str] = field(default_factory=Counter)
    days: list[date] = field(default_factory=list)  # the first and the last

    def add(self, articles: Iterable[Article]) -> None:
        """Count articles."""
        for article in articles:
            self.rows += 1
            self.chars += len(article.text)
            self.confidence += article.confidence
            self.languages[article.language or ""] += 1
            self.hosts[host_of(article.url) or ""] += 1
            self.statuses[article.status.value] += 1
            self.methods[article.method] += 1
            if article.date:
                day = article.date.date()
                self.days = [min([day, *self.days]), max([day, *self.days])]


def write_card(text: CardText, facts: DatasetFacts, columns: Sequence[Column]) -> str:
    """Return the card."""
    sections = (
        _write_header(text, facts),
        f"# {text.title}\n\n{text.description or 'News articles, extracted from web pages.'}",
        _write_summary(facts),
        _write_table("Languages", "language", facts.languages),
        _write_table("Sites", "host", facts.hosts),
        _write_table("Statuses", "status", facts.statuses),
        _write_columns(columns),
        _write_making(facts),
    )
    return "\n\n".join(sections) + "\n"


def _write_header(text: CardText, facts: DatasetFacts) -> str:
    languages = sorted(filter(None, facts.languages))
    size = next((name for limit, name in _SIZES if facts.rows < limit), _LARGEST_SIZE)
    lines = [
        "---",
        f"pretty_name: {json.dumps(text.title, ensure_ascii=False)}",
        f"license: {json.dumps(text.licence)}",
        *(("language:", *(f"- {json.dumps(language)}" for language in languages)) if languages else ()),
        "size_categories:",
        f"- {size}",
        "tags:",
        "- news",
        "configs:",
        "- config_name: default",
        "  data_files:",
        "  - split: train",
        "    path: data/train-*.parquet",
        "---",
    ]
    return "\n".join(lines)


def _write_summary(facts: DatasetFacts) -> str:
    days = f", published from {facts.days[0]} to {facts.days[1]}" if facts.days else ""
    articles = facts.statuses.get(Status.OK.value, 0)
    return (
        f"{facts.rows:,} pages, {articles:,} of them articles, of {len(facts.hosts):,} sites{days}. "
        f"{facts.chars:,} characters of text. Mean confidence {facts.confidence / max(facts.rows, 1):.2f} "
        "(the expected F1 of the text)."
    )


def _write_table(title: str, name: str, counts: Counter[str]) -> str:
    rows = [f"| {_escape(value) or '(unknown)'} | {count:,} |" for value, count in counts.most_common(_MAX_HOSTS)]
    more = f"\n\n{len(counts) - len(rows):,} more." if len(counts) > len(rows) else ""
    return "\n".join((f"## {title}", "", f"| {name} | pages |", "|---|---:|", *rows)) + more


def _write_columns(columns: Sequence[Column]) -> str:
    rows = [f"| `{column.name}` | {_escape(column.type)} | {_escape(column.description)} |" for column in columns]
    return "\n".join(("## Columns", "", "| column | type | meaning |", "|---|---|---|", *rows))


def _write_making(facts: DatasetFacts) -> str:
    methods = ", ".join(f"`{name}`" for name, _ in facts.methods.most_common() if name)
    return (
        "## How it was made\n\n"
        f"Extracted by Broadsheet {__version__}{f', method {methods}' if methods else ''}, without a manual check. "
        "`confidence` is the expected F1 of a text; `sources` and `confidences` describe each field.\n\n"
        "The texts belong to their publishers. The maker of this dataset decides whether they may be shared."
    )


def _escape(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
