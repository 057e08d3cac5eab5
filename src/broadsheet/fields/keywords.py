"""Keywords and tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from broadsheet.fields.clean import clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found

_MAX_LENGTH = 80
_MAX_KEYWORDS = 50
_MAX_TEXTS = 200
_SEPARATOR = re.compile(r"[,;|，、；]")


def find_keywords(evidence: Evidence) -> Found[tuple[str, ...]] | None:
    """Find the keywords of the first place that has some; each once, in order."""
    for source, strategy in _STRATEGIES:
        words: dict[str, str] = {}
        for text in clean_texts(strategy(evidence), most=_MAX_TEXTS):
            for part in _SEPARATOR.split(text):
                word = part.strip(" #\"'")
                if 1 < len(word) <= _MAX_LENGTH and "://" not in word:
                    words.setdefault(word.casefold(), word)
        if words:
            return Found(tuple(words.values())[:_MAX_KEYWORDS], source)
    return None


def _from_json_ld(evidence: Evidence) -> Iterator[str]:
    return iter(evidence.metadata.article_texts("keywords"))


def _from_opengraph(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts("article:tag", "og:article:tag")


def _from_meta(evidence: Evidence) -> Iterator[str]:
    for name in ("news_keywords", "keywords", "parsely-tags", "sailthru.tags", "dc.subject", "dcterms.subject", "tags"):
        if texts := evidence.metadata.meta.get(name):
            return iter(texts)
    return iter(())


def _from_links(evidence: Evidence) -> Iterator[str]:
    rows = evidence.metadata.anchors.get("tag", ())
    return (evidence.text_below(row) for row in rows[:_MAX_KEYWORDS])


_STRATEGIES = (
    ("json-ld", _from_json_ld),
    ("opengraph", _from_opengraph),
    ("meta", _from_meta),
    ("link", _from_links),
)
