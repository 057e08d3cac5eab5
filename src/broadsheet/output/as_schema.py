"""Write articles as schema.org data, the vocabulary of pages and search engines."""

from __future__ import annotations

from typing import Any

from broadsheet.article import Article
from broadsheet.fields import FIELDS
from broadsheet.output.as_json import dump_json
from broadsheet.output.record import to_json_value

_INDENT = 2
# Properties of other fields follow, in the order of the table of fields; "articleBody" is the last.
_FIRST_PROPERTIES = (
    "headline", "datePublished", "dateModified", "author", "publisher", "description", "articleSection", "keywords",
    "inLanguage", "image",
)  # fmt: skip


def to_schema_org(article: Article) -> dict[str, Any]:
    """Return a NewsArticle for JSON-LD, without properties that have no value."""
    properties: dict[str, Any] = dict.fromkeys(_FIRST_PROPERTIES)
    for field in FIELDS:
        if value := getattr(article, field.name):
            for entry in field.schema_org:
                properties[entry.name] = entry.write(value) if entry.write else value
    properties["articleBody"] = article.text
    written = {name: to_json_value(value) for name, value in properties.items() if value}
    return {"@context": "https://schema.org", "@type": "NewsArticle", **written}


def write_schema(article: Article) -> str:
    """Write indented JSON-LD. It contains no "<", so that it can be put into a `<script>` of any page."""
    return dump_json(to_schema_org(article), indent=_INDENT).replace("<", "\\u003c")
