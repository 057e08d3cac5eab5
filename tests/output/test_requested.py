"""Articles of which only some fields were requested."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import broadsheet
from broadsheet.article import Article, Status
from broadsheet.article.lazy import ALWAYS_THERE
from broadsheet.errors import BroadsheetError, FieldNotRequested, UsageError
from broadsheet.fields import FIELDS
from broadsheet.output import FORMATS
from broadsheet.output.record import COLUMNS, EXTRA_COLUMNS
from broadsheet.output.requested import FIELD_NAMES, keep_fields, list_attributes, list_record_columns, read_requested

PAGES = sorted(Path(__file__).parents[2].joinpath("examples", "pages").rglob("*.html"))
HTML = Path(__file__).parents[2].joinpath("examples", "pages", "harbour.html").read_bytes()
URL = "https://news.example/a"
EXTRA = tuple(column.name for column in EXTRA_COLUMNS)
ATTRIBUTES = [*Article.__dataclass_fields__, "text", "markdown", "html", "blocks", "image"]


def read_all(html: str | bytes, **options: Any) -> dict[str, Any]:
    return broadsheet.extract(html, url=URL, **options).to_dict(include=EXTRA)


@pytest.mark.parametrize("method", broadsheet.methods())
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_each_field_is_the_same_as_that_of_the_whole_article(path: Path, method: str) -> None:
    html = path.read_bytes()
    whole = read_all(html, method=method)
    names = (
        COLUMNS if method == broadsheet.methods()[0] else ("text", "title", "images", "comments", "sources", "status")
    )
    for name in names:
        article = broadsheet.extract(html, url=URL, method=method, fields=(name,))
        assert article.to_dict() == {name: whole[name]}
        assert article.to_dict(fields=ALWAYS_THERE) == {always: whole[always] for always in ALWAYS_THERE}


@pytest.mark.parametrize("options", [{"images": False}, {"explain": True}, {"home": "<a href=/a>A title</a>"}])
def test_options_hold_for_fields(options: dict[str, Any]) -> None:
    whole = broadsheet.extract(HTML, url=URL, **options)
    article = broadsheet.extract(HTML, url=URL, fields=("text", "body", "title", "blocks"), **options)
    for name in ("text", "body", "title", "blocks", "labels"):
        assert getattr(article, name) == getattr(whole, name)


def test_fields_in_the_order_in_which_they_are_named() -> None:
    article = broadsheet.extract(HTML, fields=["text", "title", "text"])
    assert list(article.to_dict()) == ["text", "title"]
    assert list(article.to_dict(include=["title", "status"])) == ["text", "title", "status"]


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_other_fields_raise(name: str) -> None:
    article = broadsheet.extract(HTML, url=URL, fields=("text_hash",))
    if name in (*ALWAYS_THERE, "text"):
        assert getattr(article, name)
        return
    asked = {"page_blocks": "blocks", "labels": "blocks"}.get(name, name)
    with pytest.raises(FieldNotRequested, match=f"'{asked}' was not requested; .*'text_hash', '{asked}'"):
        getattr(article, name)
    assert not hasattr(article, name)


def test_the_error_is_in_both_trees() -> None:
    assert issubclass(FieldNotRequested, AttributeError)
    assert issubclass(FieldNotRequested, BroadsheetError)


def test_records_of_other_fields_raise() -> None:
    article = broadsheet.extract(HTML, fields=("title",))
    for read in (
        lambda: article.to_dict(fields=["date"]),
        lambda: article.to_json(include=["body"]),
        article.to_tei,
        article.to_schema_org,
        article.chunks,
    ):
        with pytest.raises(FieldNotRequested):
            read()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (("titel",), "unknown field 'titel'; known: url, .*; did you mean 'title'"),
        ((), "no fields were named; known: url"),
        ("title", r"fields must be a tuple of names, not a string: write \('title',\)"),
        ((1,), "unknown field '1'"),
        (5, "fields must be a tuple of names, not 5"),
    ],
)
def test_wrong_names(fields: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        broadsheet.extract(HTML, fields=fields)
    with pytest.raises(UsageError, match=message):
        broadsheet.ExtractOptions(fields=fields)


def test_attributes_that_are_not_columns() -> None:
    article = broadsheet.extract(HTML, url=URL, fields=("image", "provenance"))
    whole = broadsheet.extract(HTML, url=URL)
    assert (article.image, article.provenance) == (whole.image, whole.provenance)
    assert article.to_dict() == {}


def test_pickles_comparison_and_repr() -> None:
    article = broadsheet.extract(HTML, url=URL, fields=("title", "blocks"))
    assert pickle.loads(pickle.dumps(article)) == article
    assert article == broadsheet.extract(HTML, url=URL, fields=("blocks", "title"))
    assert article != broadsheet.extract(HTML, url=URL, fields=("title", "date"))
    assert article != broadsheet.extract(HTML, url=URL)
    assert repr(article.title) in repr(article)
    assert "characters" not in repr(article)
    assert repr(broadsheet.extract(HTML, fields=("text",))).endswith("characters>")
    assert "Article ok" in article._repr_html_()


def test_the_page_is_not_kept() -> None:
    data = pickle.dumps(broadsheet.extract(HTML, fields=("title",)))
    assert len(data) < 1_000


@pytest.mark.parametrize("html", [b"%PDF-1.7 ...", "https://news.example/a.html"])
@pytest.mark.filterwarnings("ignore:html looks like")
def test_failures_have_the_same_fields(html: str | bytes) -> None:
    article = broadsheet.extract(html, fields=("text", "date"))
    whole = broadsheet.extract(html)
    assert (article.status, article.text, article.date) == (Status.FAILED, "", None)
    assert article.status_reason == whole.sources["status"]
    with pytest.raises(FieldNotRequested):
        article.sources  # noqa: B018


@pytest.mark.parametrize("workers", [1, 2])
def test_many(workers: int) -> None:
    pages = [(URL, HTML), "<p>Short.</p>", 5]
    articles = list(broadsheet.extract_many(pages, workers=workers, fields=("title", "blocks")))  # type: ignore[arg-type]
    whole = broadsheet.extract(HTML, url=URL)
    assert (articles[0].title, articles[0].blocks) == (whole.title, whole.blocks)
    assert [article.status for article in articles][2] is Status.FAILED
    for article in articles:
        assert list(article.to_dict()) == ["title", "blocks"]
        with pytest.raises(FieldNotRequested):
            article.text  # noqa: B018


def test_sites() -> None:
    site = broadsheet.Site.learn([HTML] * 3)
    assert site.extract(HTML, fields=("text",)).text == site.extract(HTML).text


def test_tables_have_the_requested_columns(tmp_path: Path) -> None:
    articles = list(broadsheet.extract_many([HTML], workers=1, fields=("title", "text")))
    assert broadsheet.to_arrow(articles).column_names == ["title", "text"]
    broadsheet.write_articles(iter(articles), tmp_path / "articles.csv")
    assert (tmp_path / "articles.csv").read_text("utf-8-sig").startswith("title,text\n")
    broadsheet.write_articles([], tmp_path / "none.csv")
    assert (tmp_path / "none.csv").read_text("utf-8-sig").startswith("url,title,")


def test_the_tables_agree() -> None:
    assert {field.name for field in FIELDS} < set(FORMATS["tei"].fields or ())
    assert set(COLUMNS) < set(FIELD_NAMES)
    attributes = {*ATTRIBUTES, "status_reason"}
    assert set(list_attributes(FIELD_NAMES)) <= attributes


@pytest.mark.parametrize("name", [name for name, row in FORMATS.items() if row.fields])
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_formats_need_only_their_fields(name: str, path: Path) -> None:
    html, row = path.read_bytes(), FORMATS[name]
    whole = broadsheet.extract(html, url=URL)
    assert row.fields is not None
    assert row.write(broadsheet.extract(html, url=URL, fields=row.fields)) == row.write(whole)


@pytest.mark.parametrize("name", [name for name in FIELD_NAMES if name not in ("blocks", "boilerplate_share")])
def test_articles_of_records(name: str) -> None:
    """A client reads the same article from the columns that it asks for."""
    whole = broadsheet.extract(HTML, url=URL)
    record = whole.to_dict(fields=list_record_columns((name,)))
    article = read_requested(record, (name,))
    assert article.to_dict() == keep_fields(whole, (name,)).to_dict()
    assert article.to_dict(fields=ALWAYS_THERE) == whole.to_dict(fields=ALWAYS_THERE)
    for attribute in list_attributes((name,)):
        if attribute not in ("confidences", "exactness", "doubts"):  # rounded
            assert getattr(article, attribute) == getattr(whole, attribute)
