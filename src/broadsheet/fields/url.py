"""Addresses of the article: its URL, its canonical URL and the URL of its AMP version."""

from __future__ import annotations

from collections.abc import Iterable

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.strategy import Strategy
from broadsheet.fields.value import FieldValue

_STATED_CONFIDENCE = 0.99  # about one page in a hundred states the address of another page by mistake


def find_url(evidence: Evidence) -> FieldValue[str] | None:
    """Find the article's address: the caller's, otherwise the canonical one; absolute http(s) only."""
    return _find_address((_GIVEN, *_CANONICAL), evidence)


def find_canonical_url(evidence: Evidence) -> FieldValue[str] | None:
    """Find the address that the page states as its canonical one."""
    return _find_address(_CANONICAL, evidence)


def find_amp_url(evidence: Evidence) -> FieldValue[str] | None:
    """Find the address of the page's AMP version."""
    return _find_address(_AMP, evidence)


def _find_address(strategies: Iterable[Strategy[str]], evidence: Evidence) -> FieldValue[str] | None:
    for strategy in strategies:
        for address in strategy.read(evidence):
            if absolute := evidence.resolve(address):
                return FieldValue(absolute, strategy.source, strategy.confidence)
    return None


def _read_given(evidence: Evidence) -> Iterable[str]:
    return (evidence.page.url or "",)


def _read_canonical_link(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.links.get("canonical", ())


def _read_opengraph(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.meta_texts("og:url")


def _read_json_ld(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.article_texts("url")


def _read_amp_link(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.links.get("amphtml", ())


_GIVEN = Strategy("given", _read_given, 1.0)
_CANONICAL = (
    Strategy("link", _read_canonical_link, _STATED_CONFIDENCE),
    Strategy("opengraph", _read_opengraph, _STATED_CONFIDENCE),
    Strategy("json-ld", _read_json_ld, _STATED_CONFIDENCE),
)
_AMP = (Strategy("link", _read_amp_link, _STATED_CONFIDENCE),)
