from __future__ import annotations

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.methods.fusion.inputs import read_input
from broadsheet.methods.fusion.lists import join_list_items
from broadsheet.page import read_page


def join(html: str, *scores: float) -> list[float]:
    page = read_page(html)
    blocks = segment(page)
    assert len(blocks) == len(scores)
    joined = join_list_items(page, blocks, read_input(page, blocks), np.array(scores, np.float32))
    return [float(score) for score in joined]


MEAN = ((0.3**4 + 0.5**4 + 0.9**4) / 3) ** 0.25


@pytest.mark.parametrize(
    ("html", "scores", "joined"),
    [
        ("<ul><li>aa<li>bb<li>cc</ul>", (0.3, 0.5, 0.9), (MEAN,) * 3),
        ("<ol><li><p>aa<li><p>bb<li><p>cc</ol>", (0.3, 0.5, 0.9), (MEAN,) * 3),
        ("<ul><li>aa<li>bb</ul>", (0.3, 0.9), (0.3, 0.9)),  # too few
        ("<p>aa<p>bb<p>cc", (0.3, 0.5, 0.9), (0.3, 0.5, 0.9)),  # not a list
        ("<ul><li>aa<li>bb<li>cc</ul>", (0.1, 0.2, 0.1), (0.1, 0.2, 0.1)),  # all scores too low
        ("<ul><li>aa<li>bb</ul><ul><li>cc</ul>", (0.3, 0.5, 0.9), (0.3, 0.5, 0.9)),  # two lists
        ("<ul><li>aa<li class=ad>bb<li>cc<li>dd</ul>", (0.3, 0.1, 0.5, 0.9), (MEAN, 0.1, MEAN, MEAN)),
        ("<ul><li>" + "<div>" * 6 + "aa<li>bb<li>cc</ul>", (0.3, 0.5, 0.9), (0.3, 0.5, 0.9)),  # one item is too deep
        ("<ul><li>aa<ul><li>bb<li>cc<li>dd</ul></ul>", (0.9, 0.3, 0.5, 0.9), (0.9, MEAN, MEAN, MEAN)),
    ],
)
def test_items_get_the_same_score(html: str, scores: tuple[float, ...], joined: tuple[float, ...]) -> None:
    assert join(html, *scores) == pytest.approx(joined, abs=1e-5)


def test_long_items_count_more() -> None:
    assert join("<ul><li>aaaaaaaa<li>b<li>c</ul>", 0.9, 0.1, 0.1)[1] > 0.8
