from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.article import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.article.inline import RunReader
from broadsheet.article.structure import build_body
from broadsheet.blocks import Blocks, Labels, Role, segment
from broadsheet.page import read_page


def label_as_body(blocks: Blocks, **spans: Any) -> Labels:
    return Labels([Role.BODY] * len(blocks), [1.0] * len(blocks), **spans)


def body_of(html: str, base: str | None = None) -> tuple[Part, ...]:
    page = read_page(html, url=base)
    blocks = segment(page)
    return build_body(page, blocks, label_as_body(blocks), range(len(blocks)))


def paragraph(text: str) -> Paragraph:
    return Paragraph((Run(text),))


CASES: list[tuple[str, str, tuple[Part, ...]]] = [
    ("paragraphs", "<p>a<p>b", (paragraph("a"), paragraph("b"))),
    ("headings", "<h2>a</h2><h4><span>b</span></h4>", (Heading(2, (Run("a"),)), Heading(4, (Run("b"),)))),
    ("a container in a heading", "<h3><div>a</div></h3>", (Heading(3, (Run("a"),)),)),
    ("list", "<ul><li>a<li>b</ul>", (Listing(False, ((paragraph("a"),), (paragraph("b"),))),)),
    (
        "two lists",
        "<ol><li>a</ol><ol><li>b</ol>",
        (Listing(True, ((paragraph("a"),),)), Listing(True, ((paragraph("b"),),))),
    ),
    (
        "list in a list",
        "<ul><li>a<ol><li>b</ol>c<li>d</ul>",
        (Listing(False, ((paragraph("a"), Listing(True, ((paragraph("b"),),)), paragraph("c")), (paragraph("d"),))),),
    ),
    (
        "items without a list",
        "<div><li>a<li>b</div><p>c",
        (Listing(False, ((paragraph("a"),), (paragraph("b"),))), paragraph("c")),
    ),
    (
        "a list of sections",
        "<ul><li><h2>a</h2><p>b</p><li><h2>c</h2><p>d</p></ul>",
        (Heading(2, (Run("a"),)), paragraph("b"), Heading(2, (Run("c"),)), paragraph("d")),
    ),
    ("text in a list without item", "<ul>x<li>a</ul>", (Listing(False, ((paragraph("x"),), (paragraph("a"),))),)),
    ("quote", "<blockquote>a<p>b</p></blockquote>", (Quote((paragraph("a"), paragraph("b"))),)),
    ("code", "<pre>if x:\n    y\n</pre>", (Code("if x:\n    y"),)),
    (
        "code without invisible text",
        "<pre>a<style>b</style><b hidden>c</b><script type=application/json>{}</script><br>d</pre>",
        (Code("a\nd"),),
    ),
    (
        "data table",
        "<table><tr><th>a<th>b<tr><td>c<td><p>d</p><p>e</p></table>",
        (
            Table(
                (
                    (Cell((Run("a"),), True), Cell((Run("b"),), True)),
                    (Cell((Run("c"),)), Cell((Run("d"), Run("\n"), Run("e")))),
                )
            ),
        ),
    ),
    ("layout table", f"<table><tr><td>{'x' * 400}<td>y</table>", (paragraph("x" * 400), paragraph("y"))),
    ("tables in a table", "<table><tr><td><table><tr><td>a</table></table>", (paragraph("a"),)),
    (
        "list in a cell of a layout table",
        "<table><tr><td><ul><li>a</ul></table>",
        (Listing(False, ((paragraph("a"),),)),),
    ),
]


