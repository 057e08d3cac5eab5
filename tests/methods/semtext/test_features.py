from __future__ import annotations

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.methods.semtext import SemtextConfig
from broadsheet.methods.semtext.features import FEATURES, compute_features
from broadsheet.methods.semtext.words import find_units, read_strings
from broadsheet.page import read_page

PAGE = """
<title>Ferry stays - Harbour News</title><body><ul class=menu><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul>
<div class=story><h1>Ferry stays</h1><p>The council kept the ferry, and that is that.</p><p>Half of the town depends on <a href=/t>it</a></p>
<table><tr><td>1 euro</table></div><div hidden>Share</div>
"""


def compute_columns(combines: bool) -> dict[str, list[float]]:
    page, config = read_page(PAGE), SemtextConfig(combines=combines)
    blocks = segment(page)
    units = np.asarray(find_units(blocks, config), np.intp)
    features = compute_features(page, blocks, units, read_strings(page, blocks, config))
    return {name: features[:, column].round(3).tolist() for column, name in enumerate(FEATURES)}


# Blocks: Home, News, headline, two paragraphs, a table cell, a hidden block.
GOLDEN = [
    ("chars", [0.268, 0.268, 0.414, 0.638, 0.572, 0.324, 0.299]),
    ("link_share", [1, 1, 0, 0, 0.067, 0, 0]),
    ("marks", [0, 0, 0, 0.366, 0, 0, 0]),
    ("ends_sentence", [0, 0, 0, 1, 0, 0, 0]),
    ("begins_upper", [1, 1, 1, 1, 1, 0, 1]),
    ("stop_share", [0, 0, 0, 0.556, 0.571, 0, 0]),
    ("title_share", [0, 1, 1, 0, 0, 0, 0]),
    ("units_before_share", [0, 0.143, 0.286, 0.429, 0.571, 0.714, 0.857]),
    ("is_heading", [0, 0, 1, 0, 0, 0, 0]),
    ("in_list", [1, 1, 0, 0, 0, 0, 0]),
    ("in_cell", [0, 0, 0, 0, 0, 1, 0]),
    ("is_hidden", [0, 0, 0, 0, 0, 0, 1]),
    ("path_links", [1, 1, 0, 0.026, 0.026, 0, 0]),
]


@pytest.mark.parametrize(("name", "values"), GOLDEN, ids=[case[0] for case in GOLDEN])
def test_golden_columns(name: str, values: list[float]) -> None:
    assert compute_columns(combines=False)[name] == pytest.approx(values, abs=2e-3)


def test_shares_of_the_text_of_the_page() -> None:
    columns = compute_columns(combines=False)
    assert columns["chars_before_share"][0] == 0
    assert columns["path_share"][0] == columns["path_share"][1]
    assert columns["outer_share"][2] == columns["outer_share"][3] == columns["outer_share"][4]


def test_units_of_several_blocks() -> None:
    columns = compute_columns(combines=True)
    assert len(columns["chars"]) == 5  # the menu is one unit, and so are the paragraphs
    assert columns["link_share"][:2] == [1, 0]
    assert columns["ends_sentence"][2] == 0


def test_a_page_without_blocks() -> None:
    page = read_page("")
    features = compute_features(page, segment(page), np.zeros(0, np.intp), {})
    assert features.shape == (0, len(FEATURES))
