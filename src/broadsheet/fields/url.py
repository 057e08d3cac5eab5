"""The address of the article: where it was found, else what the page calls itself."""

from __future__ import annotations

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found


def find_url(evidence: Evidence) -> Found[str] | None:
    """Find the article's own address; absolute http(s) only."""
    for source, address in (
        ("given", evidence.page.url or ""),
        *(("link", href) for href in evidence.metadata.links.get("canonical", ())),
        *(("opengraph", text) for text in evidence.metadata.meta_texts("og:url")),
        *(("json-ld", text) for text in evidence.metadata.article_texts("url")),
    ):
        if absolute := evidence.resolve(address):
            return Found(absolute, source)
    return None
