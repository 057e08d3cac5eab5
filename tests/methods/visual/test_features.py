from __future__ import annotations

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from broadsheet.blocks import segment
from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.features import ATTRIBUTES, measure_edits, measure_nodes, measure_title_distance
from broadsheet.methods.visual.reading import read_visual
from broadsheet.page import read_page

PAGE = """<title>Ferry stays - The Courier</title>
<style>h1 { font-size: 40px; color: #900 } .date { font-size: 10px } p { font-size: 16px; font-weight: normal }</style>
<h1>Ferry stays</h1><div class=date>14 March 2026</div><p>The council met <b>again</b> on Tuesday.</p><p>It voted.</p>"""
# Ten times the digits' share etc. are easy to check by hand: length, digits, %, px, % of the biggest, bold, similar.
EXPECTED = [
    ("Ferry stays", 11, 0, 0.0, 40, 100, 1, 1),
    ("14 March 2026", 13, 6, 600 / 13, 10, 25, 0, 1),
    ("The council met", 15, 0, 0.0, 16, 40, 0, 3),
    ("again", 5, 0, 0.0, 16, 40, 1, 1),
    ("on Tuesday.", 11, 0, 0.0, 16, 40, 0, 3),
    ("It voted.", 9, 0, 0.0, 16, 40, 0, 3),
]


def test_the_first_seven_attributes() -> None:
    page = read_page(PAGE)
    reading = read_visual(page, segment(page), VisualConfig())
    samples = measure_nodes(reading.text, range(len(EXPECTED)), reading.look, reading.page_title)
    assert samples.shape == (len(EXPECTED), len(ATTRIBUTES))
    assert reading.text.texts == [row[0] for row in EXPECTED]
    assert samples[:, :7] == pytest.approx(np.array([row[1:] for row in EXPECTED]), rel=1e-5)
    assert reading.page_title == "Ferry stays - The Courier"


def test_distance_to_the_title_is_signed() -> None:
    samples = np.zeros((3, len(ATTRIBUTES)), np.float32)
    placed = measure_title_distance(samples, [2, 5, 9], 5)
    assert placed[:, ATTRIBUTES.index("title_distance")].tolist() == [-3, 0, 4]
    assert not samples.any()
    assert not measure_title_distance(samples, [2, 5, 9], None).any()


EDITS = [
    ("equal", "Ferry stays", "Ferry stays", 0),
    ("the site's name is inserted: 1 each", "Ferry stays", "Ferry stays - CNN", 6),
    ("a letter is changed: 2", "Ferry stayz", "Ferry stays", 2),
    ("deletions from the node: 4 each", "Ferry stays!!", "Ferry stays", 8),
    ("nothing to compare with", "abc", "", 12),
]


@pytest.mark.parametrize(("text", "title", "cost"), [case[1:] for case in EDITS], ids=[case[0] for case in EDITS])
def test_edit_distance(text: str, title: str, cost: int) -> None:
    assert measure_edits(text, title) == pytest.approx(cost / max(len(title), 1))


def test_a_bound_stands_for_the_distance_of_texts_that_have_little_in_common() -> None:
    title = "Ferry stays in service after a long debate - The Courier"
    for text in (
        "Weather",
        "Subscribe to our newsletter now",
        "Read all about the elections of the year in our liveblog",
    ):
        cost = Levenshtein.distance(text, title, weights=(1, 4, 2)) / len(title)
        assert 0 < measure_edits(text, title) <= cost
    long = "word " * 2000
    assert measure_edits(long, title) > 100
