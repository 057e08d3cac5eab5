"""Article as schema.org data, the vocabulary that pages and search engines use."""

from __future__ import annotations

from typing import Any

from broadsheet.article import Article
from broadsheet.fields import Image
from broadsheet.output.as_json import clean_value, write_date


def to_schema_org(article: Article) -> dict[str, Any]:
    """Give a NewsArticle for JSON-LD; properties that are not known are left out."""
    properties = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "headline": article.title,
        "datePublished": write_date(article.date),
        "dateModified": write_date(article.date_modified),
        "author": [{"@type": "Person", "name": name} for name in article.authors],
        "publisher": {"@type": "Organization", "name": article.site_name} if article.site_name else None,
        "description": article.description,
        "articleSection": article.section,
        "keywords": article.keywords,
        "inLanguage": article.language,
        "image": [_describe_image(image) for image in article.images],
        "url": article.url,
        "mainEntityOfPage": {"@type": "WebPage", "@id": article.url} if article.url else None,
        "articleBody": article.text,
    }
    return {name: clean_value(value) for name, value in properties.items() if value}


def _describe_image(image: Image) -> dict[str, str]:
    known = {
        "@type": "ImageObject",
        "url": image.url,
        "caption": image.caption,
        "description": image.alt,
        "creditText": image.credit,
    }
    return {name: value for name, value in known.items() if value}
