from __future__ import annotations

from broadsheet.blocks import segment
from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.date_features import (
    DATE_FEATURES,
    compute_date_features,
    fill_from_title,
    find_date_candidates,
)
from broadsheet.methods.visual.features import VisualInput, read_input
from broadsheet.page import read_page

PROSE = "The council met on Tuesday, and after four hours of talk, it kept the ferry. Half of the town depends on it."
PAGE = """<h1>Ferry stays</h1><div class=byline>By Ann | <time class=pub-date>14 March 2021, 10:05</time></div>
<p>In 1974 it was new.</p><ul><li>12.03.2021<li>11.03.2021</ul>"""


def read(html: str) -> VisualInput:
    page = read_page(html)
    return read_input(page, segment(page), VisualConfig())


def test_date_features() -> None:
    inputs = read(PAGE)
    chosen = find_date_candidates(inputs, 100)
    assert [inputs.text.texts[node] for node in chosen] == [
        *("14 March 2021, 10:05", "In 1974 it was new.", "12.03.2021", "11.03.2021")
    ]
    samples = compute_date_features(inputs, chosen)
    columns = {name: samples[:, column].tolist() for column, name in enumerate(DATE_FEATURES)}
    assert columns["years"] == [1, 1, 1, 1]
    assert columns["days"] == [0, 0, 1, 1]
    assert columns["times_of_day"] == [1, 0, 1, 1]  # 12.03 may be a time of day
    assert columns["is_time"] == [1, 0, 0, 0]
    assert columns["name_date"] == [1, 0, 0, 0]
    assert columns["in_list"] == [0, 0, 1, 1]
    assert columns["same_pattern"] == [1, 1, 2, 2]
    assert columns["dated_before"] == [0, 1, 2, 3]
    filled = fill_from_title(samples, chosen, 0)
    assert filled[:, DATE_FEATURES.index("from_title")].tolist() == [float(node) for node in chosen]
    without_title = fill_from_title(samples, chosen, None)
    assert without_title[:, DATE_FEATURES.index("from_title")].tolist() == [200] * 4


def test_long_and_hidden_texts_are_not_candidates() -> None:
    inputs = read(f"<p>{PROSE} 2021</p><p hidden>14 March 2021</p><p style='display:none'>15 March 2021</p><p>no digit")
    assert find_date_candidates(inputs, 100) == []
    assert compute_date_features(inputs, []).shape == (0, len(DATE_FEATURES))
