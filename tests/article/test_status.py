"""The status of articles."""

from __future__ import annotations

import pytest

import broadsheet
from broadsheet.article import Status
from broadsheet.article.assemble import find_status
from broadsheet.blocks import Labels, Role, segment
from broadsheet.page import read_page

PARAGRAPH = "The ferry sails again, after two years, from the old harbour to the island and back each day. "
SHORT = f"<p>{PARAGRAPH}</p>"
LONG = f"<p>{PARAGRAPH * 20}</p>"
COOKIES = "<p>We and our partners use cookies to store and read data. Accept all cookies, or reject them.</p>"


def write_json_ld(values: str, type_: str = "NewsArticle") -> str:
    return f'<script type="application/ld+json">{{"@type": "{type_}", "headline": "Ferry", {values}}}</script>'


def status_of(html: str, *, is_article: bool | None = None) -> Status:
    """Return the status of a page whose blocks are all labelled as text."""
    page = read_page(html)
    blocks = segment(page)
    labels = Labels([Role.BODY] * len(blocks), [1.0] * len(blocks), is_article=is_article)
    return find_status(page, blocks, labels, range(len(blocks)))


@pytest.mark.parametrize(
    ("html", "status"),
    [
        (SHORT, "ok"),
        (write_json_ld('"isAccessibleForFree": false') + SHORT, "paywalled"),
        (write_json_ld('"isAccessibleForFree": "False"') + SHORT, "paywalled"),
        (write_json_ld('"isAccessibleForFree": true') + SHORT, "ok"),
        (write_json_ld('"isAccessibleForFree": false') + LONG, "ok"),  # the text is complete
        (write_json_ld('"isAccessibleForFree": false, "wordCount": 2000') + LONG, "paywalled"),
        (write_json_ld('"isAccessibleForFree": false, "wordCount": 400') + LONG, "ok"),
        ("<meta property=article:content_tier content=locked>" + SHORT, "paywalled"),
        ("<meta property=article:content_tier content=free>" + SHORT, "ok"),
        (
            write_json_ld('"isAccessibleForFree": false, "wordCount": "' + "9" * 400 + '"') + LONG,
            "ok",
        ),  # not a word count
        (write_json_ld('"isAccessibleForFree": false, "wordCount": "' + "9" * 5000 + '"') + LONG, "ok"),
        (write_json_ld('"url": "x"') + SHORT + "<div id=Paywall-box>Subscribe</div>", "paywalled"),
        (write_json_ld('"url": "x"') + SHORT + "<div id=Paywall-box></div>", "ok"),
        (write_json_ld('"url": "x"') + SHORT + "<div class=no-paywall>Free for all</div>", "ok"),
        (write_json_ld('"url": "x"') + LONG + "<div class=paywall>Subscribe</div>", "ok"),
        # complete, cut in mid-sentence, counted
        (write_json_ld('"isAccessibleForFree": false') + SHORT * 5, "ok"),
        (
            write_json_ld('"isAccessibleForFree": false') + LONG + f"<p>{PARAGRAPH}The captain said that the</p>",
            "paywalled",
        ),
        (
            write_json_ld('"url": "x"')
            + LONG
            + f"<p>{PARAGRAPH}The captain said …</p><div class=paywall>Subscribe</div>",
            "ok",  # the last block is not prose
        ),
        (
            write_json_ld('"isAccessibleForFree": false') + LONG + "<p>You have 57 % of this article left to read.</p>",
            "paywalled",
        ),
        (
            write_json_ld('"isAccessibleForFree": false') + LONG + "<p>Il vous reste 57.3% de cet article à lire.</p>",
            "paywalled",
        ),
        (LONG + "<p>Only 57 % of the ferries are left, he said.</p>", "ok"),
        ("<p>Ferry</p>", "empty"),
        (
            "<meta name=description content='The ferry sails again in May.'><p>The ferry sails again in May.</p>"
            + COOKIES,
            "ok",
        ),
        (COOKIES, "consent_wall"),
        (COOKIES + SHORT * 3, "ok"),
        (write_json_ld('"url": "x"') + COOKIES, "ok"),  # an article about cookies
    ],
)
def test_status(html: str, status: str) -> None:
    assert status_of(html) == status


def test_a_method_can_reject_a_page_as_not_an_article() -> None:
    assert status_of(SHORT, is_article=False) is Status.NOT_ARTICLE
    assert status_of(SHORT, is_article=True) is Status.OK


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
