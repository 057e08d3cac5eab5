"""Scans of attributes give the same rows as the CSS selectors they replace."""

from __future__ import annotations

import pytest

from broadsheet.page import read_page

_PAGE = """<html lang=en><body class="Paywall-off"><div id=myPAYWALL title=x>One</div><p class>Two</p>
<a href>Three</a><a href=/x class="regWall a">Four</a><a name=y>Five</a><svg><a href=z>Six</a></svg>
<p class="pÄywall PAYWÄLL" data-x="paywall">Seven</p></body></html>"""


@pytest.mark.parametrize(
    ("names", "words", "css"),
    [
        (("class", "id"), ("paywall", "regwall"), "[class*=paywall i], [id*=paywall i], [class*=regwall i]"),
        (("class",), ("pÄywall",), '[class*="pÄywall" i]'),
        (("data-x", "title"), ("x", "wall"), "[data-x*=wall i], [title*=x i]"),
        (("no-such-name",), ("x",), "[no-such-name*=x]"),
    ],
)
def test_words_of_attributes(names: tuple[str, ...], words: tuple[str, ...], css: str) -> None:
    nodes = read_page(_PAGE).nodes
    assert nodes.attrs.rows_containing(names, words) == nodes.select(css)


def test_elements_with_an_attribute() -> None:
    nodes = read_page(_PAGE).nodes
    assert nodes.elements("a", "href") == nodes.select("a[href]")
    assert len(nodes.elements("a", "href")) == 3
