"""All formats contain the same words. Figures add none, and the marks of plain text have no letters."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from broadsheet.article import (
    Article,
    Cell,
    Code,
    Definition,
    Definitions,
    Figure,
    Heading,
    Listing,
    Paragraph,
    Part,
    Quote,
    Run,
    Table,
    text_of_runs,
)
from broadsheet.output.as_html import render_html
from broadsheet.output.as_markdown import render_markdown
from broadsheet.output.as_tei import to_tei
from broadsheet.output.as_text import render_text

FIGURE_SIGNS = ("▶", "↗")  # the links to videos and posts in Markdown
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
TEI = "{http://www.tei-c.org/ns/1.0}"
INLINE_HTML = frozenset("a strong em code s del sup sub".split())
INLINE_TEI = frozenset(f"{TEI}{name}" for name in "ref hi code del".split())


def words_of_body(parts: tuple[Part, ...]) -> list[str]:
    words: list[str] = []
    for part in parts:
        match part:
            case Paragraph(runs=runs) | Heading(runs=runs):
                words += text_of_runs(runs).split()
            case Code(text=text):
                words += text.split()
            case Quote(parts=inner):
                words += words_of_body(inner)
            case Listing(items=items):
                words += [word for item in items for word in words_of_body(item)]
            case Definitions(items=definitions):
                for item in definitions:
                    words += text_of_runs(item.term).split()
                    words += [word for details in item.details for word in words_of_body(details)]
            case Table(rows=rows, caption=caption):
                words += text_of_runs(caption).split() if any(rows) else []
                words += [word for row in rows for cell in row for word in text_of_runs(cell.runs).split()]
    return words


class _HtmlWords(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.is_in_figure = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_in_figure = self.is_in_figure or tag == "figure"
        self.text += "" if tag in INLINE_HTML else " "

    def handle_endtag(self, tag: str) -> None:
        self.is_in_figure = self.is_in_figure and tag != "figure"
        self.text += "" if tag in INLINE_HTML else " "

    def handle_data(self, data: str) -> None:
        self.text += "" if self.is_in_figure or data in FIGURE_SIGNS else data


def words_of_html(html: str) -> list[str]:
    reader = _HtmlWords()
    reader.feed(html)
    reader.close()
    return reader.text.split()


def words_of_tei(tei: str) -> list[str]:
    body = ET.fromstring(tei).find(f".//{TEI}div[@type='article']")
    assert body is not None
    return "".join(_texts_of_tei(body)).split()


def _texts_of_tei(element: ET.Element) -> list[str]:
    if element.tag == f"{TEI}figure":
        return [" "]
    border = "" if element.tag in INLINE_TEI else " "
    texts = [border, element.text or ""]
    for child in element:
        texts += [*_texts_of_tei(child), child.tail or ""]
    return [*texts, border]


def read_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def drop_numbers(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Make all lists unordered: the numbers of lists are letters of plain text only."""
    return tuple(_drop_numbers(part) for part in parts)


def _drop_numbers(part: Part) -> Part:
    match part:
        case Quote(parts=parts):
            return Quote(drop_numbers(parts))
        case Listing(items=items):
            return Listing(False, tuple(map(drop_numbers, items)))
        case Definitions(items=definitions):
            return Definitions(
                tuple(Definition(item.term, tuple(map(drop_numbers, item.details))) for item in definitions)
            )
        case _:
            return part


def check_agreement(body: tuple[Part, ...]) -> None:
    words = words_of_body(body)
    assert read_letters(render_text(drop_numbers(body))) == read_letters("".join(words))
    assert words_of_html(render_html(body)) == words
    assert words_of_tei(to_tei(Article(body=body))) == words
    markdown = render_markdown(body)
    assert words_of_html(MARKDOWN.render(markdown)) == words, markdown


def paragraph(text: str) -> Paragraph:
    return Paragraph((Run(text),))


