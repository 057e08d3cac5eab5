"""scrapinghub/article-extraction-benchmark: pages and one gold file for all of them.

    benchmark/
      html/ab12.html.gz
      ground-truth.json     {"ab12": {"articleBody": "...", "url": "..."}, ...}

Pages that the gold file does not list are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from broadsheet.corpora.page_files import (
    PageFile,
    check_object,
    describe_unpaired,
    list_pages,
    name_dataset,
    read_json_object,
)
from broadsheet.corpora.record import Record, drop_other_date, make_record

NAME = "article-extraction-benchmark: html/ID.html.gz and ground-truth.json"
_GOLD_FILE = "ground-truth.json"


def matches(path: Path) -> bool:
    """Return whether the folder has pages and the gold file."""
    return (path / "html").is_dir() and (path / _GOLD_FILE).is_file()


def read(path: Path) -> Iterator[Record]:
    """Yield the pages in the gold file. The gold file is held in memory; the pages are not."""
    gold = read_json_object(path / _GOLD_FILE)
    dataset = name_dataset(path)
    for page in list_pages(path / "html"):
        if page.name in gold:
            location = f"{path / _GOLD_FILE}: {page.name}"
            yield _read_page(dataset, page, check_object(gold[page.name], location), location)


def describe_skipped(path: Path) -> list[str]:
    """Describe the pages that the gold file does not list, and its entries without a page."""
    return describe_unpaired(path / "html", read_json_object(path / _GOLD_FILE).keys(), path)


def _read_page(dataset: str, page: PageFile, labels: dict[str, Any], location: str) -> Record:
    values = {
        "text": labels.get("articleBody"),
        "url": labels.get("url"),
        "title": labels.get("title") or labels.get("headline"),
        "authors": labels.get("author") or None,
        "date": drop_other_date(labels.get("publish_date") or labels.get("datePublished")),
        "with": labels.get("with"),
        "without": labels.get("without"),
    }
    return make_record({**values, **page.describe(dataset)}, location)
