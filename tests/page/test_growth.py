from __future__ import annotations

import pytest

from broadsheet.page.growth import limit_growth


@pytest.mark.parametrize(
    ("html", "most"),
    [
        ("<p>x</p>" * 100, 200),
        ("<p>x</p>" * 50_000, 100_000),
        ("<b>x</b><i class=c>y</i>" * 30_000, 120_000),
        ("<p>" + "<b>" * 100 + "</p>" + "<p>x</p>" * 50_000, 50_000),
        ("<p>" + "<B id=x>" * 1000 + "</p>" + "<p>x</p>" * 50_000, 20_000),
        ("<br><body>" * 30_000, 60_000),
    ],
)
def test_limit(html: str, most: int) -> None:
    assert limit_growth(html, html.count("<")) == most
