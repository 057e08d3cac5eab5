from __future__ import annotations

import pytest

from broadsheet.page.growth import count_safe_tags

UNCLOSED_TAGS = "<p>" + "".join(f"<B id={number}>" for number in range(1000)) + "</p>"


@pytest.mark.parametrize(
    ("html", "is_cut"),
    [
        ("<p>x</p>" * 100, False),
        ("<p>x</p>" * 50_000, False),
        ("<b>x</b><i class=c>y</i><p>z</p>" * 30_000, False),
        ("<p>" + "<b>" * 30 + "</p>" + "<p>x</p>" * 50_000, False),  # thirty unclosed tags are allowed
        ("<a name=x>x<p>y</p>" * 30_000, False),  # each <a> closes the one before
        ("<br><body>" * 30_000, False),
        (UNCLOSED_TAGS + "<p>x</p>" * 50_000, True),
        ("</font>" * 30_000 + "".join(f"<p><font a{number}=1>x" for number in range(30_000)), True),
    ],
)
def test_pages_that_grow_too_large_are_cut(html: str, is_cut: bool) -> None:
    tags = html.count("<")
    assert (count_safe_tags(html, tags) < tags) is is_cut