@pytest.mark.parametrize(("html", "body"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_body(html: str, body: tuple[Part, ...]) -> None:
    assert body_of(html) == body


RUNS: list[tuple[str, str, list[Run]]] = [
    ("plain", "<p>a b</p>", [Run("a b")]),
    ("bold", "<p>a <b>b</b> c</p>", [Run("a "), Run("b ", is_bold=True), Run("c")]),
    ("space inside the tag", "<p>a<b> b </b>c</p>", [Run("a "), Run("b ", is_bold=True), Run("c")]),
    ("nested", "<p><b>a<i>b</i></b></p>", [Run("a", is_bold=True), Run("b", is_bold=True, is_italic=True)]),
    ("code", "<p><code>a</code></p>", [Run("a", is_code=True)]),
    ("line break", "<p>a<br> b</p>", [Run("a\nb")]),
    ("link", "<p><a href='/b'>a</a></p>", [Run("a", href="https://x.example/b")]),
    ("anchor without address", "<p><a name=b>a</a></p>", [Run("a")]),
    ("script address", "<p><a href='JavaScript:alert(1)'>a</a></p>", [Run("a")]),
    ("hidden", "<p>a<span hidden>x</span></p>", [Run("a")]),
    ("formatting around the block", "<b>a<p>b</p></b>", [Run("a", is_bold=True)]),
    ("dropped elements", "<p>a<script>x</script><img alt=x>b</p>", [Run("ab")]),
]


@pytest.mark.parametrize(("html", "runs"), [case[1:] for case in RUNS], ids=[case[0] for case in RUNS])
def test_runs(html: str, runs: list[Run]) -> None:
    page = read_page(html)
    blocks = segment(page)
    assert list(RunReader(page.nodes, "https://x.example/a/").read(blocks.rows[0], blocks.text[0])) == runs


PIECES = "<p> </p> <b> </b> <i> <br> <a\xa0href=x> </a> <div> </div> a b\xa0c <span\xa0hidden>h</span> \u200b a\xa0\u200b \u200b\xa0a \ufeffb &nbsp; <code> </code> <template\xa0shadowrootmode=open>s</template> <style>x</style> <pre> </pre> <td>"


@given(st.lists(st.sampled_from(PIECES.split(" ")), max_size=40), st.sampled_from(["", " "]))
def test_runs_have_the_text_of_their_block(pieces: list[str], separator: str) -> None:
    page = read_page(separator.join(pieces).replace("\xa0", " "))
    blocks = segment(page)
    for block, text in enumerate(blocks.text):
        assert "".join(run.text for run in RunReader(page.nodes, None).read(blocks.rows[block], text)) == text


def test_the_body_of_blocks_that_are_kept_in_part() -> None:
    page = read_page("<p>One <b>two three</b> four <i>five</i> six</p><p>seven</p><pre>eight\nnine</pre>")
    blocks = segment(page)
    labels = label_as_body(blocks, spans={0: ((4, 7), (19, 27)), 2: ((0, 5),)})
    assert build_body(page, blocks, labels, range(3)) == (
        Paragraph((Run("two", is_bold=True), Run(" "), Run("five ", is_italic=True), Run("six"))),
        Paragraph((Run("seven"),)),
        Paragraph((Run("eight"),)),
    )


def test_a_cell_without_content_stays_empty() -> None:
    page = read_page("<table><tr><th>a<th>b<tr><td>c<td>d</table>")
    blocks = segment(page)
    (table,) = build_body(page, blocks, label_as_body(blocks), [1, 3])
    assert table == Table(
        (
            (Cell((), True), Cell((Run("b"),), True)),
            (Cell(()), Cell((Run("d"),))),
        )
    )


def test_deep_nesting_is_flattened() -> None:
    body = body_of("<ul><li>a" * 200)
    depth = 0
    while isinstance(body[-1], Listing):
        body, depth = body[-1].items[0], depth + 1
    assert depth == 10
    assert body == (paragraph("a"),) * 191


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("<pre>1 a = 1\n2 b = 2\n3\n4   c</pre>", "a = 1\nb = 2\n\n  c"),
        ("<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>", "a\nb"),
        ("<pre>1 a\n3 b\n4 c</pre>", "1 a\n3 b\n4 c"),
        ("<pre>1 a\n2 b</pre>", "1 a\n2 b"),  # too few to tell
    ],
)
def test_code_without_line_numbers(html: str, code: str) -> None:
    assert body_of(html) == (Code(code),)


@pytest.mark.parametrize(
    "note", ["<span class=sr-only>, opens new tab</span>", " (opens in a new window)", "<i>(Opens in new tab)</i>"]
)
def test_notes_of_links_are_no_text(note: str) -> None:
    [part] = body_of(f"<p>The ferry <a href=/x>sails again{note}</a> in May.</p>")
    assert isinstance(part, Paragraph)
    assert "".join(run.text for run in part.runs) == "The ferry sails again in May."


def test_a_sentence_about_tabs_stays() -> None:
    text = "The link opens new tabs and the shop opens new windows."
    assert body_of(f"<p>{text}</p>") == (paragraph(text),)
