from __future__ import annotations

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.body import Groups, group_blocks, measure_from_title, measure_scores, stack
from broadsheet.methods.visual.clues import CLUES, find_candidates, measure_clues, set_title
from broadsheet.methods.visual.forests import Measured, measure_body
from broadsheet.methods.visual.names import KINDS, find_kinds
from broadsheet.methods.visual.reading import Reading, read_visual
from broadsheet.page import read_page

PROSE = "The council met on Tuesday, and after four hours of talk, it kept the ferry. Half of the town depends on it."
PAGE = f"""<title>Ferry stays - The Courier</title><style>.small {{ font-size: 8px }} .gone {{ display: none }}</style>
<ul class=nav-menu><li><a href=/>Home</a></li><li><a href=/s>Sport</a></li></ul>
<div id=content><h1>Ferry stays</h1><p>{PROSE}</p><p>{PROSE} {PROSE}</p><div class='small photo-caption'>The pier in 2020</div>
<p class=gone>Never seen</p></div><ul class=related><li><a href=/1>More</a></li></ul>"""
TEXTS = ["Home", "Sport", "Ferry stays", PROSE, f"{PROSE} {PROSE}", "The pier in 2020", "Never seen", "More"]
COLUMNS = {
    "chars": [len(text) for text in TEXTS],
    "link_share": [1, 1, 0, 0, 0, 0, 0, 1],
    "commas": [0, 0, 0, 2, 4, 0, 0, 0],
    "stops": [0, 0, 0, 2, 4, 0, 0, 0],
    "ends": [0, 0, 0, 1, 1, 0, 0, 0],
    "tag_p": [0, 0, 0, 1, 1, 0, 1, 0],
    "tag_p_+1": [0, 0, 1, 1, 0, 1, 0, 0],
    "tag_p_-1": [0, 0, 0, 0, 1, 1, 0, 1],
    "level": [0, 0, 1, 0, 0, 0, 0, 0],
    "list": [1, 1, 0, 0, 0, 0, 0, 1],
    "own_picture": [0, 0, 0, 0, 0, 1, 0, 0],
    "around_frame": [1, 1, 0, 0, 0, 0, 0, 0],
    "around_text": [0, 0, 1, 1, 1, 1, 1, 0],
    "around_more": [0, 0, 0, 0, 0, 0, 0, 1],
    "size": [16, 16, 32, 16, 16, 8, 16, 16],
    "size_to_main": [1, 1, 2, 1, 1, 0.5, 1, 1],
    "is_shown": [1, 1, 1, 1, 1, 1, 0, 1],
    "kin": [2, 2, 1, 2, 2, 1, 1, 1],
    "main_80": [0, 0, 1, 1, 1, 1, 1, 0],
    "prose_0": [0, 0, 0, 1 / 3, 2 / 3, 0, 0, 0],
    "prose_1": [0, 0, 1, 1, 1, 1, 1, 0],
    "prose_before": [0, 0, 0, 0, 1 / 3, 1, 1, 1],
}


def read(html: str) -> Reading:
    page = read_page(html)
    return read_visual(page, segment(page), VisualConfig())


@pytest.fixture(scope="module")
def measured() -> Measured:
    return measure_body(read(PAGE))


@pytest.mark.parametrize("name", COLUMNS)
def test_columns(name: str, measured: Measured) -> None:
    assert measured.columns[name] == pytest.approx(COLUMNS[name], rel=0.02)


def test_every_column_is_in_single_precision_and_finite(measured: Measured) -> None:
    samples = stack(measured.columns)
    assert samples.shape == (len(TEXTS), len(measured.columns))
    assert samples.dtype == np.float32
    assert np.isfinite(samples).all()


def test_distance_to_the_title() -> None:
    assert measure_from_title(4, 1)["from_title"].tolist() == [-1, 0, 1, 2]
    assert measure_from_title(2, None)["from_title"].tolist() == [100, 100]


def test_scores_of_those_around() -> None:
    groups = Groups(np.array([0, 1, 1, 0]), np.array([0, 1, 1, 2]))
    chars = np.array([80, 80, 80, 80], np.float32)
    columns = measure_scores(groups, chars, np.array([0.0, 1.0, 0.5, 0.0]))
    assert columns["score_+1"].tolist() == [1.0, 0.5, 0, 0]
    assert columns["score_-1"].tolist() == [0, 0, 1.0, 0.5]
    assert columns["score_kin"].tolist() == [0, 0.75, 0.75, 0]
    assert columns["score_holder"].tolist() == [0, 0.75, 0.75, 0]
    assert columns["mass_before"] == pytest.approx([0, 0, 2 / 3, 1])
    assert columns["mass_after"] == pytest.approx([1, 1 / 3, 0, 0])
    assert columns["since_sure"].tolist() == [100, 100, 1, 2]
    assert columns["until_sure"].tolist() == [1, 100, 100, 100]


def test_blocks_in_the_same_kind_of_place(measured: Measured) -> None:
    page = read_page(PAGE)
    groups = group_blocks(segment(page))
    assert groups.kin[3] == groups.kin[4] != groups.kin[2]
    assert len(set(groups.holder.tolist())) == len(TEXTS)


NAMES = [
    ("article-body", {"text"}),
    ("commentList", {"comment", "more"}),
    ("td-post-sharing", {"text", "share"}),
    ("entry_date", {"text", "date"}),
    ("last-updated", {"date", "change"}),
    ("ad", {"more"}),
    ("download", set()),
    ("u4f29", set()),
]


@pytest.mark.parametrize(("name", "kinds"), NAMES)
def test_names(name: str, kinds: set[str]) -> None:
    found = {kind for at, kind in enumerate(KINDS) if find_kinds(name) >> at & 1}
    assert found == kinds


CLUE_PAGE = """<h1>Ferry stays</h1><div class=byline>By Ann | <time class=pub-date>14 March 2021, 10:05</time></div>
<p>In 1974 it was new.</p><ul><li>12.03.2021<li>11.03.2021</ul>"""


def test_clues() -> None:
    reading = read(CLUE_PAGE)
    chosen = find_candidates(reading, 100)
    assert [reading.text.texts[node] for node in chosen] == [
        *("14 March 2021, 10:05", "In 1974 it was new.", "12.03.2021", "11.03.2021")
    ]
    samples = measure_clues(reading, chosen)
    column = {name: samples[:, at].tolist() for at, name in enumerate(CLUES)}
    assert column["years"] == [1, 1, 1, 1]
    assert column["days"] == [0, 0, 1, 1]
    assert column["clocks"] == [1, 0, 1, 1]  # 12.03 is also how some write a time
    assert column["is_time"] == [1, 0, 0, 0]
    assert column["names_date"] == [1, 0, 0, 0]
    assert column["shape_twins"] == [1, 1, 2, 2]
    assert column["dated_before"] == [0, 1, 2, 3]
    placed = set_title(samples, chosen, 0)
    assert placed[:, CLUES.index("from_title")].tolist() == [float(node) for node in chosen]


def test_long_and_hidden_text_is_no_candidate() -> None:
    reading = read(
        f"<p>{PROSE} 2021</p><p hidden>14 March 2021</p><p style='display:none'>15 March 2021</p><p>no digit"
    )
    assert find_candidates(reading, 100) == []
