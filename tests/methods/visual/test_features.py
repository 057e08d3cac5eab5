from __future__ import annotations

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

from broadsheet.blocks import segment
from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.features import (
    ATTRIBUTES,
    compute_attributes,
    compute_edit_distance,
    fill_title_distance,
    read_input,
)
from broadsheet.page import read_page

PAGE = """<title>Ferry stays - The Courier</title>
<style>h1 { font-size: 40px; color: #900 } .date { font-size: 10px } p { font-size: 16px; font-weight: normal }</style>
<h1>Ferry stays</h1><div class=date>14 March 2026</div><p>The council met <b>again</b> on Tuesday.</p><p>It voted.</p>"""
# By hand: length, digits, share of digits in %, font size in pixels and in % of the largest, bold, similar nodes.
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
    inputs = read_input(page, segment(page), VisualConfig())
    samples = compute_attributes(inputs.text, range(len(EXPECTED)), inputs.style, inputs.page_title)
    assert samples.shape == (len(EXPECTED), len(ATTRIBUTES))
    assert inputs.text.texts == [row[0] for row in EXPECTED]
    assert samples[:, :7] == pytest.approx(np.array([row[1:] for row in EXPECTED]), rel=1e-5)
    assert inputs.page_title == "Ferry stays - The Courier"


def test_distance_to_the_title_is_signed() -> None:
    samples = np.zeros((3, len(ATTRIBUTES)), np.float32)
    filled = fill_title_distance(samples, [2, 5, 9], 5)
    assert filled[:, ATTRIBUTES.index("title_distance")].tolist() == [-3, 0, 4]
    assert not samples.any()
    assert not fill_title_distance(samples, [2, 5, 9], None).any()


EDITS = [
    ("equal", "Ferry stays", "Ferry stays", 0),
    ("the name of the site is inserted: 1 each", "Ferry stays", "Ferry stays - CNN", 6),
    ("a letter is substituted: 2", "Ferry stayz", "Ferry stays", 2),
    ("deletions from the node: 4 each", "Ferry stays!!", "Ferry stays", 8),
    ("an empty title", "abc", "", 12),
]


@pytest.mark.parametrize(("text", "title", "cost"), [case[1:] for case in EDITS], ids=[case[0] for case in EDITS])
def test_edit_distance(text: str, title: str, cost: int) -> None:
    assert compute_edit_distance(text, title) == pytest.approx(cost / max(len(title), 1))


def test_texts_with_little_in_common_get_a_lower_bound() -> None:
    title = "Ferry stays in service after a long debate - The Courier"
    for text in (
        "Weather",
        "Subscribe to our newsletter now",
        "Read all about the elections of the year in our liveblog",
    ):
        cost = Levenshtein.distance(text, title, weights=(1, 4, 2)) / len(title)
        assert 0 < compute_edit_distance(text, title) <= cost
    long = "word " * 2000
    assert compute_edit_distance(long, title) > 100
