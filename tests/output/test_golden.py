"""Golden files: three articles in every output format, byte for byte.

A change of these files is a change of the output for users. To write them again:

    python tests/output/test_golden.py
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import broadsheet
from broadsheet.article import Article, Comment, Heading, Paragraph, Provenance, Run, Status
from broadsheet.fields import Image
from broadsheet.output import FORMATS

FOLDER = Path(__file__).parent / "golden"
SAMPLE_PAGE = Path(__file__).parents[2] / "examples" / "pages" / "harbour.html"
FULL_ARTICLE = Article(  # every field has a value
    url="https://example.org/a?b=1&c=2",
    title="Zwölf “Fragen” & <mehr>",
    authors=("Ann Li", "Bo Eck"),
    date=datetime(2024, 5, 1, 9, 30, tzinfo=timezone(timedelta(hours=2))),
    date_modified=datetime(2024, 5, 2, tzinfo=UTC),
    language="de",
    site_name="The Example",
    description="About it.",
    section="World",
    keywords=("a", "b & c"),
    images=(Image("https://example.org/a.jpg", "A view", "Hills", "Cy Dow"), Image("https://example.org/b.jpg")),
    canonical_url="https://example.org/a",
    amp_url="https://example.org/amp/a",
    body=(Paragraph((Run("Text with "), Run("a link", href="https://example.org/c"))), Heading(2, (Run("Part"),))),
    comments=(Comment("First!", "Ann"), Comment("Second.", reply_to=0)),
    status=Status.PAYWALLED,
    confidence=0.123456,
    method="fusion",
    sources={"title": "json-ld", "date": "meta"},
    confidences={"title": 0.9, "date": 0.95},
    provenance=Provenance(
        source_file="crawl.warc.gz",
        source_offset=946,
        fetched_at=datetime(2024, 5, 3, 8, 30, 1, tzinfo=UTC),
        http_status=200,
        html_hash="0" * 64,
        weights="0123456789abcdef",
        broadsheet_version="0.1.0",
    ),
)


ARTICLES = ("harbour", "full", "empty")


def make_article(name: str) -> Article:
    if name == "harbour":
        article = broadsheet.extract(SAMPLE_PAGE.read_bytes())
        return replace(article, provenance=Provenance())  # it changes with the weights and the version
    return FULL_ARTICLE if name == "full" else Article()


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("article_name", ARTICLES)
def test_output_is_as_before(article_name: str, format_name: str) -> None:
    expected = (FOLDER / f"{article_name}.{format_name}").read_text("utf-8")
    assert FORMATS[format_name].write(make_article(article_name)) + "\n" == expected


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for article_name in ARTICLES:
        article = make_article(article_name)
        for format_name in FORMATS:
            (FOLDER / f"{article_name}.{format_name}").write_text(FORMATS[format_name].write(article) + "\n", "utf-8")
