"""Pages as harmless HTML: nothing that runs or loads is written, and every block is marked."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.desk.hostile import HOSTILE, write_hostile

from broadsheet.blocks import Blocks, segment
from broadsheet.desk.page_view import CONTENT_POLICY, MARK, clean_css, render_page_view
from broadsheet.page import TEXT, Page, read_page

FORBIDDEN_TAGS = frozenset(
    "script iframe frame object embed base link svg math form template noscript video audio source input textarea "
    "select portal fencedframe applet marquee dialog picture".split()
)
FORBIDDEN_ATTRIBUTES = re.compile(
    "on.*|href|srcset|action|formaction|ping|poster|background|data|name|target|autofocus|srcdoc|popover.*|http-equiv|"
    "manifest|is|slot|xlink:href|tabindex(?<!tabindex)"
)


def view(html: str) -> tuple[Page, Blocks, str]:
    page = read_page(html)
    blocks = segment(page)
    return page, blocks, render_page_view(page, blocks)


def check_harmless(written: str) -> None:
    nodes = read_page(written).nodes
    for row, tag in enumerate(nodes.tag):
        if tag == TEXT:
            continue
        assert tag not in FORBIDDEN_TAGS, tag
        for name in nodes.attrs.names(row):
            is_policy = tag == "meta" and nodes.attr(row, "content") == CONTENT_POLICY
            assert is_policy or not FORBIDDEN_ATTRIBUTES.fullmatch(name), (tag, name)
            if name == "src":
                assert nodes.attr(row, "src").startswith("data:image/")


@pytest.mark.parametrize(("head", "body"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile_pages_lose_all_that_runs_or_loads(head: str, body: str) -> None:
    _, _, written = view(write_hostile(head, body))
    check_harmless(written)
    policy, _, rest = written.partition(CONTENT_POLICY)
    assert policy.endswith('<head><meta http-equiv="Content-Security-Policy" content="')  # nothing comes before it
    assert "The first paragraph" in rest


@given(st.text(alphabet="<>/=\"' &;!-abimgsrcpliyonx\n", max_size=300))
def test_any_text_is_written_harmlessly(body: str) -> None:
    check_harmless(view(write_hostile("", body))[2])


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>One.</p><p>Two.</p>", {0: "One.", 1: "Two."}),
        ("<div>Before<p>Inside.</p>After</div>", {0: "Before", 1: "Inside.", 2: "After"}),
        ("<p>One<br><br>Two <b>bold</b></p>", {0: "One", 1: "Two bold"}),
        ("<table><tr><td>A</td><td>B &lt;b&gt;</td></tr></table>", {0: "A", 1: "B <b>"}),
        ("<x-y>Custom</x-y><custom>Unknown</custom>", {0: "Custom Unknown"}),
        ("<p>Shown</p><p hidden>Hidden</p>", {0: "Shown", 1: "Hidden"}),
        ("<template shadowrootmode=open><p>Shadow</p></template>", {0: "Shadow"}),
        ("<pre>a\n  b</pre>", {0: "a b"}),
    ],
)
def test_each_block_is_marked(html: str, expected: dict[int, str]) -> None:
    _, blocks, written = view(f"<body>{html}</body>")
    assert [" ".join(text.split()) for text in blocks.text] == [
        text.replace("Custom Unknown", "CustomUnknown") for text in expected.values()
    ]
    nodes = read_page(written).nodes
    found: dict[int, str] = {}
    for row in nodes.select(f"[{MARK}]"):
        number = int(nodes.attr(row, MARK))
        found[number] = " ".join(filter(None, (found.get(number, ""), nodes.text_of(row))))
    assert found == expected


def test_marks_of_the_page_itself_are_dropped() -> None:
    written = view('<p data-block="7" data-role="title">Text</p>')[2]
    assert 'data-block="7"' not in written
    assert "data-role" not in written


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("p { color: red }", "p { color: red }"),
        ("p { background: url(https://a.example/x) }", "p { background: none(https://a.example/x) }"),
        ("p { background: URL( 'data:image/png;base64,AA' ) }", "p { background: url( 'data:image/png;base64,AA' ) }"),
        ("@import 'a.css';", "none( 'a.css';"),
        (r"p { background: u\72l(x) } @\69 mport 'b'", "p { background: none(x) } none( 'b'"),
        (
            r".\31 0 { content: '\4e2d' } .md\:flex { margin: 0 }",
            r".\31 0 { content: '\4e2d' } .md\:flex { margin: 0 }",
        ),
        ("</style><script>", "<\\/style><script>"),
        ("@media (width < 600px) { p { margin: 0 } }", "@media (width < 600px) { p { margin: 0 } }"),
    ],
)
def test_clean_css(css: str, expected: str) -> None:
    assert clean_css(css) == expected


def test_quirky_pages_stay_quirky() -> None:
    assert not view("<p>Text")[2].startswith("<!DOCTYPE")
    assert view("<!DOCTYPE html><p>Text")[2].startswith("<!DOCTYPE html>")
