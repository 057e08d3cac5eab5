"""Invalid and hostile style sheets: nothing raises, and the work is bounded."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.style.css import hostile_pages

from broadsheet.page import TEXT, Limits, Page, read_page
from broadsheet.style import compute_styles, find_boxes
from broadsheet.style.css.bounds import MAX_CSS_CHARS, MAX_RULES
from broadsheet.style.css.sheets import read_rules

MAX_CPU_SECONDS = 8.0  # the slowest case takes one; other machines are slower
MAX_MEGABYTES = 500.0  # beyond the base
BODY = "<div class=a><p class=b id=c>text <b>bold</b></p></div>"
DEEP = "<div class=a>" * 400 + "<p class=b>x"
WIDE = "<ul>" + "<li class=a><a class=b href=#>x</a>" * 3000

SHEETS = {
    "100,000 rules": (BODY, "".join(f".a .b{number}{{color:red}}" for number in range(100_000))),
    "100,000 rules that match": (WIDE, ".a .b{color:red}" * 100_000),
    "rules for everything": (WIDE, "*{color:red}" * 5_000),
    "one long selector": (DEEP, "div " * 200_000 + "{color:red}"),
    "a list of 100,000": (BODY, ",".join([".b"] * 100_000) + "{color:red}"),
    "many ancestors": (DEEP, "".join(f".a {'div ' * 30}.z{n} .b{{color:red}}" for n in range(500))),
    "sibling combinators": (WIDE, "li ~ li ~ li ~ li ~ .b{color:red}" * 500),
    "deep :not": (WIDE, (":not(" * 300 + "p" + ")" * 300 + "{color:red}") * 100),
    "deep :is": (WIDE, (":is(" * 50 + "a" + ")" * 50 + "{color:red}") * 500),
    "many :has": (WIDE, "li:has(a):has(b):not(:has(i)){color:red}" * 1_000),
    ":has in :has": (DEEP, ":has(:has(:has(x))){color:red}" * 500),
    "nth-child": (WIDE, "".join(f"li:nth-child({n}n+1 of .a){{color:red}}" for n in range(1, 1000))),
    "open braces": (BODY, "{" * 500_000),
    "closed braces": (BODY, "}" * 500_000),
    "nested rules": (BODY, ".a{" * 100_000),
    "nested rules that multiply": (BODY, "&,&{" * 40 + "color:red" + "}" * 40),
    "nested media": (BODY, "@media screen{" * 100_000),
    "an unclosed string": (BODY, "p{content:'" + "x" * 1_000_000),
    "an unclosed comment": (BODY, "p{color:red}" + "/*" * 500_000),
    "quotes": (BODY, "'\"" * 500_000),
    "backslashes": (BODY, "\\" * 1_000_000 + "{color:red}"),
    "a long value": (BODY, "p{color:" + "red " * 500_000 + "}"),
    "a nested calculation": (BODY, "p{font-size:calc(" + "(" * 100_000 + "1px}"),
    "a long calculation": (BODY, "p{font-size:calc(1px" + " + 1px" * 100_000 + ")}"),
    "custom properties that grow": (BODY, ":root{--a0:x;" + "".join(f"--a{n}:{f'var(--a{n - 1})' * 10};" for n in range(1, 50)) + "}p{color:var(--a49)}"),
    "custom properties in a cycle": (BODY, ":root{" + "".join(f"--a{n}:var(--a{(n + 1) % 999});" for n in range(999)) + "}p{color:var(--a0)}"),
    "100,000 custom properties": (WIDE, "*{" + "".join(f"--a{n}:{n};" for n in range(100_000)) + "}a{color:var(--a5)}"),
    "nested fallbacks": (BODY, "p{color:" + "var(--x," * 5_000 + "red" + ")" * 5_000 + "}"),
    "a long media query": (BODY, "@media " + "(" * 50_000 + "{p{color:red}}"),
    "many layers": (BODY, "".join(f"@layer l{n}{{p{{color:red}}}}" for n in range(20_000))),
    "2 MB": (WIDE, ".a{color:red}.b:not(.c) > b{font:bold 1em x}" * 45_000),
    "a huge color": (BODY, "p{color:rgb(1e999,-1e999,9e99)}b{font-size:1e999px;width:1e999em;margin:-1e99px}"),
    "CDATA": (BODY, "<![CDATA[" * 50_000),
    "imports": (BODY, "@import 'x';" * 50_000 + "p{color:red}"),
}  # fmt: skip


def read_all_styles(page: Page) -> None:
    styles = compute_styles(page)
    for row in range(len(page.nodes)):
        assert 0 <= styles.font_size(row) <= 10_000
        assert 1 <= styles.weight(row) <= 1000
        assert 0 <= styles.color(row) <= 0xFFFFFF
        assert 0 <= styles.background(row) <= 0xFFFFFF
        assert styles.family(row) in ("serif", "sans-serif", "monospace", "cursive", "fantasy")
        assert styles.display(row)
        assert styles.is_shown(row) in (True, False)


@pytest.mark.parametrize("name", SHEETS)
def test_work_is_bounded(name: str) -> None:
    body, css = SHEETS[name]
    limits = Limits(max_seconds=math.inf)  # CPU time is checked below, which does not depend on other processes
    page = read_page(f"<!doctype html><style>{css}</style>{body}", limits=limits)
    began = time.thread_time()
    read_all_styles(page)
    assert time.thread_time() - began < MAX_CPU_SECONDS
    began = time.thread_time()
    boxes = find_boxes(page, compute_styles(page))
    assert time.thread_time() - began < MAX_CPU_SECONDS
    for column in (boxes.x, boxes.y, boxes.width, boxes.height):
        assert column.shape == (len(page.nodes),)
        assert abs(column).max() < 1e8


def measure(name: str, step: str) -> dict[str, float]:
    """Measure a page in a process of its own, so that the memory is that of the page."""
    command = [sys.executable, str(Path(hostile_pages.__file__)), name, step]
    result: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return result


@pytest.mark.long
@pytest.mark.parametrize("name", hostile_pages.PAGES)
def test_time_and_memory_of_styles(name: str) -> None:
    result = measure(name, "style")
    assert result["seconds"] < MAX_CPU_SECONDS
    assert result["megabytes"] < MAX_MEGABYTES


@pytest.mark.long
@pytest.mark.parametrize("method", ["visual", "gcn"])
@pytest.mark.parametrize("name", ["layer with 300,000 names", ":has", ":is in :is"])
def test_time_and_memory_of_methods(name: str, method: str) -> None:
    result = measure(name, method)
    assert result["seconds"] < MAX_CPU_SECONDS
    assert result["megabytes"] < MAX_MEGABYTES


@pytest.mark.parametrize("sheet", ["@import 'b.css';", "@import 'b.css'", "@import 'b.css';i{color:red}"])
def test_import_is_followed_once(sheet: str) -> None:
    html = "<link rel=stylesheet href=a.css>"
    sheets = {"http://h.example/a.css": sheet, "http://h.example/b.css": "b{color:red}"}
    rules = read_rules(replace(read_page(html, url="http://h.example/"), sheets=sheets))
    assert [selector for selector, _ in rules].count("b") == 1


def test_rules_and_characters_beyond_the_bounds_are_ignored() -> None:
    rules = read_rules(read_page("<style>" + "p{color:red}" * (MAX_RULES + 9) + "</style>"))
    assert len(rules) == MAX_RULES
    cut = "<style>" + "p{color:red}" + " " * MAX_CSS_CHARS + "b{color:red}</style>"
    assert len(read_rules(read_page(cut))) == 1


def test_styles_of_a_hostile_page_are_deterministic() -> None:
    body, css = SHEETS["100,000 rules that match"]
    html = f"<style>{css}</style>{body}"
    results = []
    for _ in range(2):
        page = read_page(html)
        styles = compute_styles(page)
        results.append([styles.color(row) for row in range(len(page.nodes))])
    assert results[0] == results[1]


_TOKENS = st.sampled_from(
    [*"{}()[];:,.#*>+~&!@\\/'\"% -_", "p", ".a", "#c", "color", "font", "font-size", "red", "12px", "1em", "calc(", "var(--x)", "--x",
     "@media", "@layer", "@import", "@supports", "screen", "and", "not", "(min-width:", ":not(", ":has(", ":is(", "::before", "/*", "*/", "<!--",
     "url(", "!important", "inherit", "display", "none", "bold", "\n", "é", "\0", "rgb(", "hsl(", "background", "visibility", "hidden", "width", "margin"]
)  # fmt: skip


@given(st.lists(_TOKENS, max_size=60).map("".join))
def test_any_style_sheet_is_accepted(css: str) -> None:
    page = read_page(f"<style>{css.replace('</', '')}</style>{BODY}")
    read_all_styles(page)
    find_boxes(page, compute_styles(page))


@given(st.lists(_TOKENS, max_size=30).map("".join))
def test_any_declaration_is_accepted(css: str) -> None:
    escaped = css.replace("&", "&amp;").replace('"', "&quot;")
    page = read_page(f'<div style="{escaped}"><p style="color:{escaped};font:{escaped};width:{escaped}">x</p></div>')
    read_all_styles(page)
    find_boxes(page, compute_styles(page))


@pytest.mark.parametrize("html", ["", " ", "\0", "<", "text", "<div>" * 10_000 + "deep", "<table>" * 200, "<frameset>", "<svg><style>p{color:red}", "<style>", "<style><style>", "<p style>x", "<p style='='>", "<font size color face>x", "<body bgcolor text link>x", "<td width=-5%>x<img width=1e999 height=nan>"])  # fmt: skip
def test_any_page_is_accepted(html: str) -> None:
    page = read_page(html)
    read_all_styles(page)
    boxes = find_boxes(page, compute_styles(page))
    assert len(boxes.x) == len(page.nodes)
    assert boxes.page_height >= 800
    assert all(tag == TEXT or tag for tag in page.nodes.tag)
