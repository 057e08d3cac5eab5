from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.article import Article, Cell, Code, Comment, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.output.as_tei import to_tei
from broadsheet.output.tei_body import render_sections

TEI = "{http://www.tei-c.org/ns/1.0}"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

FULL = Article(
    url="https://example.org/a?b=1&c=2",
    title="Title & more",
    authors=("Ann Li", "Bo Eck"),
    date=datetime(2024, 5, 1, 9, 30, tzinfo=UTC),
    language="en",
    site_name="The Example",
    description="About it.",
    section="World",
    keywords=("a", "b"),
    body=(Paragraph((Run("Text"),)),),
    comments=(Comment("First!"),),
)


def find(article: Article, path: str) -> list[str | None]:
    steps = "/".join(TEI + step for step in path.split("/"))
    return [element.text for element in ET.fromstring(to_tei(article)).findall(f"./{steps}")]


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("teiHeader/fileDesc/titleStmt/title", ["Title & more"]),
        ("teiHeader/fileDesc/titleStmt/author", ["Ann Li", "Bo Eck"]),
        ("teiHeader/fileDesc/publicationStmt/publisher", ["The Example"]),
        ("teiHeader/fileDesc/publicationStmt/date[@when='2024-05-01T09:30:00+00:00']", ["2024-05-01T09:30:00+00:00"]),
        ("teiHeader/fileDesc/sourceDesc/bibl/title", ["Title & more"]),
        ("teiHeader/fileDesc/sourceDesc/bibl/ref[@target]", ["https://example.org/a?b=1&c=2"]),
        ("teiHeader/profileDesc/abstract/p", ["About it."]),
        ("teiHeader/profileDesc/langUsage/language[@ident='en']", ["en"]),
        ("teiHeader/profileDesc/textClass/keywords/term", ["World", "a", "b"]),
        ("text/body/div[@type='article']/p", ["Text"]),
        ("text/body/div[@type='comments']/p", ["First!"]),
    ],
)
def test_full_article(path: str, texts: list[str]) -> None:
    assert find(FULL, path) == texts


def test_required_elements_of_an_empty_article() -> None:
    article = Article()
    assert find(article, "teiHeader/fileDesc/titleStmt/title") == [None]
    assert find(article, "teiHeader/fileDesc/publicationStmt/publisher") == ["unknown"]
    assert find(article, "text/body/div/p") == [None]
    assert find(article, "text/body/div") == ["\n"]


@pytest.mark.parametrize(
    ("url", "publisher", "target"),
    [
        ("https://www.example.org:80/a b", "www.example.org", "https://www.example.org:80/a%20b"),
        ("https://[broken/a", "unknown", None),
        ("javascript:alert(1)", "unknown", None),
    ],
)
def test_address(url: str, publisher: str, target: str | None) -> None:
    article = Article(url=url)
    assert find(article, "teiHeader/fileDesc/publicationStmt/publisher") == [publisher]
    (reference,) = ET.fromstring(to_tei(article)).iter(f"{TEI}ref")
    assert (reference.get("target"), reference.text) == (target, url)


@pytest.mark.parametrize(("language", "kept"), [("en", "en"), ("zh-Hant", "zh-Hant"), ("English, of course", None)])
def test_language_must_be_a_code(language: str, kept: str | None) -> None:
    (text,) = ET.fromstring(to_tei(Article(language=language))).iter(f"{TEI}text")
    assert text.get(XML_LANG) == kept


def paragraph(text: str) -> Paragraph:
    return Paragraph((Run(text),))


def heading(level: int, text: str) -> Heading:
    return Heading(level, (Run(text),))


@pytest.mark.parametrize(
    ("body", "tei"),
    [
        ((paragraph(" "), heading(2, ""), Quote(()), Listing(True, ()), Table(()), Code("")), ""),
        ((paragraph("a\nb"),), "<p>a<lb/>b</p>"),
        ((paragraph("a"), heading(2, "b"), paragraph("c")), "<p>a</p><div><head>b</head><p>c</p></div>"),
        (
            (heading(2, "a"), heading(3, "b"), heading(4, "c"), heading(3, "d"), heading(2, "e")),
            (
                "<div><head>a</head><div><head>b</head><div><head>c</head></div></div><div><head>d</head></div></div>"
                "<div><head>e</head></div>"
            ),
        ),
        ((heading(4, "a"), heading(2, "b")), "<div><head>a</head></div><div><head>b</head></div>"),
        ((Quote((heading(2, "a"), paragraph("b"))),), '<quote><ab type="head">a</ab><p>b</p></quote>'),
        (
            (Listing(True, ((paragraph("a"), Listing(False, ((paragraph("b"),),))), (paragraph("c"),))),),
            (
                '<list rend="numbered"><item><p>a</p><list rend="bulleted"><item>b</item></list></item>'
                "<item>c</item></list>"
            ),
        ),
        (
            (Table(((Cell((Run("a"),), True), Cell(())),)),),
            '<table><row><cell role="label">a</cell><cell></cell></row></table>',
        ),
        ((Code("a <\n b"),), '<p><code xml:space="preserve">a &lt;\n b</code></p>'),
        (
            (
                Paragraph(
                    (
                        Run("a", is_bold=True),
                        Run("b", is_italic=True),
                        Run("c\nd", is_code=True),
                        Run("e", href='https://a.b/?c&d="'),
                        Run("f", href="javascript:x"),
                    )
                ),
            ),
            (
                '<p><hi rend="bold">a</hi><hi rend="italic">b</hi><code>c\nd</code>'
                '<ref target="https://a.b/?c&amp;d=%22">e</ref>f</p>'
            ),
        ),
    ],
)
def test_body(body: tuple[Part, ...], tei: str) -> None:
    written = render_sections(body)
    # Line ends between elements are only for readability; those in code are content.
    assert written.replace(">\n<", "><") == tei


ANY_TEXT = st.text(st.characters(codec=None), max_size=12)


@given(ANY_TEXT, st.sampled_from(["", "https://a.b/"]))
def test_any_text_is_well_formed(text: str, scheme: str) -> None:
    runs = (Run(text), Run(text, is_bold=True, href=scheme + text), Run(text, is_code=True))
    body = (heading(2, text), Paragraph(runs), Code(text), Listing(False, ((Paragraph(runs), heading(3, text)),)))
    article = Article(
        url=scheme + text,
        title=text,
        authors=(text,),
        language=text,
        site_name=text,
        description=text,
        section=text,
        keywords=(text,),
        body=(*body, Quote(body), Table(((Cell(runs, True),),))),
        comments=(Comment(text),),
    )
    assert ET.fromstring(to_tei(article).encode("utf-8")).tag == f"{TEI}TEI"


def test_control_characters_are_removed() -> None:
    assert find(Article(title="a\x00\x0bb\x1b\ufffe", body=(paragraph("c\x08 \x1fd"),)), "text/body/div/p") == ["c d"]
    assert find(Article(title="a\x00\x0bb\x1b\ufffe"), "teiHeader/fileDesc/titleStmt/title") == ["a b"]
