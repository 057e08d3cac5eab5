"""The layout of the Web Content Extraction Benchmark (WCXB, schema 2.0): `html/ID.html.gz`, `ground-truth/ID.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from broadsheet.corpora.page_files import find_pages, name_dataset, read_bytes
from broadsheet.corpora.record import Record, make_record

NAME = "WCXB: html/ID.html.gz and ground-truth/ID.json"


def matches(path: Path) -> bool:
    """Tell by the folder of gold files."""
    return (path / "html").is_dir() and (path / "ground-truth").is_dir()


def read(path: Path) -> Iterator[Record]:
    """Read the pages that have a gold file."""
    for name, page in find_pages(path / "html"):
        gold = path / "ground-truth" / f"{name}.json"
        if gold.is_file():
            yield _read_pair(name_dataset(path), name, page, json.loads(gold.read_text(encoding="utf-8")))


def _read_pair(dataset: str, name: str, page: Path, gold: dict[str, Any]) -> Record:
    known = gold.get("ground_truth", gold)
    author = known.get("author")
    text = known.get("main_content")
    return make_record(
        {
            "id": f"{dataset}/{name}",
            "dataset": dataset,
            "html": read_bytes(page),
            "url": gold.get("url"),
            "page_type": gold.get("_internal", {}).get("page_type", {}).get("primary"),
            "text": "\n".join(filter(None, map(str.strip, text.split("\n")))) if text else None,
            "title": known.get("title"),
            "authors": [author] if author else None,
            "date": known.get("publish_date"),
            "with": known.get("with"),
            "without": known.get("without"),
        }
    )
