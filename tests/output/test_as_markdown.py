from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from broadsheet.article import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.output.as_markdown import render_markdown


def paragraph(text: str) -> Paragraph:
    return Paragraph((Run(text),))


def cells(*texts: str, is_header: bool = False) -> tuple[Cell, ...]:
    return tuple(Cell((Run(text),), is_header) for text in texts)


def listing(*texts: str, is_ordered: bool = False) -> Listing:
    return Listing(is_ordered, tuple((paragraph(text),) for text in texts))


BLOCKS: list[tuple[tuple[Part, ...], str]] = [
    ((), ""),
    ((paragraph(""), Heading(2, ()), Quote(()), listing(), Table(()), Code("\n")), ""),
    ((Heading(2, (Run("A\nb"),)), paragraph("c\nd")), "## A b\n\nc\\\nd"),
    ((Heading(9, (Run("C#"),)), Heading(0, (Run("x ##"),))), "###### C\\#\n\n# x #\\#"),
    ((listing("a", "", "b"),), "- a\n- b"),
    ((listing("a", "b", is_ordered=True),), "1. a\n2. b"),
    ((listing("a"), listing("b"), listing("c")), "- a\n\n* b\n\n- c"),
    ((listing("a", is_ordered=True), listing("b", is_ordered=True)), "1. a\n\n1) b"),
    ((Listing(True, ((paragraph("a"), listing("b", "c")), (paragraph("d"),))),), "1. a\n   - b\n   - c\n2. d"),
    ((Listing(False, ((paragraph("a"), paragraph("b")), (paragraph("c"),))),), "- a\n\n  b\n\n- c"),
    ((Quote((paragraph("a\nb"), Quote((paragraph("c"),)))),), "> a\\\n> b\n>\n> > c"),
    ((Code("x\n\n y\n"),), "```\nx\n\n y\n```"),
    ((Code("a ``` b"),), "````\na ``` b\n````"),
    ((Listing(False, ((Code("x\n\ny"),),)),), "- ```\n  x\n\n  y\n  ```"),
    (
        (Table((cells("A", "B|C", is_header=True), cells("1\n2"))),),
        "| A | B\\|C |\n| --- | --- |\n| 1<br>2 |",
    ),
    ((Table((cells("1", "2"),)),), "|  |  |\n| --- | --- |\n| 1 | 2 |"),
    ((Table(((Cell((Run("a|b", is_code=True),)),),)),), "|  |\n| --- |\n| `a\\|b` |"),
]


@pytest.mark.parametrize(("body", "markdown"), BLOCKS)
def test_blocks(body: tuple[Part, ...], markdown: str) -> None:
    assert render_markdown(body) == markdown


def run(text: str, formatting: str = "") -> Run:
    return Run(text, is_bold="b" in formatting, is_italic="i" in formatting, is_code="c" in formatting)


@pytest.mark.parametrize(
    ("runs", "markdown"),
    [
        ((run("a", "b"), run("b", "b")), "**ab**"),
        ((run("a"), run(" b ", "b"), run("c", "i")), "a **b** _c_"),
        ((run("a ", "b"), run("b", "bi"), run(" c", "b")), "**a _b_ c**"),
        ((run("a"), run("b", "b"), run("c")), "a**b**c"),
        ((run("a"), run("b", "i"), run("c")), "a*b*c"),
        ((run("Rome:", "b"), run("here")), "**Rome**:here"),
        ((run("Rome:", "b"), run(" here")), "**Rome:** here"),
        ((run("he"), run("“so”", "i"), run("she")), "he“_so_”she"),
        ((run("a"), run("!", "b"), run("b")), "a!b"),
        ((run(". ", "bi"), run("a", "i")), "**_._** _a_"),
        (
            (run("a"), run("b", "bi"), run("c")),
            "a**b**c",
        ),  # "_" does not work inside a word, and "*" would be read as part of "**"
        ((run("x`y", "c"), run(" "), run("`z", "c")), "``x`y`` `` `z ``"),
        ((run("a\nb", "c"), run("c", "cb")), "`a bc`"),
    ],
)
def test_formatting(runs: tuple[Run, ...], markdown: str) -> None:
    assert render_markdown((Paragraph(runs),)) == markdown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("1986. A year", "1986\\. A year"),
        ("1.5 million", "1.5 million"),
        ("# one #two", "\\# one #two"),
        ("#two", "#two"),
        ("- a - b", "\\- a - b"),
        ("-5 degrees", "-5 degrees"),
        ("2 * 3 < 7 > 1", "2 \\* 3 \\< 7 > 1"),
        ("snake_case _x_", "snake_case \\_x\\_"),
        ("AT&T &amp; R&D;", "AT&T \\&amp; R\\&D;"),
        ("a ~5 ~~b~~", "a ~5 \\~\\~b\\~\\~"),
        ("a\\b [c](d) `e`", "a\\\\b \\[c\\](d) \\`e\\`"),
        ("a\n:-:", "a\\\n\\:-:"),  # some parsers read this as a table with one column
        ("a\n> b\n+ c\n===", "a\\\n\\> b\\\n\\+ c\\\n\\==="),
    ],
)
def test_escapes(text: str, markdown: str) -> None:
    assert render_markdown((paragraph(text),)) == markdown


@pytest.mark.parametrize(
    ("runs", "markdown"),
    [
        ((Run("See"), Run(" it ", href="https://a.b/c"), Run("now")), "See [it](https://a.b/c) now"),
        ((Run("Wow!"), Run("it", href="https://a.b/c")), "Wow\\![it](https://a.b/c)"),
        ((Run("a]b", href="https://a.b/c_(d)?e&amp;f g"),), "[a\\]b](https://a.b/c_\\(d\\)?e\\&amp;f%20g)"),
        ((Run("a", href="https://a.b/"), Run("b", is_code=True, href="https://a.b/")), "[a`b`](https://a.b/)"),
        ((Run("]:", is_code=True, href="https://a.b/"),), "[\\]:](https://a.b/)"),
        ((Run("a", href="javascript:alert(1)"), Run("b", href="data:x")), "ab"),
    ],
)
def test_links(runs: tuple[Run, ...], markdown: str) -> None:
    assert render_markdown((Paragraph(runs),)) == markdown


def test_link_addresses_are_kept() -> None:
    address = "https://a.b/c_(d)_*e*?x=[1]&amp=2&copy;=3#~"
    html = MarkdownIt("commonmark").render(render_markdown((Paragraph((Run("a", href=address),)),)))
    assert html == '<p><a href="https://a.b/c_(d)_*e*?x=%5B1%5D&amp;amp=2&amp;copy;=3#~">a</a></p>\n'


def test_deep_nesting() -> None:
    part: Part = paragraph("core")
    for depth in range(20):
        part = Quote((part,)) if depth % 2 else Listing(False, ((paragraph(str(depth)), part),))
    html = MarkdownIt("commonmark", {"maxNesting": 100}).render(render_markdown((part,)))
    assert html.count("<ul>") == html.count("<blockquote>") == 10
    assert "core" in html


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("Let $a_1 + \\frac{b}{c}$ be _one_.", "Let $a_1 + \\frac{b}{c}$ be \\_one\\_."),
        ("From $5 to *$10* a day_", "From $5 to \\*$10\\* a day\\_"),
    ],
)
def test_formulas_are_not_escaped(text: str, markdown: str) -> None:
    assert render_markdown((Paragraph((Run(text),)),)) == markdown
