from __future__ import annotations

import numpy as np
import pytest

from broadsheet.blocks import Role, segment
from broadsheet.methods.fusion.config import FusionConfig
from broadsheet.methods.fusion.corrections import (
    add_main_content,
    fill_empty_text,
    find_other_articles,
    join_list_items,
)
from broadsheet.methods.fusion.network import read_input
from broadsheet.page import read_page

PROSE = "The council has decided that the bridge will be closed for three months. " * 3


def join(html: str, *scores: float) -> list[float]:
    page = read_page(html)
    blocks = segment(page)
    assert len(blocks) == len(scores)
    joined = join_list_items(page, blocks, read_input(page, blocks), np.array(scores, np.float32))
    return [float(score) for score in joined]


MEAN = ((0.3**4 + 0.5**4 + 0.9**4) / 3) ** 0.25


@pytest.mark.parametrize(
    ("html", "scores", "joined"),
    [
        ("<ul><li>aa<li>bb<li>cc</ul>", (0.3, 0.5, 0.9), (MEAN,) * 3),
        ("<ol><li><p>aa<li><p>bb<li><p>cc</ol>", (0.3, 0.5, 0.9), (MEAN,) * 3),
        ("<ul><li>aa<li>bb</ul>", (0.3, 0.9), (0.3, 0.9)),  # too few
        ("<p>aa<p>bb<p>cc", (0.3, 0.5, 0.9), (0.3, 0.5, 0.9)),  # not a list
        ("<ul><li>aa<li>bb<li>cc</ul>", (0.1, 0.2, 0.1), (0.1, 0.2, 0.1)),  # all scores too low
        ("<ul><li>aa<li>bb</ul><ul><li>cc</ul>", (0.3, 0.5, 0.9), (0.3, 0.5, 0.9)),  # two lists
        ("<ul><li>aa<li class=ad>bb<li>cc<li>dd</ul>", (0.3, 0.1, 0.5, 0.9), (MEAN, 0.1, MEAN, MEAN)),
        ("<ul><li>" + "<div>" * 6 + "aa<li>bb<li>cc</ul>", (0.3, 0.5, 0.9), (0.3, 0.5, 0.9)),  # one item is too deep
        ("<ul><li>aa<ul><li>bb<li>cc<li>dd</ul></ul>", (0.9, 0.3, 0.5, 0.9), (0.9, MEAN, MEAN, MEAN)),
    ],
)
def test_items_get_the_same_score(html: str, scores: tuple[float, ...], joined: tuple[float, ...]) -> None:
    assert join(html, *scores) == pytest.approx(joined, abs=1e-5)


def test_long_items_count_more() -> None:
    assert join("<ul><li>aaaaaaaa<li>b<li>c</ul>", 0.9, 0.1, 0.1)[1] > 0.8


def find(body: str) -> list[str]:
    """Return the first word of each block of other articles. All prose is expected to be article text."""
    page = read_page(f"<title>Bridge closed</title><body>{body}")
    blocks = segment(page)
    expected = np.array([len(text) * (len(text) > 30) for text in blocks.text], np.float32)
    return [blocks.text[block].split()[0] for block in find_other_articles(page, blocks, expected)]


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("<article><h2>", "</article>"),
        ("<article class=post><header><h1>", "</article>"),
        ("<div class=item><article><h2>", "</article></div>"),
    ],
)
def test_articles_beside_the_article_are_others(start: str, end: str) -> None:
    own = f"{start}Bridge closed</h2></h1></header><p>{PROSE}{end}"
    other = f"{start}Ferry late</h2></h1></header><p>Passengers {PROSE}{end}"
    assert find(own + other) == ["Ferry", "Passengers"]
    assert find(other + own) == ["Ferry", "Passengers"]


def test_containers_around_the_articles_may_differ() -> None:
    own = f"<div><article><h1>Bridge closed</h1><p>{PROSE}</article></div>"
    other = (
        f"<section><div><article><header><h1>Ferry late</h1></header><p>Passengers {PROSE}</article></div></section>"
    )
    assert find(own + other) == ["Ferry", "Passengers"]


