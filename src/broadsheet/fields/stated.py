"""Fields that a page states in its metadata: the sources of a field, tried in order.

The rows of the table of fields are made of these: `find_stated(Strategy("meta", read_meta("description")))`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.value import UNMEASURED_CONFIDENCE, FieldValue, clean_texts
from broadsheet.text import compile_later

_MAX_KEYWORD_CHARS = 80
_MAX_KEYWORDS = 50
_MAX_KEYWORD_TEXTS = 200  # per source
_KEYWORD_SEPARATOR = compile_later(r"[,;|，、；]")
_KEYWORD_NAMES = ("news_keywords", "keywords", "parsely-tags", "sailthru.tags", "dc.subject", "dcterms.subject", "tags")
_ADDRESS_CONFIDENCE = 0.99  # about one page in a hundred states the address of another page by mistake

T_co = TypeVar("T_co", covariant=True)
ReadTexts = Callable[[Evidence], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Strategy(Generic[T_co]):
    """A source of candidates for a field."""

    source: str
    read: Callable[[Evidence], Iterable[T_co]]  # candidates, the most likely first
    confidence: float = UNMEASURED_CONFIDENCE


def read_json_ld(name: str) -> ReadTexts:
    """Return a reader of a property of the JSON-LD items that describe the article."""
    return lambda evidence: evidence.metadata.article_texts(name)


def read_meta(*names: str) -> ReadTexts:
    """Return a reader of meta elements, in the order of the names."""
    return lambda evidence: evidence.metadata.meta_texts(*names)


def read_microdata(name: str) -> ReadTexts:
    """Return a reader of a property of microdata."""
    return lambda evidence: (item.value for item in evidence.metadata.microdata if item.name == name)


def read_links(relation: str) -> ReadTexts:
    """Return a reader of the addresses of link elements."""
    return lambda evidence: evidence.metadata.links.get(relation, ())


def find_text(
    strategies: Iterable[Strategy[str]], evidence: Evidence, is_valid: Callable[[str], bool]
) -> FieldValue[str] | None:
    """Find the first valid text, cleaned."""
    for strategy in strategies:
        for text in clean_texts(strategy.read(evidence)):
            if is_valid(text):
                return FieldValue(text, strategy.source, strategy.confidence)
    return None


def is_description(text: str) -> bool:
    """Tell whether a text is long enough to describe the article."""
    return len(text) >= 10


def is_section(text: str) -> bool:
    """Tell a name of a section from an address or a sentence."""
    return 1 < len(text) <= 60 and "://" not in text


def find_stated(
    *strategies: Strategy[str], is_valid: Callable[[str], bool]
) -> Callable[[Evidence], FieldValue[str] | None]:
    """Return a function that finds the first valid text of these sources."""
    return lambda evidence: find_text(strategies, evidence, is_valid)


def find_keywords(evidence: Evidence) -> FieldValue[tuple[str, ...]] | None:
    """Find the keywords of the first source that has some, without duplicates, in order."""
    for strategy in _KEYWORD_STRATEGIES:
        keywords: dict[str, str] = {}  # by case-folded keyword
        for text in clean_texts(strategy.read(evidence), max_texts=_MAX_KEYWORD_TEXTS):
            for part in _KEYWORD_SEPARATOR.split(text):
                keyword = part.strip(" #\"'")
                if 1 < len(keyword) <= _MAX_KEYWORD_CHARS and "://" not in keyword:
                    keywords.setdefault(keyword.casefold(), keyword)
        if keywords:
            return FieldValue(tuple(keywords.values())[:_MAX_KEYWORDS], strategy.source, strategy.confidence)
    return None


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


def _read_meta_keywords(evidence: Evidence) -> Iterable[str]:
    metas = evidence.metadata.meta
    return next((metas[name] for name in _KEYWORD_NAMES if metas.get(name)), ())


def _read_tag_links(evidence: Evidence) -> Iterable[str]:
    rows = evidence.metadata.anchors.get("tag", ())
    return (evidence.text_below(row) for row in rows[:_MAX_KEYWORDS])


_GIVEN = Strategy("given", _read_given, 1.0)
_CANONICAL = (
    Strategy("link", read_links("canonical"), _ADDRESS_CONFIDENCE),
    Strategy("opengraph", read_meta("og:url"), _ADDRESS_CONFIDENCE),
    Strategy("json-ld", read_json_ld("url"), _ADDRESS_CONFIDENCE),
)
_AMP = (Strategy("link", read_links("amphtml"), _ADDRESS_CONFIDENCE),)
_KEYWORD_STRATEGIES = (
    Strategy("json-ld", read_json_ld("keywords")),
    Strategy("opengraph", read_meta("article:tag", "og:article:tag")),
    Strategy("meta", _read_meta_keywords),
    Strategy("link", _read_tag_links),
)
