from __future__ import annotations

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.methods.fusion.containers import find_surroundings
from broadsheet.methods.fusion.lists import join_items
from broadsheet.page import read_page


def join(html: str, *likely: float) -> list[float]:
    page = read_page(html)
    blocks = segment(page)
    assert len(blocks) == len(likely)
    place = find_surroundings(page, blocks).place
    chars = np.array([len(text) for text in blocks.text], np.float32)
    return [float(each) for each in join_items(page, blocks, place, np.array(likely, np.float32), chars)]


WHOLE = ((0.3**4 + 0.5**4 + 0.9**4) / 3) ** 0.25


@pytest.mark.parametrize(
    ("html", "likely", "joined"),
    [
        ("<ul><li>aa<li>bb<li>cc</ul>", (0.3, 0.5, 0.9), (WHOLE,) * 3),
        ("<ol><li><p>aa<li><p>bb<li><p>cc</ol>", (0.3, 0.5, 0.9), (WHOLE,) * 3),
        ("<ul><li>aa<li>bb</ul>", (0.3, 0.9), (0.3, 0.9)),  # too few
        ("<p>aa<p>bb<p>cc", (0.3, 0.5, 0.9), (0.3, 0.5, 0.9)),  # no list
        ("<ul><li>aa<li>bb<li>cc</ul>", (0.1, 0.2, 0.1), (0.1, 0.2, 0.1)),  # no text anyway
        ("<ul><li>aa<li>bb</ul><ul><li>cc</ul>", (0.3, 0.5, 0.9), (0.3, 0.5, 0.9)),  # two lists
        ("<ul><li>aa<li class=ad>bb<li>cc<li>dd</ul>", (0.3, 0.1, 0.5, 0.9), (WHOLE, 0.1, WHOLE, WHOLE)),
        ("<ul><li>" + "<div>" * 6 + "aa<li>bb<li>cc</ul>", (0.3, 0.5, 0.9), (0.3, 0.5, 0.9)),  # too deep to be an item
        ("<ul><li>aa<ul><li>bb<li>cc<li>dd</ul></ul>", (0.9, 0.3, 0.5, 0.9), (0.9, WHOLE, WHOLE, WHOLE)),
    ],
)
def test_items_of_a_list(html: str, likely: tuple[float, ...], joined: tuple[float, ...]) -> None:
    assert join(html, *likely) == pytest.approx(joined, abs=1e-5)


def test_long_items_count_more() -> None:
    assert join("<ul><li>aaaaaaaa<li>b<li>c</ul>", 0.9, 0.1, 0.1)[1] > 0.8
