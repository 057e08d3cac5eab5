"""Web Content Extraction Benchmark (WCXB, schema 2.0): pages and one gold file for each.

    wcxb/
      html/0001.html.gz
      ground-truth/0001.json

A gold file:

    {"url": "...", "ground_truth": {"title": "...", "author": "...", "publish_date": "...", "main_content": "...",
     "with": ["..."], "without": ["..."]}, "_internal": {"page_type": {"primary": "article"}}}
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from broadsheet.corpora.page_files import (
    PageFile,
    check_object,
    describe_unpaired,
    list_gold,
    name_dataset,
    pair_with_gold,
    read_json_object,
)
from broadsheet.corpora.record import Record, drop_other_date, make_record

NAME = "WCXB: html/ID.html.gz and ground-truth/ID.json"


def matches(path: Path) -> bool:
    """Return whether the folder has pages and a folder of gold files."""
    return (path / "html").is_dir() and (path / "ground-truth").is_dir()


def read(path: Path) -> Iterator[Record]:
    """Yield the pages that have a gold file."""
    dataset = name_dataset(path)
    for page, gold in pair_with_gold(path / "html", path / "ground-truth", ".json"):
        yield _read_page(dataset, page, gold)


def describe_skipped(path: Path) -> list[str]:
    """Describe the pages without a gold file, and the gold files without a page."""
    return describe_unpaired(path / "html", list_gold(path / "ground-truth", ".json"), path)


def _read_page(dataset: str, page: PageFile, gold_file: Path) -> Record:
    gold = read_json_object(gold_file)
    labels = check_object(gold.get("ground_truth", gold), str(gold_file))
    text = labels.get("main_content")
    if isinstance(text, str):
        text = "\n".join(filter(None, map(str.strip, text.split("\n"))))
    values = {
        "url": gold.get("url"),
        "page_type": _read_page_type(gold),
        "text": text or None,
        "title": labels.get("title"),
        "authors": labels.get("author") or None,
        "date": drop_other_date(labels.get("publish_date")),
        "with": labels.get("with"),
        "without": labels.get("without"),
    }
    return make_record({**values, **page.describe(dataset)}, str(gold_file))


def _read_page_type(gold: dict[str, Any]) -> str | None:
    match gold:
        case {"_internal": {"page_type": {"primary": str(page_type)}}}:
            return page_type
    return None
