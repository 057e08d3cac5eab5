"""Keywords and tags."""

from __future__ import annotations

from collections.abc import Iterable

from broadsheet.fields.clean import clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.strategy import Strategy
from broadsheet.fields.value import FieldValue
from broadsheet.text.patterns import compile_later

_MAX_KEYWORD_CHARS = 80
_MAX_KEYWORDS = 50
_MAX_TEXTS = 200  # per source
_SEPARATOR = compile_later(r"[,;|，、；]")


def find_keywords(evidence: Evidence) -> FieldValue[tuple[str, ...]] | None:
    """Find the keywords of the first source that has some, without duplicates, in order."""
    for strategy in _STRATEGIES:
        keywords: dict[str, str] = {}  # by case-folded keyword
        for text in clean_texts(strategy.read(evidence), max_texts=_MAX_TEXTS):
            for part in _SEPARATOR.split(text):
                keyword = part.strip(" #\"'")
                if 1 < len(keyword) <= _MAX_KEYWORD_CHARS and "://" not in keyword:
                    keywords.setdefault(keyword.casefold(), keyword)
        if keywords:
            return FieldValue(tuple(keywords.values())[:_MAX_KEYWORDS], strategy.source, strategy.confidence)
    return None


def _read_json_ld(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.article_texts("keywords")


def _read_opengraph(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.meta_texts("article:tag", "og:article:tag")


def _read_meta(evidence: Evidence) -> Iterable[str]:
    for name in ("news_keywords", "keywords", "parsely-tags", "sailthru.tags", "dc.subject", "dcterms.subject", "tags"):
        if texts := evidence.metadata.meta.get(name):
            return texts
    return ()


def _read_links(evidence: Evidence) -> Iterable[str]:
    rows = evidence.metadata.anchors.get("tag", ())
    return (evidence.text_below(row) for row in rows[:_MAX_KEYWORDS])


_STRATEGIES = (
    Strategy("json-ld", _read_json_ld),
    Strategy("opengraph", _read_opengraph),
    Strategy("meta", _read_meta),
    Strategy("link", _read_links),
)