@pytest.mark.parametrize(
    "body",
    [
        f"<h2>Bridge closed</h2><p>{PROSE}<h2>Why</h2><p>{PROSE}",  # sections side by side
        f"<h1>Bridge closed</h1><div><h2>Why</h2><p>{PROSE}</div><div><h2>How</h2><p>{PROSE}</div>",  # sections below
        f"<div><h2>Bridge closed</h2><p>{PROSE}</div><div><h2>Why</h2><p>{PROSE}</div>",  # sections in containers
        f"<article><h2>Bridge closed</h2></article><article><h2>Why</h2><p>{PROSE}</article>",  # the first has no text
        f"<article><h2>Bridge closed</h2><p>{PROSE}</article><article><h3>More</h3><p>{PROSE}</article>",  # other heading
        f"<article><h2>Bridge closed</h2><p>{PROSE}</article><div><h2>Why</h2><p>{PROSE}</div>",  # one article
        f"<article><h1>Bridge closed</h1><p>{PROSE}<article><h2>Why</h2><p>{PROSE}</article></article>",  # inside
        f"<div>Bridge closed</div><div>Ferry late<p>{PROSE}</div>",  # no headings
        f"<p>{PROSE}",
    ],
)
def test_other_containers_are_not_articles(body: str) -> None:
    assert find(body) == []


def fill(html: str, scores: tuple[float, ...], role: Role = Role.BOILERPLATE) -> dict[int, Role]:
    blocks = segment(read_page(html))
    assert len(blocks) == len(scores)
    roles = [role, *[Role.BOILERPLATE] * (len(scores) - 1)]
    return fill_empty_text(blocks, roles, np.array(scores, np.float32), FusionConfig())


PAGE = f"<h2>Bridge</h2><p>{PROSE}</p><p>{PROSE * 2}</p><p>Contact us</p>"


@pytest.mark.parametrize(
    ("html", "scores", "filled"),
    [
        (PAGE, (0.04, 0.05, 0.08, 0.01), {0: Role.HEADING, 1: Role.BODY, 2: Role.BODY}),
        (PAGE, (0.01, 0.01, 0.08, 0.01), {2: Role.BODY}),
        (f"<p>{PROSE}</p>", (0.08,), {}),  # too little prose
        (f"<p><a href=/x>{PROSE * 3}</a></p>", (0.08,), {}),  # links
        (f"<p hidden>{PROSE * 3}</p>", (0.08,), {}),
        (f"<nav>{PROSE * 3}</nav>", (0.08,), {}),
    ],
)
def test_a_page_of_prose_has_a_text(html: str, scores: tuple[float, ...], filled: dict[int, Role]) -> None:
    assert fill(html, scores) == filled


def test_a_text_that_is_not_empty_stays() -> None:
    assert fill(PAGE, (0.6, 0.05, 0.08, 0.01), Role.BODY) == {}
    assert fill(PAGE, (0.04, 0.05, 0.08, 0.01), Role.TITLE) == {1: Role.BODY, 2: Role.BODY}


@pytest.mark.parametrize(
    ("html", "score", "config", "is_added"),
    [
        ("<p>Boat 7, 3 berths</p>", 0.06, FusionConfig(), True),
        ("<p>Boat 7, 3 berths</p>", 0.04, FusionConfig(), False),
        ("<p>Boat 7, 3 berths</p>", 0.06, FusionConfig(min_main_score=0.1), False),
        ("<p>Boat 7, 3 berths</p>", 0.06, FusionConfig(threshold=0.5), False),  # the user decides
        *(
            (f"<{tag}>Boat 7, 3 berths</{tag}>", 0.4, FusionConfig(), False)
            for tag in ("nav", "header", "footer", "aside", "form")
        ),
    ],
)
def test_main_content_of_other_pages_needs_a_low_score(
    html: str, score: float, config: FusionConfig, is_added: bool
) -> None:
    blocks, scores = segment(read_page(html)), np.array([score], np.float32)
    added = {0: Role.BODY} if is_added else {}
    assert add_main_content(blocks, [Role.BOILERPLATE], scores, config) == added
    assert add_main_content(blocks, [Role.COMMENT], scores, config) == {}
