"""Selectors over the columns of the node table match what the parser's selector engine matches."""

from __future__ import annotations

import pytest

from broadsheet.page import Page, read_page
from broadsheet.style.css.matching import Matcher
from broadsheet.style.css.selectors import parse_selector, split_selectors

PAGE = """<!doctype html><html lang=en><body class="a b"><div id=main class="a" data-k="one two" data-e="">
<h1 class=T>t</h1><p class="b c">1 <a href=/x>l</a><b>2</b> <b>3</b></p><p lang=en-GB title="Long title">4<i class=a>5</i></p>
<ul><li class=x>1<li>2<li class="x y">3<li>4<li>5</ul><span></span><a>no link</a></div>
<div class="md:big w-1/2"><p><b class=b><i><b>deep</b></i></b></p></div><input type=TEXT disabled><input type=checkbox checked><svg><g/></svg>"""

SELECTORS = """
* ; p ; P ; .a ; #main ; .a.b ; p.b.c ; div#main.a ; .missing ; .T ; .t ; .md\\:big ; .w-1\\/2
div p ; div > p ; body > p ; h1 + p ; h1 + ul ; h1 ~ ul ; li ~ li ; li.x ~ li ; p + p > i ; div b b ; div > p > b + b
body div p b ; .a .a ; .a .b .b ; html body .a i
[class] ; [href] ; a[href] ; [data-k=one] ; [data-k="one two"] ; [data-k~=two] ; [data-k^=one] ; [data-k$='two']
[data-k*="e t"] ; [lang|=en] ; [data-e=""] ; [data-e^=""] ; [type=text] ; [title="long title" i] ; [title="long title"]
li:first-child ; li:last-child ; b:first-of-type ; b:last-of-type ; li:nth-child(2n+1) ; li:nth-child(even) ; li:nth-child(3)
li:nth-child(-n+2) ; li:nth-last-child(2) ; p:nth-of-type(2) ; li:nth-child( 2n + 1 ) ; li:nth-child(n) ; b:nth-last-of-type(1)
li:not(.x) ; li:not(.x, :last-child) ; p:not([class]) ; :not(div) > b ; b:not(p b) ; :is(h1, li.x) ; :where(#main) b ; p:is(.b, .c)
a:link ; a:any-link ; :root ; input:disabled ; input:checked ; p:hover ; p:not(:hover) ; li:not(:nth-child(2)) > *
""".replace("\n", ";")


@pytest.fixture(scope="module")
def page() -> Page:
    return read_page(PAGE)


@pytest.mark.parametrize("text", [text.strip() for text in SELECTORS.split(";") if text.strip()])
def test_same_as_the_parser(page: Page, text: str) -> None:
    selector = parse_selector(text)
    assert selector is not None
    assert list(Matcher(page.nodes).find(selector)) == page.nodes.select(text)


@pytest.mark.parametrize(
    "text", ["", "p >", "> p", "p:foo", "p::before", "p:has(b)", ":nth-child(x)", "[a", "p)", "*p", "p{", ":not()"]
)
def test_unsupported_selectors_are_skipped(text: str) -> None:
    assert parse_selector(text) is None


@pytest.mark.parametrize(
    ("text", "specificity"),
    [("*", 0), ("p", 1), ("p > b", 2), (".a", 1000), ("p.a[b]:first-child", 3001), ("#i .a", 1_001_000),
     (":is(#i, p)", 1_000_000), (":not(.a) p", 1001), (":where(#i) p", 1), (":root", 1000)],
)  # fmt: skip
def test_specificity(text: str, specificity: int) -> None:
    selector = parse_selector(text)
    assert selector is not None
    assert selector.specificity == specificity


def test_quirks_mode_ignores_case() -> None:
    page = read_page("<p class=Lead id=Top>a")
    for text in (".lead", ".LEAD", "#TOP"):
        (selector,) = map(parse_selector, split_selectors(text))
        assert selector is not None
        assert len(Matcher(page.nodes).find(selector)) == 1


def test_selector_of_another_browser_makes_the_list_invalid() -> None:
    assert split_selectors("p, p::-moz-selection") == []
    assert split_selectors("p, :is(a, b)") == ["p", " :is(a, b)"]
