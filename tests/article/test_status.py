"""What a page is said to be, and why."""

from __future__ import annotations

import pytest

import broadsheet
from broadsheet.article import Status
from broadsheet.article.status import find_status
from broadsheet.blocks import Labels, Role, segment
from broadsheet.page import read_page

PARAGRAPH = "The ferry sails again, after two years, from the old harbour to the island and back each day. "
SHORT = f"<p>{PARAGRAPH}</p>"
LONG = f"<p>{PARAGRAPH * 20}</p>"
COOKIES = "<p>We and our partners use cookies to store and read data. Accept all cookies, or reject them.</p>"


def state(values: str, type_: str = "NewsArticle") -> str:
    return f'<script type="application/ld+json">{{"@type": "{type_}", "headline": "Ferry", {values}}}</script>'


def judge(html: str, *, is_article: bool | None = None) -> Status:
    """Judge a page whose paragraphs are all taken for text."""
    page = read_page(html)
    blocks = segment(page)
    labels = Labels([Role.BODY] * len(blocks), [1.0] * len(blocks), is_article=is_article)
    return find_status(page, blocks, labels, range(len(blocks)))


@pytest.mark.parametrize(
    ("html", "status"),
    [
        (SHORT, "ok"),
        (state('"isAccessibleForFree": false') + SHORT, "paywalled"),
        (state('"isAccessibleForFree": "False"') + SHORT, "paywalled"),
        (state('"isAccessibleForFree": true') + SHORT, "ok"),
        (state('"isAccessibleForFree": false') + LONG, "ok"),  # the whole text is there
        (state('"isAccessibleForFree": false, "wordCount": 2000') + LONG, "paywalled"),
        (state('"isAccessibleForFree": false, "wordCount": 400') + LONG, "ok"),
        ("<meta property=article:content_tier content=locked>" + SHORT, "paywalled"),
        ("<meta property=article:content_tier content=free>" + SHORT, "ok"),
        (state('"isAccessibleForFree": false, "wordCount": "' + "9" * 400 + '"') + LONG, "ok"),  # no number of words
        (state('"isAccessibleForFree": false, "wordCount": "' + "9" * 5000 + '"') + LONG, "ok"),
        (state('"url": "x"') + SHORT + "<div id=Paywall-box>Subscribe</div>", "paywalled"),
        (state('"url": "x"') + SHORT + "<div id=Paywall-box></div>", "ok"),
        (state('"url": "x"') + SHORT + "<div class=no-paywall>Free for all</div>", "ok"),
        (state('"url": "x"') + LONG + "<div class=paywall>Subscribe</div>", "ok"),
        (COOKIES, "consent_wall"),
        (COOKIES + SHORT * 3, "ok"),
        (state('"url": "x"') + COOKIES, "ok"),  # an article about them
    ],
)
def test_status(html: str, status: str) -> None:
    assert judge(html) == status


def test_the_method_may_know_that_a_page_is_no_article() -> None:
    assert judge(SHORT, is_article=False) is Status.NOT_ARTICLE
    assert judge(SHORT, is_article=True) is Status.OK


@pytest.mark.parametrize(
    ("html", "status"),
    [
        ("<div id=app></div><script src=x.js></script>", "js_shell"),
        ("", "empty"),
        (COOKIES, "consent_wall"),
    ],
)
def test_status_of_extract(html: str, status: str) -> None:
    assert broadsheet.extract(html).status == status
