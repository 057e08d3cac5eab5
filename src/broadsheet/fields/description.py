"""The description: the page's summary of itself."""

from __future__ import annotations

from collections.abc import Iterable

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.strategy import Strategy, find_text
from broadsheet.fields.value import FieldValue

_MIN_CHARS = 10


def find_description(evidence: Evidence) -> FieldValue[str] | None:
    """Find the description in the metadata."""
    return find_text(_STRATEGIES, evidence, _is_valid)


def _is_valid(text: str) -> bool:
    return len(text) >= _MIN_CHARS


def _read_json_ld(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.article_texts("description")


def _read_opengraph(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.meta_texts("og:description", "twitter:description")


def _read_meta(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.meta_texts(
        "description", "dc.description", "dcterms.description", "dcterms.abstract", "sailthru.description"
    )


_STRATEGIES = (
    Strategy("json-ld", _read_json_ld),
    Strategy("opengraph", _read_opengraph),
    Strategy("meta", _read_meta),
)