RICH: tuple[Part, ...] = (
    paragraph("The council met on Monday.\nIt rained."),
    Heading(2, (Run("What was "), Run("decided", is_italic=True), Run(" #"))),
    Paragraph((Run("By "), Run("Ann Li", is_bold=True, href="https://example.org/a_(b)"), Run(", at "), Run("home"))),
    Listing(
        True,
        (
            (paragraph("first"), Listing(False, ((paragraph("inner"),), (paragraph("other"),)))),
            (paragraph("second"), paragraph("more")),
        ),
    ),
    Listing(
        True, ((Code("x = 1\n\ny"),), (Quote((paragraph("quoted"),)),), (Listing(False, ((paragraph("deep"),),)),))
    ),
    Quote((paragraph("one"), Quote((paragraph("two"),)), Heading(3, (Run("three"),)))),
    Table(((Cell((Run("Year"),), True), Cell((Run("a|b"),), True)), (Cell((Run("1\n2"),)),))),
    Code("if a < b:\n    print(`a`, '```')\n"),
)

MARKUP_LIKE = [
    *("# no heading", "- no item", "+ no item", "* no item", "1. no item", "1) no item", "> no quote", "1986.", "-"),
    *("---", "***", "___", "===", "```", "~~~", "    no code", "| a | b |", ":-:", "+", "#", "######", "####### x"),
    *("*a* **b** _c_ __d__ snake_case_word ~~e~~ ~5 ~6~", "`code` ``x", "[a](http://b) ![c](d) [e][f] [g]: h [x]"),
    *("<b>bold</b> <script>x</script> <!-- c --> <http://a.b> a<b a < b", "&amp; &lt; &#35; &copy AT&T &x; &#x41;"),
    *(
        "back\\slash \\* \\",
        "a\\|b",
        "Wow!",
        "{x} ${y}$ ]]> <![CDATA[",
        "a\n# b",
        "a\n- b",
        "a\n1. b",
        "a\n===",
        "a\n---",
    ),
    *(
        "a\n> b",
        "a\n\nb",
        "a | b\n--- | ---\nc | d",
        "a\n:-:\nb",
        "a\n:-:",
        "a\n    b",
        "a\n```\nb",
        "a\n<div>\nb",
        "ﬁ 日本語「」 ٣. x",
    ),
]


@pytest.mark.parametrize("text", MARKUP_LIKE)
def test_text_that_resembles_markup(text: str) -> None:
    runs = (Run(text),)
    check_agreement((Paragraph(runs),))
    check_agreement((Heading(2, runs), Quote((Paragraph(runs),)), Code(text), Paragraph(runs)))
    check_agreement((Listing(True, ((Paragraph(runs),), (Heading(1, runs), Paragraph(runs)))),))
    check_agreement((Table(((Cell(runs), Cell((Run(text, is_code=True),))), (Cell((Run(text, is_bold=True),)),))),))


def test_rich_body() -> None:
    check_agreement(RICH)


FORMATTINGS = ["plain", "bold", "italic", "both", "code", "link", "bold link"]


def run(text: str, name: str) -> Run:
    return Run(
        text,
        is_bold="bold" in name or name == "both",
        is_italic=name in ("italic", "both"),
        is_code=name == "code",
        href="https://example.org/" if "link" in name else None,
    )


@pytest.mark.parametrize("left", FORMATTINGS)
@pytest.mark.parametrize("middle", FORMATTINGS)
@pytest.mark.parametrize("right", FORMATTINGS)
def test_adjacent_formatting(left: str, middle: str, right: str) -> None:
    for texts in (
        ("a", "b", "c"),
        ("a ", " b ", " c"),
        ("a.", "(b)", "c"),
        ("a", "*b*", "!"),
        ("!", "€", "「c"),
        ("`", "``", "_"),
    ):
        body = (Paragraph(tuple(run(text, name) for text, name in zip(texts, (left, middle, right), strict=True))),)
        check_agreement(body)


@pytest.mark.parametrize("changes", [{"is_deleted": True}, {"script": "sup"}, {"script": "note"}])
@pytest.mark.parametrize("emphasis", [{"is_bold": True}, {"is_italic": True}, {"is_bold": True, "is_italic": True}])
@pytest.mark.parametrize(("left", "right"), [("a ", "b"), ("a", " b"), ("a.", "b"), ("a", "(b")])
def test_emphasis_across_deleted_text_and_scripts(
    changes: dict[str, Any], emphasis: dict[str, Any], left: str, right: str
) -> None:
    check_agreement((Paragraph((Run(left, **emphasis, **changes), Run(right, **emphasis))),))
    check_agreement((Paragraph((Run(left, **emphasis), Run(right, **emphasis, **changes))),))


