from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import broadsheet
from broadsheet.article import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.article.structure import build_body
from broadsheet.blocks import CONTENT_ROLES, Blocks, Labels, Role, segment
from broadsheet.corpora import read_corpus
from broadsheet.kernel.selection import find_members
from broadsheet.output.as_text import expand_spans, render_blocks, render_text
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


def paragraph(text: str) -> Paragraph:
    return Paragraph((Run(text),))


def cells(*texts: str) -> tuple[Cell, ...]:
    return tuple(Cell((Run(text),)) for text in texts)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ((), ""),
        ((paragraph(""), paragraph(" "), Heading(2, ())), ""),
        ((Heading(2, (Run("Head"),)), paragraph("One."), paragraph("Two.")), "Head\nOne.\nTwo."),
        ((Paragraph((Run("By "), Run(" Ann", is_bold=True), Run(".\nHere. "))),), "By Ann.\nHere."),
        ((Quote((paragraph("a"), Quote((paragraph("b"),)))),), "a\nb"),
        ((Code("x\n\n  y\n"),), "x\n\n  y"),
        ((Listing(True, ((paragraph("a"),), (paragraph(""),), (paragraph("b"),))),), "1. a\n2. b"),
        (
            (
                Listing(
                    False, ((paragraph("a"), Listing(True, ((paragraph("b"),), (paragraph("c"),)))), (paragraph("d"),))
                ),
            ),
            "- a\n  1. b\n  2. c\n- d",
        ),
        ((Listing(False, ((paragraph("a"), paragraph("b\nc")),)),), "- a\n  b\n  c"),
        ((Listing(False, ((Listing(False, ((paragraph("a"),),)),),)),), "  - a"),
        ((Table((cells("a", "b\nc"), cells("", ""), cells("d", ""), ())),), "a | b c\nd |"),
        ((paragraph("bell\x07 half\ud800"),), "bell half\ufffd"),
    ],
)
def test_render_text(body: tuple[Part, ...], text: str) -> None:
    assert render_text(body) == text


def write_both(page: Page, blocks: Blocks) -> tuple[str | None, str]:
    content = list(range(len(blocks)))
    labels = Labels([Role.BODY] * len(blocks), [1.0] * len(blocks))
    body = build_body(page, blocks, labels, content)
    return render_blocks(page, blocks, content), render_text(body)


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
            text = render_blocks(page, article.page_blocks, find_members(article.labels.roles, CONTENT_ROLES))
            assert text in (None, render_text(article.body)), record.id
            yield text is not None


def test_spans_that_add_many_empty_cells_are_not_expanded() -> None:
    wide_row = (Cell((Run("ship"),), columns=100, rows=100),) * 2
    rows = expand_spans([wide_row] * 1000)
    assert sum(map(len, rows)) < 25 * 1000
    assert rows[-1] == wide_row
