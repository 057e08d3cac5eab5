"""The record of an article."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from broadsheet.article import Article, Comment, Paragraph, Run, Status
from broadsheet.errors import UsageError
from broadsheet.fields import FIELDS, Image
from broadsheet.output.record import RECORD, SCHEMA_VERSION, choose_columns, dump_json, to_dict

ARTICLE = Article(
    url="https://example.org/a",
    title="Zwölf “Fragen”",
    authors=("Ann Li", "Bo Eck"),
    date=datetime(2024, 5, 1, 9, 30, tzinfo=timezone(timedelta(hours=2))),
    date_modified=datetime(2024, 5, 2, tzinfo=UTC),
    language="de",
    site_name="The Example",
    description="About it.",
    section="World",
    keywords=("a", "b"),
    images=(Image("https://example.org/a.jpg", caption="A view"),),
    body=(Paragraph((Run("Text"),)),),
    comments=(Comment("First!"),),
    status=Status.PAYWALLED,
    confidence=0.123456,
    method="fusion",
    sources={"title": "json-ld", "date": "meta"},
    confidences={"title": 0.9, "date": 0.95},
)


def test_columns() -> None:
    names = [column.name for column in RECORD]
    assert names[: len(FIELDS)] == [field.name for field in FIELDS]
    # Only add names, at the end, and raise SCHEMA_VERSION: tables of users depend on them.
    assert (
        names[len(FIELDS) :]
        == (
            "text comments status confidence method sources confidences comment_details status_reason "
            "date_text date_modified_text host id "
            "source_file source_offset fetched_at http_status html_hash text_hash weights broadsheet_version schema_version "
            "exactness doubts"
        ).split()
    )
    assert SCHEMA_VERSION == 2
    assert list(to_dict(Article())) == names


def test_columns_are_described() -> None:
    for column in RECORD:
        assert column.type
        assert column.description.endswith(".")


def test_comments_are_texts_and_their_details_are_objects() -> None:
    record = to_dict(Article(comments=(Comment("First!", "Ann", datetime(2021, 5, 5)), Comment("Second.", reply_to=0))))
    assert record["comments"] == ["First!", "Second."]
    assert record["comment_details"] == [
        {"author": "Ann", "date": "2021-05-05T00:00:00", "text": "First!", "reply_to": None},
        {"author": None, "date": None, "text": "Second.", "reply_to": 0},
    ]


def test_the_record_of_an_empty_article_is_json() -> None:
    assert json.loads(json.dumps(to_dict(Article()))) == to_dict(Article())


def test_a_string_is_not_a_list_of_fields() -> None:
    with pytest.raises(UsageError, match=r"fields must be a list of names, not a string: write \['title'\]"):
        choose_columns("title")
    with pytest.raises(UsageError, match=r"include must be a list of names, not a string: write \['markdown'\]"):
        choose_columns(None, "markdown")


def test_to_dict() -> None:
    record = ARTICLE.to_dict()
    assert record == to_dict(ARTICLE)
    assert list(record) == list(to_dict(Article()))
    assert record["authors"] == ["Ann Li", "Bo Eck"]
    assert (record["date"], record["date_text"]) == ("2024-05-01T09:30:00", "2024-05-01T09:30:00+02:00")
    assert record["images"] == [{"url": "https://example.org/a.jpg", "caption": "A view", "alt": None, "credit": None}]
    assert (record["text"], record["canonical_url"], record["confidence"]) == ("Text", None, 0.1235)
    assert type(record["status"]) is str
    assert list(record["sources"]) == list(record["confidences"]) == ["date", "title"]


@pytest.mark.parametrize("article", [ARTICLE, Article()])
def test_json_reads_back(article: Article) -> None:
    assert json.loads(article.to_json()) == json.loads(article.to_json(indent=2)) == to_dict(article)


def test_json_keeps_non_ascii_letters() -> None:
    assert "Zwölf “Fragen”" in dump_json(ARTICLE.to_dict())


def test_json_is_one_line_to_every_reader() -> None:
    title = "a\nb\r\u2028c\u2029d\x85e"
    line = Article(title=title).to_json()
    assert line.splitlines() == [line]
    assert json.loads(line)["title"] == "a\nb\n\u2028c\u2029d\x85e"


def test_surrogates_can_be_written() -> None:
    broken = "x\ud800y"
    article = Article(title=broken, keywords=(broken,), images=(Image(broken),), sources={"title": broken})
    written = json.loads(article.to_json().encode("utf-8"))
    assert [written["title"], *written["keywords"], written["images"][0]["url"], written["sources"]["title"]] == (
        ["x\ufffdy"] * 4
    )
