from __future__ import annotations

from datetime import UTC, datetime

from broadsheet.article import Article, Paragraph, Run
from broadsheet.fields import Image
from broadsheet.output.as_schema import to_schema_org

FULL = Article(
    url="https://example.org/a",
    title="Title",
    authors=("Ann Li", "Bo Eck"),
    date=datetime(2024, 5, 1, tzinfo=UTC),
    date_modified=datetime(2024, 5, 2, tzinfo=UTC),
    language="en",
    site_name="The Example",
    description="About it.",
    section="World",
    keywords=("a", "b"),
    images=(Image("https://example.org/a.jpg", caption="A view", alt="Hills"), Image("https://example.org/b.jpg")),
    body=(Paragraph((Run("Text"),)),),
)


def test_full_article() -> None:
    assert to_schema_org(FULL) == {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": "Title",
        "datePublished": "2024-05-01T00:00:00+00:00",
        "dateModified": "2024-05-02T00:00:00+00:00",
        "author": [{"@type": "Person", "name": "Ann Li"}, {"@type": "Person", "name": "Bo Eck"}],
        "publisher": {"@type": "Organization", "name": "The Example"},
        "description": "About it.",
        "articleSection": "World",
        "keywords": ["a", "b"],
        "inLanguage": "en",
        "image": [
            {
                "@type": "ImageObject",
                "url": "https://example.org/a.jpg",
                "caption": "A view",
                "description": "Hills",
            },
            {"@type": "ImageObject", "url": "https://example.org/b.jpg"},
        ],
        "url": "https://example.org/a",
        "mainEntityOfPage": {"@type": "WebPage", "@id": "https://example.org/a"},
        "articleBody": "Text",
    }


def test_properties_without_a_value_are_left_out() -> None:
    assert to_schema_org(Article()) == {"@context": "https://schema.org", "@type": "NewsArticle"}


def test_texts_are_clean() -> None:
    assert to_schema_org(Article(title="a\x00\ud800"))["headline"] == "a\ufffd"
