"""The summary that the page gives of itself."""

from __future__ import annotations

from collections.abc import Iterator

from broadsheet.fields.clean import clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found

_MIN_LENGTH = 10


def find_description(evidence: Evidence) -> Found[str] | None:
    """Find the description, as stated."""
    for source, strategy in _STRATEGIES:
        for text in clean_texts(strategy(evidence)):
            if len(text) >= _MIN_LENGTH:
                return Found(text, source)
    return None


def _from_json_ld(evidence: Evidence) -> Iterator[str]:
    return iter(evidence.metadata.article_texts("description"))


def _from_opengraph(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts("og:description", "twitter:description")


def _from_meta(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts(
        "description", "dc.description", "dcterms.description", "dcterms.abstract", "sailthru.description"
    )


_STRATEGIES = (("json-ld", _from_json_ld), ("opengraph", _from_opengraph), ("meta", _from_meta))
