from __future__ import annotations

from dataclasses import replace

import pytest

from broadsheet.blocks import segment
from broadsheet.methods.semtext import SemtextConfig
from broadsheet.methods.semtext.strings import find_units, read_strings
from broadsheet.page import read_page

PUBLISHED = SemtextConfig()
# The right half of the document's figure 3, more or less: two neighbouring blocks.
PAGE = """
<body><div id=top class=pageHeader><a href=/>The Harbour News</a></div>
<section class="story-feed"><article class="Article_Content story"><h1>Ferry stays</h1>
<p>The council kept the <b>ferry</b>.</p><p>Half of the town depends on it.</p></article></section>
"""


def write(html: str, config: SemtextConfig) -> dict[str, list[str]]:
    page = read_page(html)
    found = read_strings(page, segment(page), config)
    return {kind: [" ".join(own.words[at]) for at in own.of_unit] for kind, own in found.items()}


def test_three_strings_of_a_block() -> None:
    assert write(PAGE, PUBLISHED) == {
        "tags": [
            "root body division",
            "root body section article primary headline",
            "root body section article paragraph",
        ],
        "classes": ["page header", "story feed article content story", "story feed article content story"],
        "texts": ["harbour news", "ferry stays", "council kept ferry half town depends"],
    }


def test_blocks_stay_apart_when_not_combined() -> None:
    texts = write(PAGE, replace(PUBLISHED, combines=False))["texts"]
    assert texts[2:] == ["council kept ferry", "half town depends"]


def test_stop_words_may_stay() -> None:
    assert write(PAGE, replace(PUBLISHED, drops_stop_words=False))["texts"][0] == "the harbour news"


def test_ids_beside_classes() -> None:
    assert write(PAGE, replace(PUBLISHED, has_ids=True))["classes"][0] == "page header top"


@pytest.mark.parametrize(("keeps_end", "classes"), [(False, "story body"), (True, "body lead")])
def test_long_paths(keeps_end: bool, classes: str) -> None:
    html = "<div class=story><div class=body><div class=lead>Text."
    config = replace(PUBLISHED, max_words=2, keeps_path_end=keeps_end)
    assert write(html, config)["classes"] == [classes]


def test_equal_strings_are_kept_once() -> None:
    page = read_page("<ul class=menu>" + "<li>Home</li><li class=x>News</li>" * 50)
    found = read_strings(page, segment(page), PUBLISHED)
    assert [len(own.words) for own in found.values()] == [1, 2, 2]
    assert {len(own.of_unit) for own in found.values()} == {100}


def test_depth_costs_nothing() -> None:
    page = read_page("<div class=deeper>Text. " * 3_000)
    blocks = segment(page)
    found = read_strings(page, blocks, PUBLISHED)
    assert max(map(len, found["classes"].words)) == 50
    assert len(found["classes"].of_unit) == len(set(find_units(blocks, PUBLISHED)))
