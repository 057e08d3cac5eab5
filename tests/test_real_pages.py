"""All pages of the labelled data: nothing raises, nothing hangs, nothing leaks, no text is lost or doubled."""

from __future__ import annotations

import json
import lzma
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import broadsheet
from broadsheet.blocks import segment, tags
from broadsheet.page import TEXT, Page, read_page

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
BENCH = sorted(path.name for path in DATA.glob("*.bench.jsonl.xz"))
STEP = int(os.environ.get("BROADSHEET_PAGE_STEP", "1"))  # every n-th page only, for a quick look

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not BENCH, reason="the labelled pages are not beside the project (../shared/data)"),
]


def read_records(name: str) -> Iterator[dict[str, Any]]:
    with lzma.open(DATA / name, "rt", encoding="utf-8") as lines:
        for at, line in enumerate(lines):
            if at % STEP == 0:
                yield json.loads(line)


def used_memory_mb() -> float:
    with Path("/proc/self/statm").open() as numbers:
        return int(numbers.read().split()[1]) * resource.getpagesize() / 2**20


@pytest.mark.parametrize("name", BENCH)
def test_every_page_gives_an_article_in_time(name: str) -> None:
    memory: list[float] = []
    count = 0
    for count, record in enumerate(read_records(name), start=1):
        data = record["html"].encode("utf-8", "surrogatepass")
        started = time.perf_counter()
        article = broadsheet.extract(data, url=record["url"])
        took = time.perf_counter() - started
        assert took < 2, f"{record['id']} took {took:.1f} s"
        assert (article.status == "ok") <= bool(article.text), record["id"]
        if count % 50 == 0:
            memory.append(used_memory_mb())
    assert count > 0
    if len(memory) >= 4:
        half = len(memory) // 2
        grown = min(memory[half:]) - max(memory[:half])
        assert grown < 60, f"memory grew by {grown:.0f} MB"


@pytest.mark.parametrize("name", BENCH)
def test_segmentation_neither_loses_nor_doubles_text(name: str) -> None:
    for record in read_records(name):
        page = read_page(record["html"])
        blocks = segment(page)
        joined = "".join("".join(blocks.text).split())
        assert joined == read_shown_characters(page), record["id"]


def read_shown_characters(page: Page) -> str:
    """All characters that the page shows, straight from the node table and without the segmentation's own code path."""
    nodes = page.nodes
    first = next(
        (row for run in nodes.runs for row in run[1] if "noscript" in map(nodes.tag.__getitem__, nodes.ancestors(row))),
        None,
    )
    dropped = tags.DROPPED if first is None else tags.DROPPED - {"noscript"}  # such a page is read by its noscript
    is_shown: list[bool] = []
    found: list[str] = []
    for row, tag in enumerate(nodes.tag):
        parent = nodes.parent[row]
        is_dropped = tag in dropped and not (tag == "template" and nodes.has_attr(row, "shadowrootmode"))
        is_inline_hidden = tag not in tags.CONTAINERS and row in nodes.hidden
        is_shown.append((parent < 0 or is_shown[parent]) and not is_dropped and not is_inline_hidden)
        if tag == TEXT and is_shown[row]:
            found.append(nodes.text[row])
    text = "".join("".join(found).split())
    return text.translate({ord(char): None for char in "\u00ad\u200b\u2060\ufeff"})
