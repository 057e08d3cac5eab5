"""Records become articles again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.output.test_golden import FULL_ARTICLE

import broadsheet
from broadsheet.article import Article, Code, Listing, Paragraph, Quote, Run, Table
from broadsheet.article.parts import Cell, Heading
from broadsheet.errors import UsageError
from broadsheet.output.read_record import read_record

PAGES = sorted((Path(__file__).parents[2] / "examples" / "pages").rglob("*.html"))
BODY = (
    Paragraph((Run("Plain "), Run("bold", is_bold=True), Run("link", href="https://example.org/"))),
    Heading(3, (Run("Heading"),)),
    Listing(True, ((Paragraph((Run("item"),)), Listing(False, ((Code("  x\n\n  y"),),))),)),
    Quote((Paragraph((Run("said"),)),)),
    Table(((Cell((Run("a"),), is_header=True), Cell(())),)),
)


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_record_of_an_extracted_page(page: Path) -> None:
    article = broadsheet.extract(page.read_bytes())
    record = json.loads(article.to_json())
    again = Article.from_dict(record)
    assert again.to_dict() == record
    assert (again.date, again.date_modified) == (article.date, article.date_modified)
    record = json.loads(article.to_json(include=["body", "markdown", "html"]))
    again = Article.from_dict(record)
    assert again.body == article.body
    assert again.to_dict(include=["body", "markdown", "html"]) == record


@pytest.mark.parametrize("article", [FULL_ARTICLE, Article(), Article(body=BODY)])
def test_round_trip(article: Article) -> None:
    record = article.to_dict(include=["body"])
    again = Article.from_dict(record)
    assert again.body == article.body
    assert again.to_dict(include=["body"]) == record
    assert Article.from_dict(article.to_dict()).to_dict() == article.to_dict()
    assert again.provenance == article.provenance


@given(st.text(alphabet="ab \n-|\t#", max_size=60))
def test_any_text_stays_as_it_is(text: str) -> None:
    article = Article(body=(Code(text),))
    assert read_record(article.to_dict()).text == article.text


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ([], "a record must be a dict, not list"),
        ({"status": "great"}, "not the record of an article: 'great' is not a valid Status"),
        ({"date": "yesterday"}, "not the record of an article: Invalid isoformat string"),
        ({"images": [{"src": "x"}]}, "not the record of an article"),
        ({"authors": "Ann Li"}, "not the record of an article: authors must be a list, not 'Ann Li'"),
        ({"date": 1710576000}, "not the record of an article: a date must be ISO 8601, not 1710576000"),
        ({"title": 5}, "not the record of an article: title must be a string, not 5"),
        ({"body": ["text"]}, "the body of a record must be a list of parts; 'text' is not one"),
        ({"body": [{"type": "Run", "text": "a"}]}, "the body of a record must be a list of parts; Run"),
        (
            {"body": [{"type": "Paragraph", "runs": "abc"}]},
            "a part of the body does not fit: runs of Paragraph must be",
        ),
        ({"body": [{"type": "Code", "text": 5}]}, "a part of the body does not fit: text of Code must be str, not 5"),
        ({"body": [{"type": "Paragraph", "runs": ["a"]}]}, "runs of Paragraph must be tuple"),
        ({"body": [{"type": "Table", "rows": [[{"type": "Run", "text": "a"}]]}]}, "rows of Table must be tuple"),
        ({"body": [{"type": "Heading", "level": "2", "runs": []}]}, "level of Heading must be int, not '2'"),
        ({"authors": ["Ann Li", None, 5]}, "an item of authors must be a string, not None"),
        ({"method": 5}, "method must be a string, not 5"),
        ({"html_hash": 5}, "html_hash must be a string, not 5"),
        ({"http_status": float("inf")}, "not the record of an article: cannot convert float infinity"),
        ({"body": "text"}, "the body of a record must be a list of parts"),
        ({"body": [{"type": "Poem"}]}, "unknown part of a body: 'Poem'; read it with a newer version"),
        ({"body": [{"type": "Code", "lines": 3}]}, "a part of the body does not fit"),
    ],
)
def test_wrong_records(record: Any, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        Article.from_dict(record)


def test_older_and_newer_records_can_be_read() -> None:
    assert Article.from_dict({"title": "Title", "schema_version": 99, "unheard_of": 1}).title == "Title"


def test_row_of_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra tables)")
    provenance = replace(FULL_ARTICLE.provenance, source_file="a.warc", source_offset=17)
    articles = [replace(FULL_ARTICLE, provenance=provenance), Article(), broadsheet.extract(PAGES[0].read_bytes())]
    broadsheet.write_articles(articles, tmp_path / "a.parquet", include=["body"])
    table = pandas.read_parquet(tmp_path / "a.parquet")
    for kind in (table, table.convert_dtypes()):
        records = [Article.from_dict(row).to_dict(include=["body"]) for row in kind.to_dict("records")]
        assert records == [article.to_dict(include=["body"]) for article in articles]
