"""What is measured of blocks, on a page small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.methods.fusion.containers import find_surroundings
from broadsheet.methods.fusion.features import NAMES, measure_blocks
from broadsheet.page import read_page

LONG = "The ferry sails again, after two years, from the old harbour to the island and back each day."
HTML = f"""<html><head><title>Ferry returns - The Bay</title><meta name=description content="{LONG}"></head><body>
<nav class=menu><a href=/>Home</a></nav>
<div class="story main"><h1>Ferry returns</h1><p>{LONG}</p><p>{LONG}</p><p>Read more...</p></div>
<div><h1>Another</h1></div>
</body></html>"""


def measure(html: str) -> dict[str, list[float]]:
    page = read_page(html)
    values = measure_blocks(page, segment(page)).values
    assert values.shape[0] == len(NAMES)
    assert np.isfinite(values).all()
    return {name: values[at].round(3).tolist() for at, name in enumerate(NAMES)}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("links", [1, 0, 0, 0, 0, 0]),
        ("ends_sentence", [0, 0, 1, 1, 1, 0]),
        ("ends_cut", [0, 0, 0, 0, 1, 0]),
        ("is_headline", [0, 1, 0, 0, 0, 0]),
        ("after_headline", [0, 0, 1, 1, 1, 1]),
        ("headlines_since", [0, 0, 0, 0, 0, 0.693]),
        ("levels_to_headline", [1 / 6, 0, 1 / 6, 1 / 6, 1 / 6, 1 / 3]),
        ("repeats", [0, 0, 0.693, 0.693, 0, 0]),
        ("in_description", [0, 0, 1, 1, 0, 0]),
        ("title_share", [0, 1, 4 / 18, 4 / 18, 0, 0]),
        ("in_nav", [1, 0, 0, 0, 0, 0]),
        ("in_heading", [0, 1, 0, 0, 0, 1]),
        ("around1_blocks", np.log1p([6, 4, 4, 4, 4, 1]).round(3).tolist()),
    ],
)
def test_measures(name: str, values: list[float]) -> None:
    assert measure(HTML)[name] == pytest.approx(values, abs=2e-3)


def test_containers_and_places() -> None:
    page = read_page(HTML)
    blocks = segment(page)
    found = find_surroundings(page, blocks)
    own = [(int(found.first[at]), int(found.after[at])) for at in found.around[1]]
    assert own == [(0, 6), (1, 5), (1, 5), (1, 5), (1, 5), (5, 6)]
    assert found.place[2] == found.place[3] == found.place[4]  # paragraphs of one container stand in the same place
    assert len(set(found.place.tolist())) == 4
    named = zip(found.places.tag, found.places.class_name, strict=True)
    assert [(tag, name) for tag, name in named if name] == [("nav", "menu"), ("div", "story main")]


@pytest.mark.parametrize("html", ["x", "<p>\ud800", "<title>.</title><h1>.</h1><p>" + "é" * 5000, "<b>" * 300 + "deep"])
def test_odd_pages(html: str) -> None:
    measure(html)
