from __future__ import annotations

import pytest

from broadsheet.page.tree import limit_growth

MAX_TAGS = 250_000
UNCLOSED_TAGS = "<p>" + "".join(f"<B id={number}>" for number in range(1000)) + "</p>"
PARAGRAPHS = "<p>x</p>" * 9000
ATTRIBUTES = " ".join(f"a{number}" for number in range(3000))
ALL_FORMATTING = "<b><i><u><s><em><tt><big><code><font><small><strong><strike><nobr>"


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<p>x</p>" * 50_000,
        "<b>x</b><i class=c>y</i><p>z</p>" * 30_000,
        "".join(f"<i class=c{number}>x</i>" for number in range(50_000)),  # closed before anything else
        "<p>" + "<b>" * 30 + "</p>" + "<p>x</p>" * 50_000,  # the parser keeps three equal elements
        "<a name=x>x<p>y</p>" * 30_000,  # each <a> closes the one before
        "<br><body>" * 30_000,
        "<html lang=en><body class=a>" + PARAGRAPHS,
        f"<div {ATTRIBUTES}>" + PARAGRAPHS,  # never copied
        f"<p><b title='{ATTRIBUTES}'>x" + PARAGRAPHS,  # one attribute
        "<script>for (i = 0; i<a ; i++) x = '" + ATTRIBUTES + "'</script>" + "<p>x</p>" * 100,
    ],
)  # fmt: skip
def test_pages_that_stay_small_are_unchanged(html: str) -> None:
    bounded = limit_growth(html, MAX_TAGS)
    assert bounded.text is html
    assert not bounded.is_cut


@pytest.mark.parametrize(
    "html",
    [
        UNCLOSED_TAGS + "<p>x</p>" * 50_000,
        "</font>" * 30_000 + "".join(f"<p><font a{number}=1>x" for number in range(30_000)),
        "".join(f"<html a{number}=1>" for number in range(20_000)),
        "".join(f"<BODY/a{number}>" for number in range(20_000)),
        f"<html {ATTRIBUTES}>" + "".join(f"<html b{number}>" for number in range(3000)),
        f"<p><b {ATTRIBUTES}></p>" + PARAGRAPHS,
        f"<p><A\n{ATTRIBUTES}></p>" + PARAGRAPHS,
        ALL_FORMATTING * 3 + "<p>x" * 100_000,
        # hidden end tags, tags and quotes
        "<p>" + "".join(f"<b id={number}><!--</b>-->" for number in range(300)) + PARAGRAPHS,
        "<p>" + "".join(f"<b id={number} a='></b>'>" for number in range(300)) + PARAGRAPHS,
        "<p>" + "".join(f"<b id={number}><object></b></object>" for number in range(300)) + PARAGRAPHS,
        "<p><b " + " ".join(f'a{number} b{number}=">"' for number in range(3000)) + ">" + PARAGRAPHS,
        "<p><b " + " ".join(f"a{number} <" for number in range(3000)) + ">" + PARAGRAPHS,
        f"<p><svg><style><b {ATTRIBUTES}></style></svg>" + PARAGRAPHS,
        f"<p title=\"><b {ATTRIBUTES}>" + PARAGRAPHS,
        # tags that contain tags
        "<a q " * 100_000,
        "<a q=' a=\"" * 100_000,
        ("<a q " * 300 + ">") * 300,
    ],
)  # fmt: skip
def test_tags_that_grow_too_large_are_renamed(html: str) -> None:
    bounded = limit_growth(html, MAX_TAGS)
    assert bounded.is_cut
    assert bounded.text.count("<") == html.count("<")
    assert not limit_growth(bounded.text, MAX_TAGS).is_cut


def test_pages_are_cut_after_the_last_tag_allowed() -> None:
    bounded = limit_growth("<p>x</p>" * 1000, 100)
    assert bounded.is_cut
    assert 90 < bounded.text.count("<") <= 100


@pytest.mark.parametrize("end", ["</b-x>", "</b1>", "</b:x>", "</b"])
def test_end_tags_of_other_elements_close_nothing(end: str) -> None:
    html = "<p>" + "".join(f"<b id={number}>{end}" for number in range(600)) + "<p>x" * 50_000
    assert limit_growth(html, 1_000_000).is_cut
