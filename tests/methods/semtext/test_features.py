from __future__ import annotations

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.methods.semtext import SemtextConfig
from broadsheet.methods.semtext.features import MEASURES, measure_units
from broadsheet.methods.semtext.strings import find_units, read_strings
from broadsheet.page import read_page

PAGE = """
<title>Ferry stays - Harbour News</title><body><ul class=menu><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul>
<div class=story><h1>Ferry stays</h1><p>The council kept the ferry, and that is that.</p><p>Half of the town depends on <a href=/t>it</a></p>
<table><tr><td>1 euro</table></div><div hidden>Share</div>
"""


def measure(combines: bool) -> dict[str, list[float]]:
    page, config = read_page(PAGE), SemtextConfig(combines=combines)
    blocks = segment(page)
    units = np.asarray(find_units(blocks, config), np.intp)
    found = measure_units(page, blocks, units, read_strings(page, blocks, config))
    return {name: found[:, at].round(3).tolist() for at, name in enumerate(MEASURES)}


# Blocks: Home, News, headline, two paragraphs, a cell, something hidden.
GOLDEN = [
    ("chars", [0.268, 0.268, 0.414, 0.638, 0.572, 0.324, 0.299]),
    ("link_share", [1, 1, 0, 0, 0.067, 0, 0]),
    ("marks", [0, 0, 0, 0.366, 0, 0, 0]),
    ("ends_sentence", [0, 0, 0, 1, 0, 0, 0]),
    ("begins_upper", [1, 1, 1, 1, 1, 0, 1]),
    ("stop_share", [0, 0, 0, 0.556, 0.571, 0, 0]),
    ("title_share", [0, 1, 1, 0, 0, 0, 0]),
    ("place", [0, 0.143, 0.286, 0.429, 0.571, 0.714, 0.857]),
    ("heading", [0, 0, 1, 0, 0, 0, 0]),
    ("list", [1, 1, 0, 0, 0, 0, 0]),
    ("cell", [0, 0, 0, 0, 0, 1, 0]),
    ("hidden", [0, 0, 0, 0, 0, 0, 1]),
    ("path_links", [1, 1, 0, 0.026, 0.026, 0, 0]),
]


@pytest.mark.parametrize(("name", "values"), GOLDEN, ids=[case[0] for case in GOLDEN])
def test_golden_columns(name: str, values: list[float]) -> None:
    assert measure(combines=False)[name] == pytest.approx(values, abs=2e-3)


def test_shares_of_all_text() -> None:
    found = measure(combines=False)
    assert found["chars_before"][0] == 0
    assert found["path_share"][0] == found["path_share"][1]
    assert found["outer_share"][2] == found["outer_share"][3] == found["outer_share"][4]


def test_units_of_several_blocks() -> None:
    found = measure(combines=True)
    assert len(found["chars"]) == 5  # the menu is one, and so are the paragraphs
    assert found["link_share"][:2] == [1, 0]
    assert found["ends_sentence"][2] == 0


def test_nothing_to_measure() -> None:
    page = read_page("")
    found = measure_units(page, segment(page), np.zeros(0, np.intp), {})
    assert found.shape == (0, len(MEASURES))
