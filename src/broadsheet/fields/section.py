"""The section of the site that the article stands in."""

from __future__ import annotations

from collections.abc import Iterator

from broadsheet.fields.clean import clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found

_MAX_LENGTH = 60


def find_section(evidence: Evidence) -> Found[str] | None:
    """Find the section, as stated."""
    for source, strategy in _STRATEGIES:
        for text in clean_texts(strategy(evidence)):
            if 1 < len(text) <= _MAX_LENGTH and "://" not in text:
                return Found(text, source)
    return None


def _from_json_ld(evidence: Evidence) -> Iterator[str]:
    return iter(evidence.metadata.article_texts("articleSection"))


def _from_meta(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts(
        "article:section",
        "og:article:section",
        "og:section",
        "articlesection",
        "parsely-section",
        "prism.section",
        "section",
    )


def _from_microdata(evidence: Evidence) -> Iterator[str]:
    return (item.value for item in evidence.metadata.microdata if item.name == "articlesection")


_STRATEGIES = (("json-ld", _from_json_ld), ("meta", _from_meta), ("microdata", _from_microdata))
