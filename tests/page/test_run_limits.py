from __future__ import annotations

import pytest

from broadsheet.blocks import segment
from broadsheet.page import Limits, read_page


@pytest.mark.parametrize(
    ("html", "limits", "texts", "is_cut"),
    [
        ("<p>one</p><p>two</p>", Limits(max_blocks=2, max_chars=6), ["one", "two"], False),
        ("<p>one</p><p>two</p><p>six</p>", Limits(max_blocks=2), ["one", "two"], True),
        ("<p>one</p><p>two</p>", Limits(max_chars=4), ["one", "t"], True),
        ("<p>one</p><p>two</p>", Limits(max_chars=3), ["one"], True),
        ("<p>one <a href=x>two</a> six</p>", Limits(max_chars=6), ["one tw"], True),
        ("<div>a<br><br>b<br><br>c<br><br>d</div>", Limits(max_blocks=2), ["a", "b"], True),
        ("<div>a<br>b<br>c<br>d</div>", Limits(max_blocks=1), ["a\nb"], True),
    ],
)
def test_visible_text_is_limited(html: str, limits: Limits, texts: list[str], is_cut: bool) -> None:
    page = read_page(html, limits=limits)
    assert list(segment(page).text) == texts
    assert page.is_cut is is_cut
