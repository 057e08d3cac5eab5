"""Labels and fields to Article."""

from __future__ import annotations

import pytest

from broadsheet.article import Article, Extraction, assemble
from broadsheet.blocks import Labels, Role, segment
from broadsheet.fields import FIELDS, Fields
from broadsheet.methods import load_method
from broadsheet.options import DEFAULT_OPTIONS
from broadsheet.page import read_page

HTML = """<title>Cats win</title><meta property=og:title content='Cats win'><meta name=author content='Ann Li'>
<p>Cats win.</p><p>Some cats, they say, win.</p><p>Late.</p><p>First comment!</p>"""
SCORES = [0.9, 0.8, 0.2, 0.0]


def make_article(roles: list[Role], *, confidence: float | None = None) -> Article:
    page = read_page(HTML, url="https://example.org/a")
    blocks = segment(page)
    labels = Labels(roles, SCORES, confidence=confidence)
    return assemble(
        page, blocks, labels, Fields(page, blocks, labels), Extraction(load_method("twcem"), DEFAULT_OPTIONS)
    )


ROLES = [Role.BODY, Role.BODY, Role.BODY, Role.COMMENT]


def test_fields_have_values_sources_and_confidences() -> None:
    article = make_article(ROLES)
    assert (article.title, article.authors, article.url) == ("Cats win.", ("Ann Li",), "https://example.org/a")
    assert (article.sources["authors"], article.confidences["url"]) == ("meta", 1.0)
    names = {field.name for field in FIELDS if getattr(article, field.name)}
    assert set(article.sources) == set(article.confidences) == names


def test_blocks_that_repeat_the_title_are_not_in_the_body() -> None:
    article = make_article(ROLES)
    assert article.text == "Some cats, they say, win.\nLate."
    assert [(block.role, block.score) for block in article.blocks][:2] == [(Role.TITLE, 0.0), (Role.BODY, 0.8)]


def test_comments() -> None:
    assert make_article(ROLES).comments == ("First comment!",)


@pytest.mark.parametrize(
    ("roles", "confidence", "expected"),
    [
        (ROLES, 0.7, 0.7),
        (ROLES, None, (25 * 0.8 + 5 * 0.2) / 30),  # weighted by the length of the blocks
        ([Role.BOILERPLATE] * 4, 0.7, 0.0),
        ([Role.BOILERPLATE] * 4, None, 0.0),
    ],
)
def test_confidence(roles: list[Role], confidence: float | None, expected: float) -> None:
    assert make_article(roles, confidence=confidence).confidence == pytest.approx(expected)
