from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from broadsheet.fields import Fields
from broadsheet.fields.field import Step
from broadsheet.fields.page_type import find_page_type

TEXT = "<p>The first paragraph of the story begins here, and it is long enough to be one.</p>"


def ld(*types: str) -> str:
    return f'<script type="application/ld+json">{json.dumps([{"@type": name} for name in types])}</script>'


@pytest.mark.parametrize(
    ("head", "is_article", "page_type", "source"),
    [
        ("", None, None, None),
        ("", True, "article", "method"),
        ("", False, "other", "method"),
        (ld("NewsArticle"), None, "article", "json-ld"),
        (ld("NewsArticle"), False, "other", "method"),
        (ld("NewsArticle", "LiveBlogPosting"), True, "live_blog", "json-ld"),
        (ld("Article", "Recipe"), True, "recipe", "json-ld"),
        (ld("QAPage"), None, "question", "json-ld"),
        (ld("FAQPage", "Question"), True, "article", "method"),
        (ld("DiscussionForumPosting"), None, "forum", "json-ld"),
        (ld("Article", "ItemList"), True, "article", "json-ld"),
        (ld("ItemList"), False, "listing", "json-ld"),
        (ld("CollectionPage"), False, "collection", "json-ld"),
        ("<meta property=og:type content=video.other>", None, "video", "opengraph"),
        ("<meta property=og:type content=product>", None, "product", "opengraph"),
        ("<meta property=og:type content=article>", False, "other", "method"),
        (
            "<div itemscope itemtype=https://schema.org/Product><b itemprop=name>Boat</b></div>",
            None,
            "product",
            "microdata",
        ),
    ],
)
def test_page_type(
    read: Callable[..., Fields], head: str, is_article: bool | None, page_type: str | None, source: str | None
) -> None:
    fields = read(head + TEXT)
    evidence = fields.get_evidence(Step.PAGE)
    value = find_page_type(replace(evidence, labels=replace(evidence.labels, is_article=is_article)))
    assert (value and value.value, value and value.source) == (page_type, source)


@pytest.mark.parametrize(
    ("head", "page_type", "source"), [("", "forum", "method"), (ld("Product"), "product", "json-ld")]
)
def test_learned_type_counts_after_a_declared_one(
    read: Callable[..., Fields], head: str, page_type: str, source: str
) -> None:
    evidence = read(head + TEXT).get_evidence(Step.PAGE)
    labels = replace(evidence.labels, is_article=True, page_type="forum")
    value = find_page_type(replace(evidence, labels=labels))
    assert (value and value.value, value and value.source) == (page_type, source)
