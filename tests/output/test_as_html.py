from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.article import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.output.as_html import render_html

TAGS = frozenset("p h1 h2 h3 h4 h5 h6 ul ol li blockquote table tr th td pre code a strong em br".split())


def paragraph(text: str) -> Paragraph:
    return Paragraph((Run(text),))


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ((), ""),
        ((paragraph(" "), Heading(2, ()), Quote(()), Listing(True, ((),)), Table(((),)), Code("")), ""),
        ((Heading(2, (Run("A"),)), paragraph("b\nc")), "<h2>A</h2>\n<p>b<br>c</p>"),
        ((Heading(0, (Run("A"),)), Heading(7, (Run("B"),))), "<h1>A</h1>\n<h6>B</h6>"),
        ((paragraph("<b>&amp;\"'"),), "<p>&lt;b&gt;&amp;amp;&quot;&#x27;</p>"),
        ((Quote((paragraph("a"),)),), "<blockquote>\n<p>a</p>\n</blockquote>"),
        ((Code("a <\n"),), "<pre><code>a &lt;\n</code></pre>"),
        ((Listing(False, ((paragraph("a"),), ())),), "<ul>\n<li>a</li>\n</ul>"),
        ((Listing(True, ((paragraph("a"), paragraph("b")),)),), "<ol>\n<li><p>a</p>\n<p>b</p></li>\n</ol>"),
        (
            (Listing(True, ((paragraph("a"), Listing(False, ((paragraph("b"),),))),)),),
            "<ol>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n</ol>",
        ),
        (
            (Table(((Cell((Run("a"),), True), Cell(())), (Cell((Run("b"),)),))),),
            "<table>\n<tr><th>a</th><td></td></tr>\n<tr><td>b</td></tr>\n</table>",
        ),
        (
            (Paragraph((Run("a ", is_bold=True), Run("b", is_bold=True, is_italic=True), Run("c", is_code=True))),),
            "<p><strong>a <em>b</em></strong><code>c</code></p>",
        ),
        (
            (Paragraph((Run("a", href="https://a.b/?c=1&d='"), Run("e", is_bold=True, href="https://a.b/?c=1&d='"))),),
            '<p><a href="https://a.b/?c=1&amp;d=&#x27;">a<strong>e</strong></a></p>',
        ),
    ],
)
def test_render_html(body: tuple[Part, ...], html: str) -> None:
    assert render_html(body) == html


class _Inspector(HTMLParser):
    """Fails on any tag, attribute or address that is not allowed."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        if tag != "a":
            assert attrs == []
            return
        ((name, value),) = attrs
        assert name == "href"
        assert value is not None
        assert value.lower().startswith(("http://", "https://", "mailto:"))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)


UNSAFE = st.sampled_from(
    [
        *('"><script>alert(1)</script>', "<img src=x onerror=alert(1)>", "<!--", "]]>", "<?x", "' onclick='x", "</p>"),
        *(
            "javascript:alert(1)",
            "JAVASCRIPT:x",
            "java\tscript:x",
            "\x01javascript:x",
            "data:text/html,x",
            "vbscript:x",
        ),
        *("https://a.b/", "http://a.b/ onclick=x", 'http://a.b/"onclick="x', "&quot;", "&#106;avascript:x", "mailto:x"),
    ]
)
TEXTS = st.lists(UNSAFE | st.text(max_size=3), max_size=3).map("".join)
RUNS = st.lists(st.builds(Run, TEXTS, st.booleans(), st.booleans(), st.booleans(), st.none() | TEXTS), max_size=4).map(
    tuple
)


@given(RUNS, TEXTS)
def test_html_is_safe(runs: tuple[Run, ...], text: str) -> None:
    table = Table(((Cell(runs, True), Cell(runs)),))
    body = (Paragraph(runs), Heading(1, runs), Code(text), Quote((Paragraph(runs),)), table)
    inspector = _Inspector()
    inspector.feed(render_html((*body, Listing(True, (body,)))))
    inspector.close()


def test_the_inspector_rejects_unsafe_html() -> None:
    for html in ("<script>", "<p onclick=x>", '<a href="javascript:x">', "<!-- x -->"):
        with pytest.raises(AssertionError):
            _Inspector().feed(html)
