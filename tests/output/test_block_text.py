"""The text from blocks equals the text from the tree of parts."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import broadsheet
from broadsheet.article.structure import build_body
from broadsheet.blocks import CONTENT_ROLES, Blocks, Role, segment
from broadsheet.corpora import read_corpus
from broadsheet.kernel.selection import find_members
from broadsheet.output.as_text import render_text
from broadsheet.output.block_text import write_blocks
from broadsheet.page import Page, read_page

_DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
_DEV = sorted(_DATA.glob("*.dev.jsonl.xz"))
_CASES = json.loads((Path(__file__).parents[1] / "article" / "bodies.json").read_text(encoding="utf-8"))
_PLAIN_TAGS = ("p", "div", "h2", "blockquote", "b", "em", "a href=/x", "code", "span", "table", "tr", "td", "section")
_OTHER_TAGS = ("ul", "li", "dl", "dt", "dd", "pre", "sup", "sub", "del", "th", "ol")
_TEXTS = (
    "One",
    " two ",
    "three.\n",
    "<br>",
    "<br> <br>",
    "\u00ad",
    " \u200b ",
    "x\u00a0y",
    "Ünï",
    "  ",
    "<img src=a.jpg>",
)


def write_both(page: Page, blocks: Blocks) -> tuple[str | None, str]:
    content = list(range(len(blocks)))
    body = build_body(page, blocks, [Role.BODY] * len(blocks), content)
    return write_blocks(page, blocks, content), render_text(body)


def make_page(choice: random.Random, tags: tuple[str, ...], depth: int = 0) -> str:
    pieces = choice.choices(_TEXTS, k=3)
    if depth < 4:
        for tag in choice.choices(tags, k=3):
            pieces.insert(choice.randrange(4), f"<{tag}>{make_page(choice, tags, depth + 1)}</{tag.split()[0]}>")
    return "".join(pieces)


@pytest.mark.parametrize("case", _CASES, ids=["".join(case["name"]) for case in _CASES])
def test_small_pages(case: dict[str, list[str]]) -> None:
    page = read_page("\n".join(case["page"]))
    text, expected = write_both(page, segment(page))
    assert text in (None, expected)


@pytest.mark.parametrize("seed", range(60))
def test_generated_pages(seed: int) -> None:
    choice = random.Random(seed)
    page = read_page(make_page(choice, _PLAIN_TAGS if seed % 3 else _PLAIN_TAGS + _OTHER_TAGS))
    text, expected = write_both(page, segment(page))
    assert text in (None, expected)


def test_paragraphs_need_no_parts_and_lists_do() -> None:
    for html, text in (("<p>One <b>two</b><br>three<p>four", "One two\nthree\nfour"), ("<ul><li>One", None)):
        page = read_page(html)
        assert write_both(page, segment(page))[0] == text


@pytest.mark.data
@pytest.mark.skipif(not _DEV, reason="needs the labelled pages in ../shared/data")
@pytest.mark.parametrize("path", _DEV, ids=lambda path: path.name)
def test_labelled_pages(path: Path) -> None:
    texts = list(compare_pages(path))
    assert sum(texts) > len(texts) / 4  # most pages need no parts


def compare_pages(path: Path) -> Iterator[bool]:
    for record in read_corpus(path):
        article = broadsheet.extract(record.html, url=record.url)
        if article.page_blocks and article.labels:
            page = read_page(record.html, url=record.url)
            text = write_blocks(page, article.page_blocks, find_members(article.labels.roles, CONTENT_ROLES))
            assert text in (None, render_text(article.body)), record.id
            yield text is not None
