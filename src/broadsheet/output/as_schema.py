"""Write articles as schema.org data, the vocabulary of pages and search engines."""

from __future__ import annotations

from typing import Any

from broadsheet.article import Article
from broadsheet.fields import FIELDS
from broadsheet.fields.authors import ORGANIZATION, PERSON
from broadsheet.output.record import dump_json, format_fetched_at, to_json_value

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
    if article.authors:
        properties["author"] = _list_authors(article)
    properties["isBasedOn"] = _write_capture(article)
    properties["sdPublisher"] = _write_program(article)
    properties["articleBody"] = article.text
    written = {name: to_json_value(value) for name, value in properties.items() if value}
    return {"@context": "https://schema.org", "@type": "NewsArticle", **written}


def _list_authors(article: Article) -> list[dict[str, str]]:
    kinds = article.author_kinds or (PERSON,) * len(article.authors)  # older records have no kinds
    pairs = zip(article.authors, kinds, strict=False)
    return [{"@type": "Organization" if kind == ORGANIZATION else "Person", "name": name} for name, kind in pairs]


def _write_capture(article: Article) -> dict[str, Any]:
    """Return the page that the article was made from, with its hash; empty if nothing is known."""
    origin = article.provenance
    place = "" if origin.source_offset is None else f"#{origin.source_offset}"
    properties = {
        "dateCreated": format_fetched_at(article),
        "identifier": f"{origin.source_file}{place}" if origin.source_file else None,
        "sha256": origin.html_hash,
    }
    present = {name: value for name, value in properties.items() if value}
    return {"@type": "MediaObject", **present} if present else {}


def _write_program(article: Article) -> dict[str, Any]:
    """Return the program, method and hash of weights that made the data; empty if unknown."""
    run = article.provenance
    if not run.broadsheet_version:
        return {}
    parts = (f"method {article.method}", f"weights {run.weights}" if run.weights else "")
    return {
        "@type": "Organization",
        "name": f"Broadsheet {run.broadsheet_version}",
        "description": ", ".join(filter(None, parts)),
    }


def format_schema(article: Article) -> str:
    """Write indented JSON-LD. It contains no "<", so that it can be put into a `<script>` of any page."""
    return dump_json(to_schema_org(article), indent=_INDENT).replace("<", "\\u003c")
