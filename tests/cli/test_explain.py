from __future__ import annotations

from pathlib import Path

import pytest

import broadsheet
from broadsheet.article import Article, Block
from broadsheet.blocks import Role
from broadsheet.cli import explain
from broadsheet.cli.explain import write_explain_page
from broadsheet.cli.extract_command import Request, make_plan
from broadsheet.cli.extraction import run_plan
from broadsheet.cli.layout import name_explain_layout
from broadsheet.errors import UsageError

PAGE = Path(__file__).parents[2] / "examples" / "pages" / "harbour.html"


@pytest.mark.parametrize(
    ("output", "layout"),
    [
        (None, "explain"),
        ("-", "explain"),
        ("blocks.txt", "explain"),
        ("a/blocks.HTML", "explain-page"),
        ("b.htm", "explain-page"),
    ],
)
def test_layout(output: str | None, layout: str) -> None:
    assert name_explain_layout(output) == layout


@pytest.mark.parametrize("output", ["blocks.csv", "a/blocks.JSON", "blocks.jsonl", "blocks.parquet"])
def test_explain_writes_no_data(output: str) -> None:
    with pytest.raises(UsageError, match=r"--explain writes text or HTML, not \.[a-z]+; name the output"):
        name_explain_layout(output)


def test_the_page_shows_fields_and_all_blocks() -> None:
    article = broadsheet.extract(PAGE.read_bytes())
    html = write_explain_page(article)
    assert html.count('<div class="block ') == len(article.blocks)
    assert "<h1>Harbour ferry returns after eleven years</h1>" in html
    assert "json-ld 0.94" in html
    assert "<details>" in html
    assert "html/body/main/article/h1 · row " in html


def test_the_page_shows_reasons() -> None:
    html = write_explain_page(broadsheet.extract(PAGE.read_bytes(), explain=True))
    assert html.count('<ul class="reasons">') == html.count('<div class="block ')
    assert '<li class="for">stated description +' in html
    assert '<li class="against">' in html
    assert "An effect of +0.7 doubles the odds" in html
    assert '<ul class="reasons">' not in write_explain_page(broadsheet.extract(PAGE.read_bytes()))


def test_the_command_writes_the_page_with_blocks_and_reasons(tmp_path: Path) -> None:
    output = tmp_path / "blocks.html"
    run_plan(make_plan(Request((str(PAGE),), is_explained=True, output=str(output))))
    html = output.read_text("utf-8")
    assert html.count('<div class="block ') == len(broadsheet.extract(PAGE.read_bytes()).blocks)
    assert '<ul class="reasons">' in html


def test_the_page_is_safe() -> None:
    article = broadsheet.extract(
        "<title>&lt;script>x</title><p>A &lt;script>alert(1)&lt;/script> in the text of a page.</p>"
    )
    html = write_explain_page(article)
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_an_article_without_blocks() -> None:
    assert "<h1>No title</h1>" in write_explain_page(Article())


def block(text: str, role: Role, score: float) -> Block:
    return Block(text, role, score, "html/body/p", range(1, 2), 0.0, False)


def test_boilerplate_is_folded_on_a_terminal() -> None:
    off = [block(name, Role.BOILERPLATE, 0.0) for name in ("Home", "Sport", "Culture")]
    likely = block("Perhaps text", Role.BOILERPLATE, 0.4)
    body = block("The ferry sails again.", Role.BODY, 1.0)
    lines = [line.plain for line in explain._fold_blocks([*off, likely, body, *off[:2]])]
    assert lines[0].split() == ["…", "3", "blocks", "Home", "/", "Sport", "/", "Culture"]
    assert [line.split()[0] for line in lines[1:]] == ["0.40", "1.00", "0.00", "0.00"]
