"""The section of the site that the article belongs to."""

from __future__ import annotations

from collections.abc import Iterable

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.strategy import Strategy, find_text
from broadsheet.fields.value import FieldValue

_MAX_CHARS = 60


def find_section(evidence: Evidence) -> FieldValue[str] | None:
    """Find the first section that the metadata name."""
    return find_text(_STRATEGIES, evidence, _is_valid)


def _is_valid(text: str) -> bool:
    return 1 < len(text) <= _MAX_CHARS and "://" not in text


def _read_json_ld(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.article_texts("articleSection")


def _read_meta(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.meta_texts(
        "article:section",
        "og:article:section",
        "og:section",
        "articlesection",
        "parsely-section",
        "prism.section",
        "section",
    )


def _read_microdata(evidence: Evidence) -> Iterable[str]:
    return (item.value for item in evidence.metadata.microdata if item.name == "articlesection")


_STRATEGIES = (
    Strategy("json-ld", _read_json_ld),
    Strategy("meta", _read_meta),
    Strategy("microdata", _read_microdata),
)
