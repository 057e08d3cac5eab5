"""The whole method with its shipped weights, on a page written here."""

from __future__ import annotations

from dataclasses import replace

import pytest

import broadsheet
from broadsheet.blocks import Role, segment
from broadsheet.methods.visual import Visual, VisualConfig
from broadsheet.methods.visual.forests import NAMES, load_forests
from broadsheet.page import read_page

PROSE = [
    "The council met on Tuesday, and after four hours of talk it kept the ferry that half of the town depends on.",
    "“Nobody wanted to be the one who ends it,” said Ann Reyes, who has run the boat since 1998 and knows every face.",
    "The subsidy of 120,000 a year stays, paid in two halves, and the boat will be looked over before the summer begins.",
    "Most passengers are pupils and people who work at the market. A bridge has been talked about for forty years, in vain.",
    "The next vote is due in three years. Until then, the first boat leaves at six in the morning, as it always has done.",
]
STYLE = """<style>body { font: 15px Georgia, serif } .headline { font-size: 34px; font-weight: bold } .when { font-size: 11px; color: #777 }
.menu a, .more a { font: bold 13px Arial } .foot { font-size: 10px }</style>"""
MENU = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("Home", "Sport", "Culture", "Weather", "Letters"))
MORE = "".join(
    f"<li><a href=/{n}>{text}</a></li>"
    for n, text in enumerate(("Oysters early this year", "Pier to be mended soon", "Mayor bikes to work"))
)
PAGE = f"""<html lang=en><head><title>Ferry stays in service for three years - The Courier</title>{STYLE}</head><body>
<ul class=menu>{MENU}</ul><div class=story>
<div class=headline>Ferry stays in service for three years</div><div class=when>14 March 2021, 08:30</div>
{"".join(f"<p>{text}</p>" for text in PROSE)}</div>
<ul class=more>{MORE}</ul><div class=foot>© 2021 The Courier. All rights reserved.</div></body></html>"""
SWITCHES = (
    "examines_all",
    "takes_best_title",
    "takes_whole_title",
    "takes_best_date",
    "learns_dates",
    "learns_body",
    "lowers_threshold",
)


@pytest.mark.parametrize(
    "config",
    [
        None,
        *(replace(VisualConfig.shipped(), **{name: False}) for name in SWITCHES),
    ],
    ids=["as shipped", *(f"without {name}" for name in SWITCHES)],
)
def test_a_page_without_metadata(config: VisualConfig | None) -> None:
    article = broadsheet.extract(PAGE, method=Visual(config))
    roles = {block.text: block.role for block in article.blocks}
    assert article.title == "Ferry stays in service for three years"
    assert roles[article.title] is Role.TITLE
    assert roles["14 March 2021, 08:30"] is Role.DATE
    assert article.date is not None
    assert (article.date.isoformat(), article.sources["date"]) == ("2021-03-14T08:30:00", "visual")
    assert roles["Sport"] is Role.BOILERPLATE
    assert all(text in article.text for text in PROSE)


def test_the_body() -> None:
    assert broadsheet.extract(PAGE, method="visual").text.splitlines() == PROSE


def test_a_paragraph_that_begins_with_the_title_is_not_a_title() -> None:
    html = PAGE.replace("<div class=headline>", "<p class=x><span class=headline>").replace(
        "three years</div>", f"three years</span> {PROSE[1]}</p>", 1
    )
    labels = Visual().label(page := read_page(html), blocks := segment(page))
    assert labels.title == "Ferry stays in service for three years"
    block = next(block for block, text in enumerate(blocks.text) if text.startswith("Ferry stays"))
    assert labels.roles[block] is not Role.TITLE


def test_without_a_title_node_the_title_element_is_the_title() -> None:
    page = read_page("<title>Only here</title><p>a</p>")
    labels = Visual(VisualConfig(min_score=1.0)).label(page, segment(page))
    assert labels.title == "Only here"


def test_invisible_text_is_not_the_title() -> None:
    html = PAGE.replace(
        "<div class=headline>", "<div class=headline style='display:none'>Hidden</div><div class=headline>"
    )
    page = read_page(html)
    assert Visual().label(page, segment(page)).title == "Ferry stays in service for three years"


def test_metadata_overrides_the_date_shown() -> None:
    html = PAGE.replace("</head>", "<meta property='article:published_time' content='2020-01-02'></head>")
    article = broadsheet.extract(html, method="visual")
    assert article.date is not None
    assert (article.date.year, article.sources["date"]) == (2020, "meta")


def test_shipped_forests_are_small() -> None:
    forests = load_forests()
    nodes = sum(len(getattr(forests, name).feature) for name in NAMES)
    assert nodes * 17 < 2_000_000  # bytes per node: feature, threshold, child, value
