from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from broadsheet.article import Article, Paragraph, Run
from broadsheet.output import FORMATS

ARTICLE = Article(
    title="1 < 2\n *Title*",
    authors=("Ann Li", "Bo_ Eck"),
    date=datetime(2024, 5, 1, 23, tzinfo=UTC),
    language="en",
    body=(Paragraph((Run("The "), Run("text", is_bold=True))),),
)
BARE = Article(body=ARTICLE.body)


def test_names() -> None:
    assert list(FORMATS) == ["text", "md", "html", "json", "jsonl", "schema", "tei"]


@pytest.mark.parametrize(
    ("name", "article", "written"),
    [
        ("text", ARTICLE, "1 < 2 *Title*\n\nThe text"),
        ("text", BARE, "The text"),
        ("text", Article(title="Title"), "Title"),
        ("md", ARTICLE, "# 1 \\< 2 \\*Title\\*\n\nAnn Li, Bo\\_ Eck · 2024-05-01\n\nThe **text**"),
        ("md", BARE, "The **text**"),
        ("md", Article(authors=("Ann",)), "Ann"),
    ],
)
def test_text_and_markdown(name: str, article: Article, written: str) -> None:
    assert FORMATS[name](article) == written


def test_html_is_a_document() -> None:
    assert FORMATS["html"](ARTICLE).split("\n") == [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        "<title>1 &lt; 2 *Title*</title>",
        "</head>",
        "<body>",
        "<article>",
        "<h1>1 &lt; 2 *Title*</h1>",
        "<p>Ann Li, Bo_ Eck · 2024-05-01</p>",
        "<p>The <strong>text</strong></p>",
        "</article>",
        "</body>",
        "</html>",
    ]
    assert "<html>" in FORMATS["html"](BARE)
    assert 'lang="&quot;x&gt;"' in FORMATS["html"](Article(language='"x>'))


def test_json_formats() -> None:
    assert json.loads(FORMATS["json"](ARTICLE)) == json.loads(FORMATS["jsonl"](ARTICLE)) == ARTICLE.to_dict()
    assert "\n" in FORMATS["json"](ARTICLE)
    assert "\n" not in FORMATS["jsonl"](ARTICLE)


def test_schema_can_stand_in_a_script() -> None:
    article = Article(title="</script><!--")
    assert "<" not in FORMATS["schema"](article)
    assert json.loads(FORMATS["schema"](article)) == article.to_schema_org()


@pytest.mark.parametrize("name", FORMATS)
def test_any_format_can_be_written_as_utf8(name: str) -> None:
    broken = "x\ud800\x00y"
    article = Article(url=broken, title=broken, authors=(broken,), language=broken, body=(Paragraph((Run(broken),)),))
    assert "x\ufffdy" in FORMATS[name](article).encode("utf-8").decode("utf-8")
