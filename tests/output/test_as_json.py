from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from broadsheet.article import Article, Comment, Paragraph, Run, Status
from broadsheet.fields import Image
from broadsheet.output.as_json import dump_json
from broadsheet.output.record import to_dict

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
