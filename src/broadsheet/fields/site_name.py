"""The name of the site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from broadsheet.fields.evidence import Evidence
from broadsheet.fields.stated import Strategy, find_text
from broadsheet.fields.value import FieldValue, clean_text
from broadsheet.page.json_ld import Item
from broadsheet.text import compile_later, fold_words

_MAX_CHARS = 60
_MIN_LABEL_CHARS = 4  # of a host label that is searched for inside a name
_MAX_EXTRA_CHARS = 8  # of a name around the host label: "The", "News"
_SITE_TYPES = frozenset(("WebSite", "NewsMediaOrganization"))
# Separators between headline, section and site name in a page title.
SEPARATOR = compile_later(r"\s+[-–—|·•»«:~/<>]{1,2}\s+|\s*[|»«•_]\s*|\s*[－｜—]\s*")
# A character that every separator contains. Searched for first, in a tenth of the time.
_SEPARATOR_CHAR = compile_later(r"[-–—|·•»«:~/<>_－｜]")


def find_site_name(evidence: Evidence) -> FieldValue[str] | None:
    """Find the name of the site in the metadata, otherwise the part of `<title>` that resembles the host name."""
    page_title = evidence.metadata.title

    def is_valid(name: str) -> bool:
        return 1 < len(name) <= _MAX_CHARS and "://" not in name and name != page_title

    return find_text(_STRATEGIES, evidence, is_valid)


def split_title(title: str) -> list[str]:
    """Split a page title at the separators that sites put between headline, section and name."""
    if not _SEPARATOR_CHAR.search(title):
        return [title] if title else []
    return [part for part in SEPARATOR.split(title) if part]


def has_separator(title: str) -> bool:
    """Return True if `split_title` would split a title."""
    return _SEPARATOR_CHAR.search(title) is not None and SEPARATOR.search(title) is not None


def is_site_name(text: str, evidence: Evidence) -> bool:
    """Return True if a text is the name of the site or its host name."""
    return are_site_words(fold_words(text), evidence)


def are_site_words(words: str, evidence: Evidence) -> bool:
    """Return True if folded words are the name of the site or its host name."""
    if not words or words == evidence.site_words:
        return bool(words)
    if len(words) > _MAX_CHARS:
        return False
    joined_words = words.replace(" ", "")
    host, label = _join_host(evidence.host)
    # dailyplanet.com is "Daily Planet", and also "The Daily Planet" and "DailyPlanet News".
    return joined_words == host or (
        len(label) >= _MIN_LABEL_CHARS and label in joined_words and len(joined_words) <= len(label) + _MAX_EXTRA_CHARS
    )


@lru_cache(maxsize=8)
def _join_host(host: str) -> tuple[str, str]:
    """Return a host name and its longest label, both without dots and hyphens."""
    label = max(host.split(".")[:-1], key=len, default="")
    return host.replace(".", "").replace("-", ""), label.replace("-", "")


def _read_opengraph(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.meta_texts("og:site_name", "og:site", "twitter:app:name:iphone")


def _read_json_ld(evidence: Evidence) -> Iterator[str]:
    for publisher in evidence.metadata.article_things("publisher"):
        if isinstance(publisher, Item):
            yield from publisher.texts("name")
        else:
            yield publisher
    for item in evidence.metadata.json_ld.items:
        if not item.parent_property and not _SITE_TYPES.isdisjoint(item.types):
            yield from item.texts("name")


def _read_meta(evidence: Evidence) -> Iterable[str]:
    return evidence.metadata.meta_texts(
        "application-name", "apple-mobile-web-app-title", "dc.publisher", "sitename", "site_name", "publisher"
    )


def _read_html_title(evidence: Evidence) -> Iterator[str]:
    parts = split_title(clean_text(evidence.metadata.title))
    for part in reversed(parts if len(parts) > 1 else []):
        if is_site_name(part, evidence):
            yield part


_STRATEGIES = (
    Strategy("opengraph", _read_opengraph),
    Strategy("json-ld", _read_json_ld),
    Strategy("meta", _read_meta),
    Strategy("html", _read_html_title),
)
