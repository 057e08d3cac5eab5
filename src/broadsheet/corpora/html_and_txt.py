"""A folder of pages, a folder of gold texts, and optionally a table of other labels.

    my-pages/
      html/ferry.html       or .htm, .html.gz, .htm.gz
      txt/ferry.txt         the gold text, one paragraph per line; the folder may be called text or gold
      labels.csv            optional: name, title, authors, date, page_type, lang, site, ...

The columns of the table are the names of `Record`; `name` is the page's file name without its suffix, and several
authors are separated by semicolons. An empty cell is a label that is not known. A page that has neither a gold text nor
a row in the table is skipped.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from broadsheet.corpora.page_files import find_folder, list_pages, name_dataset, read_text
from broadsheet.corpora.record import FIELDS, NUMBER_FIELDS, Record, make_record
from broadsheet.errors import UsageError

NAME = "a folder with html/NAME.html and txt/NAME.txt"
TABLE = "labels.csv"
_GOLD_FOLDERS = ("txt", "text", "gold")
_LISTS = ("authors", "with", "without")


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
        gold_file = gold / f"{page.name}.txt"
        text = read_text(gold_file) if gold_file.is_file() else None
        if text is not None or page.name in labels:
            yield make_record({"text": text, **labels.get(page.name, {}), **page.describe(dataset)})


def _read_table(path: Path) -> dict[str, Mapping[str, Any]]:
    """Return the labels of each page by its name; nothing if there is no table."""
    if not path.is_file():
        return {}
    rows = csv.DictReader(read_text(path).splitlines(keepends=True))
    if "name" not in (rows.fieldnames or ()):
        raise UsageError(f"{path} has no column 'name'; it names the page: its file name without .html")
    unknown = [name for name in rows.fieldnames or () if name not in {*FIELDS, "name"}]
    if unknown:
        raise UsageError(f"{path} has an unknown column {unknown[0]!r}; known: {', '.join(('name', *sorted(FIELDS)))}")
    return {row["name"]: _read_row(row, f"{path}:{rows.line_num}") for row in rows}


def _read_row(row: Mapping[str, str | None], location: str) -> dict[str, Any]:
    labels: dict[str, Any] = {name: cell.strip() for name, cell in row.items() if cell and cell.strip()}
    labels.pop("name", None)
    for name in labels.keys() & set(_LISTS):
        labels[name] = [part.strip() for part in labels[name].split(";") if part.strip()]
    for name in labels.keys() & NUMBER_FIELDS.keys():
        try:
            labels[name] = NUMBER_FIELDS[name](labels[name])
        except ValueError:
            raise UsageError(f"{location}: {name} is {labels[name]!r:.40}, expected a number") from None
    return labels
