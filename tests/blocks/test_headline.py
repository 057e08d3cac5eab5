from __future__ import annotations

import pytest

from broadsheet.blocks import segment
from broadsheet.page import read_page

SITE_AND_HEADLINE = "<title>A bridge is closed - The Valley News</title>"


@pytest.mark.parametrize(
    ("html", "headline"),
    [
        ("<title>Bridge closed</title><h1>Valley News</h1><h2>Bridge closed</h2>", "Bridge closed"),
        (SITE_AND_HEADLINE + "<h1>The Valley News</h1><h2>A bridge is closed</h2>", "A bridge is closed"),
        (SITE_AND_HEADLINE + "<h1>The Valley News</h1>", "The Valley News"),
        (
            "<title>Bridge closed for months</title><h1>Valley</h1><p>Bridge closed for months",
            "Bridge closed for months",
        ),
        ("<title>Valley</title><p>Ferry</p><h2>Bridge closed</h2>", "Bridge closed"),  # the first heading
    ],
)
def test_headline(html: str, headline: str) -> None:
    blocks = segment(read_page(html))
    assert blocks.text[blocks.headline] == headline


def test_page_without_headings_has_no_headline() -> None:
    assert segment(read_page("<p>Ferry")).headline == -1
