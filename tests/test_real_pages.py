"""All labelled pages: no errors, no long waits, no memory leaks, and no text lost or duplicated."""

from __future__ import annotations

import json
import lzma
import os
import resource
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import broadsheet
from broadsheet.article.lazy import complete
from broadsheet.blocks import segment, tags
from broadsheet.page import TEXT, Page, read_page

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
BENCH = sorted(path.name for path in DATA.glob("*.bench.jsonl.xz"))
STEP = int(os.environ.get("BROADSHEET_PAGE_STEP", "1"))  # n: test every n-th page only

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not BENCH, reason="needs the labelled pages in ../shared/data"),
]


def read_records(name: str) -> Iterator[dict[str, Any]]:
    with lzma.open(DATA / name, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % STEP == 0:
                yield json.loads(line)


def read_memory_mb() -> float:
    with Path("/proc/self/statm").open() as numbers:
        return int(numbers.read().split()[1]) * resource.getpagesize() / 2**20


@pytest.mark.parametrize("name", BENCH)
def test_every_page_gives_an_article_in_time(name: str) -> None:
    memory: list[float] = []
    count = 0
    for count, record in enumerate(read_records(name), start=1):
        data = record["html"].encode("utf-8", "surrogatepass")
        started = time.process_time()
        article = broadsheet.extract(data, url=record["url"])
        seconds = time.process_time() - started
        assert seconds < 5, f"{record['id']} took {seconds:.1f} s"
        assert (article.status == "ok") <= bool(article.text), record["id"]
        if count % 50 == 0:
            memory.append(read_memory_mb())
    assert count > 0
    if len(memory) >= 4:
        half = len(memory) // 2
        growth = min(memory[half:]) - max(memory[:half])
        assert growth < 60, f"memory grew by {growth:.0f} MB"


@pytest.mark.parametrize("name", BENCH)
def test_fields_are_those_of_the_whole_article(name: str) -> None:
    """Of every third page, to save time: each field alone, and the text and the body in both orders."""
    for record in islice(read_records(name), 0, None, 3):
        whole = complete(broadsheet.extract(record["html"], url=record["url"])).to_dict(include=("body", "markdown"))
        for fields in (("text",), ("title", "date", "comments"), ("images", "body"), ("authors",)):
            article = broadsheet.extract(record["html"], url=record["url"], fields=fields)
            assert article.to_dict() == {field: whole[field] for field in fields}, record["id"]
        later = broadsheet.extract(record["html"], url=record["url"])
        assert later.text == whole["text"], record["id"]
        assert later.to_dict(include=("body", "markdown")) == whole, record["id"]


@pytest.mark.parametrize("name", BENCH)
def test_segmentation_does_not_lose_or_duplicate_text(name: str) -> None:
    for record in read_records(name):
        page = read_page(record["html"])
        blocks = segment(page)
        joined = "".join("".join(blocks.text).split())
        assert joined == read_visible_chars(page), record["id"]


def read_visible_chars(page: Page) -> str:
    """Return all visible characters of a page, read from the node table without `Nodes.runs`."""
    nodes = page.nodes
    # Pages that JavaScript fills in are read from their <noscript>.
    reads_noscript = any("noscript" in map(nodes.tag.__getitem__, nodes.ancestors(row)) for row in nodes.run_rows())
    dropped = tags.DROPPED - {"noscript"} if reads_noscript else tags.DROPPED
    is_visible: list[bool] = []
    texts: list[str] = []
    for row, tag in enumerate(nodes.tag):
        parent = nodes.parent[row]
        is_dropped = tag in dropped and not (tag == "template" and nodes.has_attr(row, "shadowrootmode"))
        is_inline_hidden = tag not in tags.CONTAINERS and row in nodes.hidden
        is_visible.append((parent < 0 or is_visible[parent]) and not is_dropped and not is_inline_hidden)
        if tag == TEXT and is_visible[row]:
            texts.append(nodes.text[row])
    text = "".join("".join(texts).split())
    return text.translate({ord(char): None for char in "\u00ad\u200b\u2060\ufeff"})
