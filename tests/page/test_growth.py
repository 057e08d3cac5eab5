from __future__ import annotations

import pytest

from broadsheet.page.growth import count_safe_tags

LEFT_OPEN = "<p>" + "".join(f"<B id={number}>" for number in range(1000)) + "</p>"


@pytest.mark.parametrize(
    ("html", "is_cut"),
    [
        ("<p>x</p>" * 100, False),
        ("<p>x</p>" * 50_000, False),
        ("<b>x</b><i class=c>y</i><p>z</p>" * 30_000, False),
        ("<p>" + "<b>" * 30 + "</p>" + "<p>x</p>" * 50_000, False),  # thirty left open: sloppy, not hostile
        ("<a name=x>x<p>y</p>" * 30_000, False),  # each closes the one before
        ("<br><body>" * 30_000, False),
        (LEFT_OPEN + "<p>x</p>" * 50_000, True),
        ("</font>" * 30_000 + "".join(f"<p><font a{number}=1>x" for number in range(30_000)), True),
    ],
)
def test_limit(html: str, is_cut: bool) -> None:
    tags = html.count("<")
    assert (count_safe_tags(html, tags) < tags) is is_cut
