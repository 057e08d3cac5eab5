"""The table of formats, and the documents that it writes."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from broadsheet.article import Article, Paragraph, Run
from broadsheet.output import FORMAT_ALIASES, FORMATS, TABLES, Format
from broadsheet.output.record import choose_columns

ARTICLE = Article(
    title="1 < 2\n *Title*",
    authors=("Ann Li", "Bo_ Eck"),
    date=datetime(2024, 5, 1, 23, tzinfo=UTC),
    language="en",
    body=(Paragraph((Run("The "), Run("text", is_bold=True))),),
)
BARE = Article(body=ARTICLE.body)
SHARED_ENDINGS = ("chunks",)  # JSON Lines, too: chosen by --format alone


def write(name: str, article: Article) -> str:
    return FORMATS[name].write(article)


def test_names() -> None:
    assert list(FORMATS) == ["text", "md", "html", "json", "jsonl", "chunks", "schema", "tei"]
    assert not FORMATS.keys() & FORMAT_ALIASES.keys()


@pytest.mark.parametrize("row", FORMATS.values(), ids=FORMATS)
def test_rows(row: Format) -> None:
    assert row.description
    assert not row.description.endswith(".")
    assert row.ending.startswith(".")
    assert row.ending[1:] in (row.name, *row.aliases) or row.name in SHARED_ENDINGS
    assert "/" in row.media_type


def test_endings_are_distinct() -> None:
    endings = [row.ending for row in FORMATS.values() if row.name not in SHARED_ENDINGS]
    assert len(set(endings)) == len(endings)


def test_the_table_is_light() -> None:
    """`broadsheet --help` imports it."""
    code = "import sys, broadsheet.output; print('numpy' in sys.modules, 'broadsheet.article' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False False\n"


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
    assert write(name, article) == written


def test_html_is_a_document() -> None:
    assert write("html", ARTICLE).split("\n") == [
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
    assert "<html>" in write("html", BARE)
    assert 'lang="&quot;x&gt;"' in write("html", Article(language='"x>'))


def test_json_formats() -> None:
    assert json.loads(write("json", ARTICLE)) == json.loads(write("jsonl", ARTICLE)) == ARTICLE.to_dict()
    assert "\n" in write("json", ARTICLE)
    assert "\n" not in write("jsonl", ARTICLE)


@pytest.mark.parametrize("row", FORMATS.values(), ids=FORMATS)
def test_records_have_the_chosen_columns(row: Format) -> None:
    written = row.write(ARTICLE, columns=choose_columns(["authors", "date"], ["markdown"]))
    if row.is_record:
        record = {"authors": ["Ann Li", "Bo_ Eck"], "date": "2024-05-01T23:00:00", "markdown": "The **text**"}
        assert json.loads(written) == record
    else:
        assert written == row.write(ARTICLE)


def test_tables() -> None:
    assert list(TABLES) == ["csv", "xlsx", "parquet"]
    assert not TABLES.keys() & {*FORMATS, *FORMAT_ALIASES}


def test_schema_can_be_put_into_a_script_element() -> None:
    article = Article(title="</script><!--")
    assert "<" not in write("schema", article)
    assert json.loads(write("schema", article)) == article.to_schema_org()


@pytest.mark.parametrize("name", FORMATS)
def test_all_formats_can_be_written_as_utf8(name: str) -> None:
    broken = "x\ud800\x00y"
    article = Article(url=broken, title=broken, authors=(broken,), language=broken, body=(Paragraph((Run(broken),)),))
    assert "x\ufffdy" in write(name, article).encode("utf-8").decode("utf-8")
