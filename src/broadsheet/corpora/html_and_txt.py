"""A folder of pages, a folder of gold texts, and optionally a table of other labels.

    my-pages/
      html/ferry.html       or .htm, .html.gz, .htm.gz
      txt/ferry.txt         the gold text, one paragraph per line; the folder may be called text or gold
      labels.csv            optional: name, title, authors, date, page_type, lang, site, ...

The columns of the table are the names of `Record`; `name` is the page's file name with or without its suffix, and the
parts of a list, such as authors, are separated by semicolons. Columns are separated by commas, semicolons or tabs. An
empty cell is a label that is not known. A page that has neither a gold text nor a row in the table is skipped.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from broadsheet.corpora.page_files import (
    describe_unpaired,
    find_folder,
    list_gold,
    list_pages,
    name_dataset,
    read_text,
    remove_page_suffix,
)
from broadsheet.corpora.record import FIELDS, LIST_FIELDS, NUMBER_FIELDS, Record, make_record
from broadsheet.errors import UsageError

NAME = "a folder with html/NAME.html and txt/NAME.txt"
TABLE = "labels.csv"
_GOLD_FOLDERS = ("txt", "text", "gold")
_GOLD_SUFFIX = ".txt"
_DELIMITERS = ",;\t"  # spreadsheet programs write semicolons where the comma is the decimal mark


def matches(path: Path) -> bool:
    """Return whether the folder has both subfolders."""
    return find_folder(path, "html") is not None and find_folder(path, *_GOLD_FOLDERS) is not None


def read(path: Path) -> Iterator[Record]:
    """Yield the pages that have a gold text or a row in the table."""
    dataset = name_dataset(path)
    pages, gold = find_folder(path, "html"), find_folder(path, *_GOLD_FOLDERS)
    if pages is None or gold is None:
        return
    labels = _read_table(path / TABLE)
    for page in list_pages(pages):
        gold_file = gold / f"{page.name}{_GOLD_SUFFIX}"
        text = read_text(gold_file) if gold_file.is_file() else None
        if text is not None or page.name in labels:
            location = f"{path / TABLE}: {page.name}"
            yield make_record({"text": text, **labels.get(page.name, {}), **page.describe(dataset)}, location)


def describe_skipped(path: Path) -> list[str]:
    """Describe the pages without labels, and the labels without a page."""
    labelled = list_gold(find_folder(path, *_GOLD_FOLDERS), _GOLD_SUFFIX) | _read_table(path / TABLE).keys()
    return describe_unpaired(find_folder(path, "html"), labelled, path)


def _read_table(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return the labels of each page by its name; nothing if there is no table."""
    if not path.is_file():
        return {}
    rows = _read_rows(path)
    columns = [column.strip().lower() for column in next(rows, _Row("", [])).cells]
    if "name" not in columns:
        raise UsageError(f"{path} has no column 'name'; it names the page: its file name without .html")
    unknown = [column for column in columns if column not in {*FIELDS, "name"}]
    if unknown:
        raise UsageError(f"{path} has an unknown column {unknown[0]!r}; known: {', '.join(('name', *sorted(FIELDS)))}")
    labels: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        values = row.name_cells(columns)
        name = remove_page_suffix(values.pop("name", ""))
        if not name and values:
            raise UsageError(f"{row.location}: a row without a name; it names the page: its file name without .html")
        if name in labels:
            raise UsageError(f"{row.location}: a second row for {name!r}; keep one row for each page")
        if name:
            labels[name] = _read_labels(values, row.location)
    return labels


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the table."""

    location: str
    cells: list[str]

    def name_cells(self, columns: list[str]) -> dict[str, str]:
        """Return the cells that are not empty, by column. Raises UsageError if there are too many."""
        if any(map(str.strip, self.cells[len(columns) :])):
            raise UsageError(
                f"{self.location}: more cells than columns; put a cell that contains the separator into quotes"
            )
        return {column: cell.strip() for column, cell in zip(columns, self.cells, strict=False) if cell.strip()}


def _read_rows(path: Path) -> Iterator[_Row]:
    """Yield the rows of a table, the header first."""
    text = read_text(path)
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in rows:
            yield _Row(f"{path}:{rows.line_num}", cells)
    except csv.Error as error:
        raise UsageError(f"{path}:{rows.line_num}: cannot be read ({error})") from error


def _read_labels(values: Mapping[str, str], location: str) -> dict[str, Any]:
    labels: dict[str, Any] = dict(values)
    for name in labels.keys() & LIST_FIELDS:
        labels[name] = [part.strip() for part in labels[name].split(";") if part.strip()]
    for name in labels.keys() & NUMBER_FIELDS.keys():
        try:
            labels[name] = NUMBER_FIELDS[name](labels[name])
        except ValueError:
            raise UsageError(f"{location}: {name} is {labels[name]!r:.40}, expected a number") from None
    return labels
