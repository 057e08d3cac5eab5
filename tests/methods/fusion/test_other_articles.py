from __future__ import annotations

import numpy as np
import pytest

from broadsheet.blocks import segment
from broadsheet.methods.fusion.other_articles import find_other_articles
from broadsheet.page import read_page

PROSE = "The council has decided that the bridge will be closed for three months. " * 3


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