def test_white_space_beside_punctuation_that_is_moved_out() -> None:
    bold, both = Run("a b", is_bold=True), Run(" “,—", is_bold=True, is_italic=True)
    check_agreement((Paragraph((bold, both, Run("c)"))),))
    check_agreement((Paragraph((Run("(c"), replace(both, text="—,” "), bold)),))


# Short pieces that form markup by chance far more often than random letters do.
MARKS = "a b 1 23 . ) ( - + * ** _ __ ` ``` # ## > < <b> </p> & &amp; ; ! [ ] ]( : | = ~ ~~ \\ \" ' “ ” € 日 😀 \u0301"
PIECES = st.sampled_from([*MARKS.split(), " ", " ", " ", "\n"])
# Not the signs of figures: the reader of HTML leaves them out.
ANY_CHAR = st.characters(exclude_categories=("Cc", "Cs", "Cn"), exclude_characters=FIGURE_SIGNS)
TEXTS = st.lists(PIECES | ANY_CHAR, max_size=8).map("".join)
RUNS = st.lists(
    st.builds(
        Run,
        text=TEXTS,
        is_bold=st.booleans(),
        is_italic=st.booleans(),
        is_code=st.sampled_from([False, False, True]),
        is_deleted=st.sampled_from([False, False, True]),
        script=st.sampled_from(["", "", "", "sup", "sub", "note"]),
        href=st.sampled_from(
            [None, None, "https://example.org/a_(b)*c*?d=1&amp;e=|", "mailto:a@b.c", "javascript:alert(1)"]
        ),
    ),
    max_size=4,
).map(tuple)
# White space in a run is collapsed; here it may be anything.
SPANS = st.sampled_from([1, 1, 1, 2, 3])
CELLS = st.builds(Cell, runs=RUNS, is_header=st.booleans(), columns=SPANS, rows=SPANS)
LEAVES: st.SearchStrategy[Part] = st.one_of(
    st.builds(Paragraph, runs=RUNS),
    st.builds(Paragraph, runs=RUNS),
    st.builds(Heading, level=st.integers(1, 6), runs=RUNS),
    st.builds(Code, text=TEXTS, language=st.sampled_from(["", "c++"])),
    st.builds(Table, rows=st.lists(st.lists(CELLS, max_size=3).map(tuple), max_size=3).map(tuple), caption=RUNS),
    st.builds(
        Figure,
        url=st.sampled_from(["https://example.org/a_(b).jpg", "javascript:alert(1)"]),
        kind=st.sampled_from(["image", "video", "post"]),
        title=TEXTS,
        caption=TEXTS,
        credit=TEXTS,
        preview_url=st.sampled_from(["", "https://example.org/c.jpg"]),
    ),
)


def _containers(inner: st.SearchStrategy[Part]) -> st.SearchStrategy[Part]:
    parts = st.lists(inner, max_size=3).map(tuple)
    items = st.lists(parts, max_size=3).map(tuple)
    lists = st.builds(Listing, is_ordered=st.booleans(), items=items, start=st.sampled_from([0, 1, 1, 7]))
    definitions = st.lists(st.builds(Definition, term=RUNS, details=items), max_size=2).map(tuple)
    return st.one_of(lists, lists, st.builds(Quote, parts=parts), st.builds(Definitions, items=definitions))


BODIES = st.lists(st.recursive(LEAVES, _containers, max_leaves=8), max_size=4).map(tuple)


@settings(max_examples=60, deadline=None)
@given(BODIES)
def test_any_body(body: tuple[Part, ...]) -> None:
    check_agreement(body)


@settings(max_examples=150, deadline=None)
@given(RUNS)
def test_markdown_has_bold_and_italic_only_if_a_run_has(runs: tuple[Run, ...]) -> None:
    """Emphasis may shrink (see emphasis.py) but never spreads; no other markup appears."""
    html = MARKDOWN.renderInline(render_markdown((Paragraph(runs),)))
    for tag, is_expected in (("strong", any(run.is_bold for run in runs)), ("em", any(run.is_italic for run in runs))):
        assert is_expected or f"<{tag}>" not in html
    assert not re.search(r"<(?!/?(strong|em|code|a|s|del|sup|sub)\b|br /)", html)
