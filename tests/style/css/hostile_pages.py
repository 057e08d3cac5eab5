"""Pages that attack the computation of styles, and a program that measures one of them.

    python hostile_pages.py NAME STEP

STEP is "style" (styles and boxes of the parsed page) or a method (the whole extraction). Prints JSON: seconds of CPU
time and megabytes of memory.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable

import broadsheet
from broadsheet.page import read_page
from broadsheet.style import compute_styles, find_boxes


def style(css: str, body: str = "<p>x") -> str:
    return f"<style>{css}</style>{body}"


def number(template: str, count: int) -> str:
    """Repeat a template with N replaced by 1, 2, 3, ..."""
    return "".join(template.replace("N", str(index)) for index in range(1, count + 1))


DIV_TREE = "<b>x</b>" + ("<div>" * 400 + "</div>" * 400) * 10
PARAGRAPHS = "<p>x" * 50_000
LONG_VALUE = "x " * 2_500_000

PAGES: dict[str, Callable[[], str]] = {
    # cascade layers
    "layer with 16,000 names": lambda: style("@layer " + "a." * 16_000 + "b{p{color:red}}"),
    "layer with 300,000 names": lambda: style("@layer " + "a." * 300_000 + "b{p{color:red}}"),
    "layer statement": lambda: style("@layer " + "a." * 300_000 + "b;p{color:red}"),
    "nested layers": lambda: style(("@layer " + "a." * 1_000 + "b{") * 19 + "p{color:red}" + "}" * 19),
    "rules in a deep layer": lambda: style("@layer " + "a." * 900 + "b{" + "p{color:red}" * 50_000 + "}"),
    # selectors
    ":has": lambda: style("div:has(b){color:red}" * 10_000, "<div>" * 500 + "<p>x" * 5_000),
    ":HAS": lambda: style("div:HAS(b){color:red}" * 10_000, "<div>" * 500 + "<p>x" * 5_000),
    "escaped :has": lambda: style(number(":h\\61s(bN ~ *){color:red}", 10_000), PARAGRAPHS),
    ":has with siblings": lambda: style("*:has(~ * ~ *){color:red}", PARAGRAPHS),
    ":has in :not": lambda: style(number("p:not(:has(p:nth-child(Nn+9):empty)){color:red}", 10_000), PARAGRAPHS),
    ":is in :is": lambda: style(":is(:is(b > div div) div div > div) div{color:red}", DIV_TREE),
    ":is with siblings": lambda: style(number(":is(:is(b ~ p) ~ p) ~ p:not(.cN){color:red}", 10_000), PARAGRAPHS),
    "nth-child twice": lambda: style(number("p:nth-child(Nn):nth-last-child(3n){color:red}", 10_000), PARAGRAPHS),
    ":dir": lambda: style(number("p:dir(rtl):not(.cN){color:red}", 10_000), "<p dir=auto>" + "1 " * 2_500_000),
    "attribute selectors": lambda: style("p[a^=x][b$=y][c*=z]{color:red}" * 60_000, "<p a=xx b=yy c=zz>x" * 100_000),
    "absent attributes": lambda: style(number("[aN='x']{color:red}", 40_000), "<p a=b>x" * 100_000),
    "300 attributes": lambda: style(("[a]" * 300 + "{color:red}") * 2_000, "<p a=b>x" * 100_000),
    "a long attribute": lambda: style(number("p[a~='yN']{color:red}", 50_000), f"<p a='{LONG_VALUE}'>x"),
    "a long class": lambda: style(number("p.cN.dN{color:red}", 50_000), f"<p class='{number(' cN dN', 300_000)}'>x"),
    # conditions and values
    "media queries": lambda: style(number("@media " + "(" * 1_900 + "N{p{color:red}}", 1_000)),
    "negated media queries": lambda: style(number("@media " + "(not " * 380 + "N" + ")" * 10 + "{p{color:red}}", 800)),
    "color-mix": lambda: style(number("p{color:color-mix(" + "," * 1_900 + "N)}", 1_000)),
    "repeated declarations": lambda: style(
        "p{" + "color:red;" * 100_000 + "}", number("<p style='color:#N'>x", 50_000)
    ),
    "custom properties": lambda: style(
        "*{--a:var(--b) " + "x" * 1_000_000 + "}p{color:var(--a)}", number("<p style='--b:#N'>x", 50_000)
    ),
    # elements
    "style attributes": lambda: number("<p style='color:#N'>x", 150_000),
    "display: inherit": lambda: style("*{display:inherit;background:inherit}", ("<div>" * 400 + "</div>" * 400) * 250),
    "a million paragraphs": lambda: "<p>x" * 1_000_000,
}


def measure(name: str, step: str) -> dict[str, float]:
    broadsheet.extract("<p>x", method="visual" if step == "style" else step)  # imports modules and loads weights
    html = PAGES[name]()
    memory_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    page = read_page(html) if step == "style" else None
    start = time.process_time()
    if page is not None:
        find_boxes(page, compute_styles(page))
    else:
        broadsheet.extract(html, method=step)
    seconds = time.process_time() - start
    memory_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory_kb
    return {"seconds": seconds, "megabytes": memory_kb / 1024}


if __name__ == "__main__":
    print(json.dumps(measure(*sys.argv[1:])))
