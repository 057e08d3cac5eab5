"""Computed styles: rows of style sheet, page, property and value. test_in_browser.py checks them in Chromium."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broadsheet.page import TEXT, Page, read_page
from broadsheet.style import Styles, compute_styles

# CSS, body, name in read_style, value for the element with id "x"
CASES = [
    # user agent style sheet
    ("", "<p id=x>a", "size", 16.0),
    ("", "<h1 id=x>a", "size", 32.0),
    ("", "<h2 id=x>a", "size", 24.0),
    ("", "<h3 id=x>a", "size", 18.72),
    ("", "<h4 id=x>a", "size", 16.0),
    ("", "<h5 id=x>a", "size", 13.28),
    ("", "<h6 id=x>a", "size", 10.72),
    ("", "<section><h1 id=x>a", "size", 32.0),
    ("", "<h6 id=x>a", "bold", True),
    ("", "<b id=x>a", "weight", 700),
    ("", "<b><b id=x>a", "weight", 900),
    ("", "<strong id=x>a", "bold", True),
    ("", "<table><tr><th id=x>a", "bold", True),
    ("", "<em id=x>a", "bold", False),
    ("", "<small id=x>a", "size", 13.3333),
    ("", "<big id=x>a", "size", 19.2),
    ("", "<small><small id=x>a", "size", 11.1111),
    ("", "<sup id=x>a", "size", 13.3333),
    ("", "<code id=x>a", "size", 13.0),
    ("", "<pre id=x>a", "size", 13.0),
    ("", "<pre><h1 id=x>a", "size", 26.0),
    ("", "<pre id=x>a", "family", "monospace"),
    ("", "<button id=x>a", "size", 13.3333),
    ("", "<textarea id=x>a</textarea>", "size", 13.3333),
    ("", "<a href=/ id=x>a", "color", 0x0000EE),
    ("", "<a id=x>a", "color", 0),
    ("", "<mark id=x>a", "background", 0xFFFF00),
    ("", "<p id=x>a", "family", "serif"),
    ("", "<span id=x>a", "display", "inline"),
    ("", "<div id=x>a", "display", "block"),
    ("", "<ul><li id=x>a", "display", "list-item"),
    ("", "<table><tr><td id=x>a", "display", "table-cell"),
    ("", "<p hidden id=x>a", "shown", False),
    ("", "<dialog id=x>a</dialog>", "shown", False),
    ("", "<dialog open id=x>a</dialog>", "shown", True),
    ("", "<details><summary>s</summary><p id=x>a", "shown", False),
    ("", "<details open><summary>s</summary><p id=x>a", "shown", True),
    ("", "<details><summary id=x>s</summary><p>a", "shown", True),
    ("", "<noscript><p id=x>a</p></noscript>", "shown", True),  # scripts are off in the browser too
    ("", "<select><option id=x>a</select>", "shown", False),
    # presentational hints
    ("", "<font size=5 id=x>a", "size", 24.0),
    ("", "<font size=+1 id=x>a", "size", 18.0),
    ("", "<font size=-9 id=x>a", "size", 10.0),
    ("", "<font color=red id=x>a", "color", 0xFF0000),
    ("", "<font color=#0f0 id=x>a", "color", 0x00FF00),
    ("", "<font face=Arial id=x>a", "family", "sans-serif"),
    ("", "<table bgcolor=yellow><tr><td id=x>a", "background", 0xFFFF00),
    ("font{color:blue}", "<font color=red id=x>a", "color", 0x0000FF),
    # the cascade
    ("#x{color:red}.c{color:blue}", "<p id=x class=c>a", "color", 0xFF0000),
    (".c{color:red}p{color:blue}", "<p id=x class=c>a", "color", 0xFF0000),
    ("p{color:red}p{color:blue}", "<p id=x>a", "color", 0x0000FF),
    ("p{color:red!important}#x{color:blue}", "<p id=x>a", "color", 0xFF0000),
    ("p{color:red ! important}", "<p id=x style='color:blue'>a", "color", 0xFF0000),
    ("p{color:red!important}", "<p id=x style='color:blue!important'>a", "color", 0x0000FF),
    ("p{color:red}", "<p id=x style='color:blue'>a", "color", 0x0000FF),
    ("div p{color:red}p{color:blue}", "<div><p id=x>a", "color", 0xFF0000),
    ("div > p{color:red}", "<div><section><p id=x>a", "color", 0),
    ("h2 + p{color:red}", "<h2>h</h2><p id=x>a", "color", 0xFF0000),
    ("h2 ~ p{color:red}", "<h2>h</h2><div></div><p id=x>a", "color", 0xFF0000),
    ("p:not(.c){color:red}", "<p id=x>a", "color", 0xFF0000),
    ("p:first-child{color:red}", "<div><p id=x>a", "color", 0xFF0000),
    (":is(#y, p){color:red}.c{color:blue}", "<p id=x class=c>a", "color", 0xFF0000),
    (":where(#x){color:red}p{color:blue}", "<p id=x>a", "color", 0x0000FF),
    ("[data-k=v]{color:red}", "<p id=x data-k=v>a", "color", 0xFF0000),
    ("p:hover{color:red}", "<p id=x>a", "color", 0),
    ("p::before{color:red}", "<p id=x>a", "color", 0),
    ("a:link{color:red}a:visited{color:blue}", "<a href=/y id=x>a", "color", 0xFF0000),
    ("p, p:foo(bar){color:red}", "<b id=x>a", "color", 0),
    (".md\\:big{font-size:30px}", "<p id=x class='md:big'>a", "size", 30.0),
    (".content-\\[\\'\\'\\]{color:red}p{color:blue}", "<p id=x>a", "color", 0x0000FF),
    ("P.c{color:red}", "<p id=x class=c>a", "color", 0xFF0000),
    ("p{color:red}p{color:inherit}", "<div style='color:blue'><p id=x>a", "color", 0x0000FF),
    ("p{color:initial}", "<div style='color:blue'><p id=x>a", "color", 0),
    ("b{all:unset}", "<b id=x>a", "bold", False),
    # conditions, layers (whose order is ignored) and nested rules (which are skipped)
    ("@layer a{p{color:red}}", "<p id=x>a", "color", 0xFF0000),
    ("div{b{color:blue}}p{color:red}", "<p id=x>a", "color", 0xFF0000),
    ("@media print{p{color:red}}", "<p id=x>a", "color", 0),
    ("@media screen and (min-width:1000px){p{color:red}}", "<p id=x>a", "color", 0xFF0000),
    ("@media (max-width:1000px){p{color:red}}", "<p id=x>a", "color", 0),
    ("@media (width >= 1000px){p{color:red}}", "<p id=x>a", "color", 0xFF0000),
    ("@media (400px <= width < 900px){p{color:red}}", "<p id=x>a", "color", 0),
    ("@media not all and (max-width:1000px){p{color:red}}", "<p id=x>a", "color", 0xFF0000),
    ("@media (prefers-color-scheme:dark){p{color:red}}", "<p id=x>a", "color", 0),
    ("@media (max-width:80em), print{p{color:red}}", "<p id=x>a", "color", 0xFF0000),
    ("@media screen{@media (min-width:1px){p{color:red}}}", "<p id=x>a", "color", 0xFF0000),
    ("@supports (display:grid){p{color:red}}", "<p id=x>a", "color", 0xFF0000),
    ("@supports not (display:grid){p{color:red}}", "<p id=x>a", "color", 0),
    ("@supports (-moz-appearance:none){p{color:red}}", "<p id=x>a", "color", 0),
    # sizes
    ("p{font-size:2em}", "<div style='font-size:20px'><p id=x>a", "size", 40.0),
    ("html{font-size:20px}p{font-size:2rem}", "<p id=x>a", "size", 40.0),
    ("html{font-size:62.5%}p{font-size:1.6rem}", "<p id=x>a", "size", 16.0),
    ("p{font-size:12pt}", "<p id=x>a", "size", 16.0),
    ("p{font-size:150%}", "<p id=x>a", "size", 24.0),
    ("p{font-size:2vw}", "<p id=x>a", "size", 25.6),
    ("p{font-size:x-large}", "<p id=x>a", "size", 24.0),
    ("p{font-size:smaller}", "<p id=x>a", "size", 13.3333),
    ("p{font-size:larger}", "<p id=x>a", "size", 19.2),
    ("p{font-size:calc(1rem + 1vw)}", "<p id=x>a", "size", 28.8),
    ("p{font-size:calc(2 * (4px + 1em))}", "<p id=x>a", "size", 40.0),
    ("p{font-size:clamp(1rem, 5vw, 2rem)}", "<p id=x>a", "size", 32.0),
    ("p{font-size:min(30px, 3vw)}", "<p id=x>a", "size", 30.0),
    ("p{font-size:max(1em, 20px)}", "<p id=x>a", "size", 20.0),
    ("p{font-size:0}", "<p id=x>a", "size", 0.0),
    ("p{font-size:20px;font-size:foo}", "<p id=x>a", "size", 20.0),
    ("p{font-size:20px;font-size:-3px}", "<p id=x>a", "size", 20.0),
    ("p{font-size:18}", "<p id=x>a", "size", 16.0),
    ("p{font-size:12px\\9}", "<p id=x>a", "size", 16.0),
    ("p{*font-size:30px;_font-size:30px}", "<p id=x>a", "size", 16.0),
    ("code{font-family:monospace,monospace;font-size:1em}", "<code id=x>a", "size", 16.0),
    # the shorthand `font`, weights, families
    ("p{font:bold 20px/1.5 Arial,sans-serif}", "<p id=x>a", "size", 20.0),
    ("p{font:bold 20px/1.5 Arial,sans-serif}", "<p id=x>a", "bold", True),
    ("p{font:italic small-caps 600 1.5em Georgia}", "<p id=x>a", "weight", 600),
    ("p{font-weight:700;font:20px Arial}", "<p id=x>a", "weight", 400),
    ("p{font-weight:700;font:20px}", "<p id=x>a", "weight", 700),
    ("p{font-weight:650}", "<p id=x>a", "bold", True),
    ("div{font-weight:300}p{font-weight:bolder}", "<div><p id=x>a", "weight", 400),
    ("div{font-weight:800}p{font-weight:lighter}", "<div><p id=x>a", "weight", 700),
    ("b{font-weight:normal}", "<b id=x>a", "bold", False),
    ("p{font-family:'Open Sans',serif}", "<p id=x>a", "family", "sans-serif"),
    ("p{font-family:Courier New}", "<p id=x>a", "family", "monospace"),
    # colours
    ("p{color:#abc}", "<p id=x>a", "color", 0xAABBCC),
    ("p{color:#aabbcc80}", "<p id=x>a", "color", 0xAABBCC),
    ("p{color:RGB(1,2,3)}", "<p id=x>a", "color", 0x010203),
    ("p{color:rgb(10% 20% 30% / 50%)}", "<p id=x>a", "color", 0x1A334D),
    ("p{color:hsl(120,100%,25%)}", "<p id=x>a", "color", 0x008000),
    ("p{color:hsl(0.5turn 50% 50%)}", "<p id=x>a", "color", 0x40BFBF),
    ("p{color:RebeccaPurple}", "<p id=x>a", "color", 0x663399),
    ("p{color:red;color:nonsense}", "<p id=x>a", "color", 0xFF0000),
    ("p{color:red;color:#12}", "<p id=x>a", "color", 0xFF0000),
    ("div{background:#eee}", "<div><p id=x>a", "background", 0xEEEEEE),
    ("div{background:url(a;b.png) no-repeat 0 0 #123456}", "<div><p id=x>a", "background", 0x123456),
    ("div{background:red}div{background:none}", "<div><p id=x>a", "background", 0xFFFFFF),
    ("div{background:red}p{background:transparent}", "<div><p id=x>a", "background", 0xFF0000),
    ("div{background:#000}p{background:rgba(255,255,255,.5)}", "<div><p id=x>a", "background", 0x808080),
    ("p{color:red;background:currentColor}", "<p id=x>a", "background", 0xFF0000),
    # custom properties
    (":root{--c:red}p{color:var(--c)}", "<p id=x>a", "color", 0xFF0000),
    (":root{--c:red}div{--c:blue}p{color:var(--c)}", "<div><p id=x>a", "color", 0x0000FF),
    ("p{color:var(--no, green)}", "<p id=x>a", "color", 0x008000),
    ("p{color:var(--no, var(--never, #010203))}", "<p id=x>a", "color", 0x010203),
    ("div{color:blue}p{color:red;color:var(--no)}", "<div><p id=x>a", "color", 0x0000FF),
    (":root{--a:var(--b);--b:7}p{font-size:calc(var(--a) * 3px)}", "<p id=x>a", "size", 21.0),
    (":root{--a:var(--b);--b:var(--a)}p{color:var(--a)}", "<p id=x>a", "color", 0),
    (":root{--f:bold 20px Arial}p{font:var(--f)}", "<p id=x>a", "bold", True),
    (":root{--r:1,2,3}p{color:rgba(var(--r),1)}", "<p id=x>a", "color", 0x010203),
    ("p{color:var(--c)}", "<p id=x style='--c:red'>a", "color", 0xFF0000),
    # elements that match the same rules have different parents
    ("div{--c:red}section{--c:blue}p{color:var(--c)}", "<div><p>a</div><section><p id=x>b", "color", 0x0000FF),
    ("p{color:var(--c)}", "<p style='--c:red'>a<p id=x style='--c:blue'>b", "color", 0x0000FF),
    (".a{font-size:1.5em}", "<div class=a><div class=a id=x>a", "size", 36.0),
    ("", "<div style='font-size:2em'><div id=x style='font-size:2em'>a", "size", 64.0),
    ("p{color:red}", "<details><summary>s</summary><p>a</p></details><p id=x>b", "shown", True),
    ("p{color:red}", "<p>b</p><details><summary>s</summary><p id=x>a</p></details>", "shown", False),
    # display and visibility
    ("p{display:none}", "<p id=x>a", "shown", False),
    ("div{display:none}p{display:block}", "<div><p id=x>a", "shown", False),
    ("p{visibility:hidden}", "<p id=x>a", "shown", False),
    ("div{visibility:hidden}p{visibility:visible}", "<div><p id=x>a", "shown", True),
    ("p{opacity:0}", "<p id=x>a", "shown", True),
    ("p{display:block!important}", "<p id=x hidden>a", "shown", True),
    ("p{display:flex;display:-ms-flexbox}", "<p id=x>a", "display", "flex"),
    ("p{display:none\\9}", "<p id=x>a", "display", "block"),
    ("div{display:flex}", "<div><span id=x>a", "display", "block"),
    # invalid style sheets
    ("<!-- p{color:red} -->", "<p id=x>a", "color", 0xFF0000),
    ("/* p{color:red} */p{color:blue}", "<p id=x>a", "color", 0x0000FF),
    ("p{color:red", "<p id=x>a", "color", 0xFF0000),
    ("} p{color:red}", "<p id=x>a", "color", 0),
    ("};p{color:red}p{color:blue}", "<p id=x>a", "color", 0x0000FF),
    ("p{color:red;;color}", "<p id=x>a", "color", 0xFF0000),
    ("b{content:'}';}p{color:red}", "<p id=x>a", "color", 0xFF0000),
    ('b{content:"a\\"}";}p{color:red}', "<p id=x>a", "color", 0xFF0000),
    ("p{color:red}/* never closed", "<p id=x>a", "color", 0xFF0000),
    ("@charset 'x';@import url(no.css);p{color:red}", "<p id=x>a", "color", 0xFF0000),
    ("<![CDATA[ p{color:red} ]]>", "<p id=x>a", "color", 0),
    ("@font-face{font-family:x;src:url(data:a;b)}p{color:red}", "<p id=x>a", "color", 0xFF0000),
    ("@keyframes k{from{color:red}to{color:blue}}", "<p id=x>a", "color", 0),
    ("p{background:url(x.png);color:red}", "<p id=x style='background:url(\"a;b\");'>a", "color", 0xFF0000),
]


def read_style(styles: Styles, row: int, name: str) -> object:
    read = {
        "size": styles.font_size,
        "weight": styles.weight,
        "bold": styles.is_bold,
        "color": styles.color,
        "background": styles.background,
        "family": styles.family,
        "display": styles.display,
        "shown": styles.is_shown,
    }
    value: object = read[name](row)
    return value


def make_page(css: str, body: str) -> Page:
    return read_page(f"<!doctype html><html><head><style>{css}</style></head><body>{body}")


# Declarations that a browser drops, and the document of `visual` repairs.
REPAIRED: list[tuple[str, str, str, object]] = [
    ("p{font:Arial 20px bold}", "<p id=x>a", "size", 20.0),
    ("p{font:Arial 20px bold}", "<p id=x>a", "bold", True),
]


@pytest.mark.parametrize(("css", "body", "name", "value"), CASES + REPAIRED)
def test_computed_style(css: str, body: str, name: str, value: object) -> None:
    page = make_page(css, body)
    (row,) = page.nodes.select("#x")
    style = read_style(compute_styles(page), row, name)
    assert style == (pytest.approx(value, abs=0.01) if isinstance(value, float) else value)


COLUMNS = """<style>nav{display:flex;background:#123456} .o{display:inline-flex} .i{display:inherit;background:rgba(255,0,0,.5)}
.h{visibility:hidden} .g{display:grid;font-size:2em}</style>
<nav><a>one</a><span class=o>two <b>three</b></span><i class=i>four</i></nav><p class=h>five</p><div class=g><em>six</em></div>
<details><summary>seven</summary><p>eight</p></details>"""


def test_columns_equal_the_results_of_the_methods() -> None:
    page = read_page(COLUMNS)
    styles, rows = compute_styles(page), range(len(page.nodes))
    columns = compute_styles(page).columns
    assert list(columns.font_size) == [styles.font_size(row) for row in rows]
    assert list(columns.background) == [styles.background(row) for row in rows]
    assert list(columns.is_shown) == [styles.is_shown(row) for row in rows]
    elements = [row for row in rows if page.nodes.tag[row] != TEXT]
    assert [columns.display[row] for row in elements] == [styles.display(row) for row in elements]


def test_text_node_has_style_of_parent() -> None:
    page = make_page("p{font:bold 20px Arial;color:red;display:none}", "<p id=x>a")
    styles, (row,) = compute_styles(page), page.nodes.select("#x")
    for name in ("size", "weight", "bold", "color", "background", "family", "display", "shown"):
        assert read_style(styles, row + 1, name) == read_style(styles, row, name)


QUIRKS = [
    ("<style>p{font-size:18}</style><p id=x>a", "size", 18.0),
    ("<style>p{color:abcdef}</style><p id=x>a", "color", 0xABCDEF),
    ("<style>.C{color:red}</style><p id=x class=c>a", "color", 0xFF0000),
    ("<style>body{font-size:30px;font-weight:700}</style><table><tr><td id=x>a", "size", 16.0),
    ("<style>body{font-size:30px;font-weight:700}</style><table><tr><td id=x>a", "bold", False),
    ("<body text=#123456><p id=x>a", "color", 0x123456),
    ("<body bgcolor=#123456><p id=x>a", "background", 0x123456),
    ("<body link=#123456><a href=/y id=x>a", "color", 0x123456),
]


@pytest.mark.parametrize(("html", "name", "value"), QUIRKS)
def test_quirks_mode(html: str, name: str, value: object) -> None:
    page = read_page(html)
    (row,) = page.nodes.select("#x")
    assert read_style(compute_styles(page), row, name) == value


LINKED = "<!doctype html><link rel=stylesheet href=a.css><style>p{font-weight:700}</style><p id=x>a"
SHEETS = [
    ({"https://h.example/d/a.css": "p{color:red}"}, 0xFF0000),
    ({"a.css": "p{color:red}"}, 0xFF0000),
    ({"https://h.example/a.css": "p{color:red}"}, 0),
    ({"https://h.example/d/a.css": "@import 'b.css';p{color:red}", "https://h.example/d/b.css": "#x{color:blue}"}, 0x0000FF),
    ({"https://h.example/d/a.css": "@import url(b.css) print;", "https://h.example/d/b.css": "#x{color:blue}"}, 0),
    ({"https://h.example/d/a.css": "@import url(a.css);p{color:red}"}, 0xFF0000),
    ({}, 0),
]  # fmt: skip


@pytest.mark.parametrize(("sheets", "color"), SHEETS)
def test_linked_style_sheets(sheets: dict[str, str], color: int) -> None:
    page = replace(read_page(LINKED, url="https://h.example/d/page.html"), sheets=sheets)
    styles, (row,) = compute_styles(page), page.nodes.select("#x")
    assert styles.color(row) == color
    assert styles.is_bold(row)


@pytest.mark.parametrize(
    "link",
    ["rel=alternate\\ stylesheet", "rel='alternate stylesheet'", "rel=stylesheet media=print", "rel=preload as=style", "rel=stylesheet disabled"],
)  # fmt: skip
def test_links_that_do_not_apply(link: str) -> None:
    page = replace(read_page(f"<link {link} href=a.css><p id=x>a"), sheets={"a.css": "p{color:red}"})
    assert compute_styles(page).color(page.nodes.select("#x")[0]) == 0


def test_links_and_style_elements_apply_in_document_order() -> None:
    html = "<style>p{color:red}</style><link rel=stylesheet href=a.css><style>p{font-size:9px}</style><p id=x>a"
    page = replace(read_page(html), sheets={"a.css": "p{color:blue;font-size:30px}"})
    styles, (row,) = compute_styles(page), page.nodes.select("#x")
    assert (styles.color(row), styles.font_size(row)) == (0x0000FF, 9.0)


def test_styles_are_computed_on_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    page = make_page("p{color:red}", "<p id=x>a")
    monkeypatch.setattr(
        "broadsheet.style.css.cascade.read_rules", lambda page: pytest.fail("the style sheets were read")
    )
    compute_styles(page)
