from __future__ import annotations

from dataclasses import replace

import pytest

from broadsheet.blocks import segment
from broadsheet.methods.semtext import SemtextConfig
from broadsheet.methods.semtext.words import find_units, read_strings
from broadsheet.page import read_page

PUBLISHED = SemtextConfig()
# Similar to the right half of the paper's Figure 3: two neighbouring blocks.
PAGE = """
<body><div id=top class=pageHeader><a href=/>The Harbour News</a></div>
<section class="story-feed"><article class="Article_Content story"><h1>Ferry stays</h1>
<p>The council kept the <b>ferry</b>.</p><p>Half of the town depends on it.</p></article></section>
"""


def read(html: str, config: SemtextConfig) -> dict[str, list[str]]:
    """Return the strings of all units, by kind."""
    page = read_page(html)
    strings = read_strings(page, segment(page), config)
    return {kind: [" ".join(of_kind.words[index]) for index in of_kind.of_unit] for kind, of_kind in strings.items()}


def test_three_strings_of_a_block() -> None:
    assert read(PAGE, PUBLISHED) == {
        "tags": [
            "root body division",
            "root body section article primary headline",
            "root body section article paragraph",
        ],
        "classes": ["page header", "story feed article content story", "story feed article content story"],
        "texts": ["harbour news", "ferry stays", "council kept ferry half town depends"],
    }


def test_blocks_stay_apart_when_not_combined() -> None:
    texts = read(PAGE, replace(PUBLISHED, combines=False))["texts"]
    assert texts[2:] == ["council kept ferry", "half town depends"]


def test_stop_words_may_stay() -> None:
    assert read(PAGE, replace(PUBLISHED, drops_stop_words=False))["texts"][0] == "the harbour news"


def test_ids_beside_classes() -> None:
    assert read(PAGE, replace(PUBLISHED, has_ids=True))["classes"][0] == "page header top"


@pytest.mark.parametrize(("keeps_end", "classes"), [(False, "story body"), (True, "body lead")])
def test_long_paths(keeps_end: bool, classes: str) -> None:
    html = "<div class=story><div class=body><div class=lead>Text."
    config = replace(PUBLISHED, max_words=2, keeps_path_end=keeps_end)
    assert read(html, config)["classes"] == [classes]


def test_equal_strings_are_stored_once() -> None:
    page = read_page("<ul class=menu>" + "<li>Home</li><li class=x>News</li>" * 50)
    strings = read_strings(page, segment(page), PUBLISHED)
    assert [len(of_kind.words) for of_kind in strings.values()] == [1, 2, 2]
    assert {len(of_kind.of_unit) for of_kind in strings.values()} == {100}


def test_depth_costs_nothing() -> None:
    page = read_page("<div class=deeper>Text. " * 3_000)
    blocks = segment(page)
    classes = read_strings(page, blocks, PUBLISHED)["classes"]
    assert max(map(len, classes.words)) == 50
    assert len(classes.of_unit) == len(set(find_units(blocks, PUBLISHED)))
