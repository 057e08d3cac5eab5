"""Block features of a page that is small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.kernel.texts import MAX_BLOCK_WORDS
from broadsheet.methods.fusion.containers import find_containers
from broadsheet.methods.fusion.features import (
    _GROUPS,
    FEATURE_NAMES,
    _PageData,
    read_input,
)
from broadsheet.page import read_page

LONG = "The ferry sails again, after two years, from the old harbour to the island and back each day."
HTML = f"""<html><head><title>Ferry returns - The Bay</title><meta name=description content="{LONG}"></head><body>
<nav class=menu><a href=/>Home</a></nav>
<div class="story main"><h1>Ferry returns</h1><p>{LONG}</p><p>{LONG}</p><p>Read more...</p></div>
<div><h1>Another</h1></div>
</body></html>"""


def compute(html: str) -> dict[str, list[float]]:
    page = read_page(html)
    values = read_input(page, segment(page)).features
    assert np.isfinite(values).all()
    return {name: column.round(3).tolist() for name, column in zip(FEATURE_NAMES, values, strict=True)}


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
def test_features(name: str, values: list[float]) -> None:
    assert compute(HTML)[name] == pytest.approx(values, abs=2e-3)


def test_each_group_fills_only_its_columns() -> None:
    page = read_page(HTML.replace("</body>", "<article><b>Bold</b></article></body>"))
    blocks = segment(page)
    values = np.zeros((len(FEATURE_NAMES), len(blocks)), np.float32)
    data = _PageData(page, blocks, find_containers(page, blocks), values.reshape(-1).data)
    data.measure_texts(np.zeros((len(blocks), MAX_BLOCK_WORDS), np.uint32).reshape(-1).data)
    for group in _GROUPS:
        columns = slice(group.first, group.first + len(group.names))
        if group.fill:
            before = values.copy()
            group.fill(data, group.first)
            before[columns] = values[columns]
            assert (values == before).all()
        assert values[columns].any(), group.names


def test_names_are_unique() -> None:
    assert len(set(FEATURE_NAMES)) == len(FEATURE_NAMES)


@pytest.mark.parametrize("html", ["x", "<p>\ud800", "<title>.</title><h1>.</h1><p>" + "é" * 5000, "<b>" * 300 + "deep"])
def test_unusual_pages_have_finite_features(html: str) -> None:
    compute(html)
