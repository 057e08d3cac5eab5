"""Addresses of the article: where it was found, what the page calls itself, and its AMP version."""

from __future__ import annotations

from collections.abc import Iterable

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found

_SURE = 0.99  # a statement about itself; one in a hundred names another page by mistake


def find_url(evidence: Evidence) -> Found[str] | None:
    """Find the article's own address: as given, else as stated; absolute http(s) only."""
    return _find_first((("given", evidence.page.url or ""), *_list_stated(evidence)), evidence)


def find_canonical_url(evidence: Evidence) -> Found[str] | None:
    """Find the address that the page states as its own."""
    return _find_first(_list_stated(evidence), evidence)


def find_amp_url(evidence: Evidence) -> Found[str] | None:
    """Find the address of the page's AMP version."""
    return _find_first((("link", href) for href in evidence.metadata.links.get("amphtml", ())), evidence)


def _list_stated(evidence: Evidence) -> list[tuple[str, str]]:
    metadata = evidence.metadata
    return [
        *(("link", href) for href in metadata.links.get("canonical", ())),
        *(("opengraph", text) for text in metadata.meta_texts("og:url")),
        *(("json-ld", text) for text in metadata.article_texts("url")),
    ]


def _find_first(addresses: Iterable[tuple[str, str]], evidence: Evidence) -> Found[str] | None:
    for source, address in addresses:
        if absolute := evidence.resolve(address):
            return Found(absolute, source, 1.0 if source == "given" else _SURE)
    return None
