"""The layout of scrapinghub/article-extraction-benchmark: `html/ID.html.gz` and one `ground-truth.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from broadsheet.corpora.page_files import find_pages, name_dataset, read_bytes
from broadsheet.corpora.record import Record, make_record

NAME = "article-extraction-benchmark: html/ID.html.gz and ground-truth.json"


def matches(path: Path) -> bool:
    """Tell by the one gold file."""
    return (path / "html").is_dir() and (path / "ground-truth.json").is_file()


def read(path: Path) -> Iterator[Record]:
    """Read the pages that the gold file knows. The gold file is held in memory, the pages are not."""
    gold: dict[str, dict[str, Any]] = json.loads((path / "ground-truth.json").read_text(encoding="utf-8"))
    dataset = name_dataset(path)
    for name, page in find_pages(path / "html"):
        if name in gold:
            known = gold[name]
            author = known.get("author")
            yield make_record(
                {
                    "id": f"{dataset}/{name}",
                    "dataset": dataset,
                    "html": read_bytes(page),
                    "text": known.get("articleBody"),
                    "url": known.get("url"),
                    "title": known.get("title") or known.get("headline"),
                    "authors": [author] if author else None,
                    "date": known.get("publish_date") or known.get("datePublished"),
                    "with": known.get("with"),
                    "without": known.get("without"),
                }
            )
