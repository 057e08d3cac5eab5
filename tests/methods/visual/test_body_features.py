from __future__ import annotations

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.body_features import (
    BODY_FEATURES,
    SCORE_FEATURES,
    TITLE_FEATURES,
    BodyFeatures,
    Groups,
    compute_body_features,
    compute_from_title,
    compute_score_features,
    group_blocks,
    stack_columns,
)
from broadsheet.methods.visual.features import read_input
from broadsheet.page import read_page

PROSE = "The council met on Tuesday, and after four hours of talk, it kept the ferry. Half of the town depends on it."
PAGE = f"""<title>Ferry stays - The Courier</title><style>.small {{ font-size: 8px }} .gone {{ display: none }}</style>
<ul class=nav-menu><li><a href=/>Home</a></li><li><a href=/s>Sport</a></li></ul>
<div id=content><h1>Ferry stays</h1><p>{PROSE}</p><p>{PROSE} {PROSE}</p><div class='small photo-caption'>The pier in 2020</div>
<p class=gone>Never seen</p></div><ul class=related><li><a href=/1>More</a></li></ul>"""
TEXTS = ["Home", "Sport", "Ferry stays", PROSE, f"{PROSE} {PROSE}", "The pier in 2020", "Never seen", "More"]
GOLDEN = {
    "chars": [len(text) for text in TEXTS],
    "link_share": [1, 1, 0, 0, 0, 0, 0, 1],
    "commas": [0, 0, 0, 2, 4, 0, 0, 0],
    "sentence_ends": [0, 0, 0, 2, 4, 0, 0, 0],
    "ends_sentence": [0, 0, 0, 1, 1, 0, 0, 0],
    "tag_p": [0, 0, 0, 1, 1, 0, 1, 0],
    "tag_p_+1": [0, 0, 1, 1, 0, 1, 0, 0],
    "tag_p_-1": [0, 0, 0, 0, 1, 1, 0, 1],
    "heading_level": [0, 0, 1, 0, 0, 0, 0, 0],
    "in_list": [1, 1, 0, 0, 0, 0, 0, 1],
    "name_picture": [0, 0, 0, 0, 0, 1, 0, 0],
    "outer_name_frame": [1, 1, 0, 0, 0, 0, 0, 0],
    "outer_name_text": [0, 0, 1, 1, 1, 1, 1, 0],
    "outer_name_more": [0, 0, 0, 0, 0, 0, 0, 1],
    "font_size": [16, 16, 32, 16, 16, 8, 16, 16],
    "size_to_main": [1, 1, 2, 1, 1, 0.5, 1, 1],
    "is_shown": [1, 1, 1, 1, 1, 1, 0, 1],
    "position_blocks": [2, 2, 1, 2, 2, 1, 1, 1],
    "in_main_80": [0, 0, 1, 1, 1, 1, 1, 0],
    "prose_0": [0, 0, 0, 1 / 3, 2 / 3, 0, 0, 0],
    "prose_1": [0, 0, 1, 1, 1, 1, 1, 0],
    "prose_before": [0, 0, 0, 0, 1 / 3, 1, 1, 1],
}


@pytest.fixture(scope="module")
def features() -> BodyFeatures:
    page = read_page(PAGE)
    return compute_body_features(read_input(page, segment(page), VisualConfig()))


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_columns(name: str, features: BodyFeatures) -> None:
    assert features.columns[name] == pytest.approx(GOLDEN[name], rel=0.02)


def test_columns_are_those_of_the_list_and_finite(features: BodyFeatures) -> None:
    assert set(features.columns) == set(BODY_FEATURES)
    samples = stack_columns(features.columns, BODY_FEATURES)
    assert samples.shape == (len(TEXTS), len(BODY_FEATURES))
    assert samples.dtype == np.float32
    assert np.isfinite(samples).all()


def test_distance_to_the_title() -> None:
    assert compute_from_title(4, 1)["from_title"].tolist() == [-1, 0, 1, 2]
    assert compute_from_title(2, None)["from_title"].tolist() == [100, 100]
    assert tuple(compute_from_title(2, 0)) == TITLE_FEATURES


def test_scores_of_neighbours_and_groups() -> None:
    groups = Groups(np.array([0, 1, 1, 0]), np.array([0, 1, 1, 2]))
    chars = np.array([80, 80, 80, 80], np.float32)
    columns = compute_score_features(groups, chars, np.array([0.0, 1.0, 0.5, 0.0]))
    assert set(columns) == set(SCORE_FEATURES)
    assert columns["score_+1"].tolist() == [1.0, 0.5, 0, 0]
    assert columns["score_-1"].tolist() == [0, 0, 1.0, 0.5]
    assert columns["score_position"].tolist() == [0, 0.75, 0.75, 0]
    assert columns["score_container"].tolist() == [0, 0.75, 0.75, 0]
    assert columns["mass_before"] == pytest.approx([0, 0, 2 / 3, 1])
    assert columns["mass_after"] == pytest.approx([1, 1 / 3, 0, 0])
    assert columns["since_sure"].tolist() == [100, 100, 1, 2]
    assert columns["until_sure"].tolist() == [1, 100, 100, 100]


def test_groups_of_blocks() -> None:
    groups = group_blocks(segment(read_page(PAGE)))
    assert groups.position[3] == groups.position[4] != groups.position[2]
    assert len(set(groups.container.tolist())) == len(TEXTS)
