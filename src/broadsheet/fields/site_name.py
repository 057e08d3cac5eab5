"""What the site calls itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from broadsheet.fields.clean import clean_text, clean_texts
from broadsheet.fields.evidence import Evidence
from broadsheet.fields.fields import Found
from broadsheet.page.json_ld import Item
from broadsheet.text import fold_words

_MAX_LENGTH = 60
# Separators between the headline and the names of section and site.
SEPARATOR = re.compile(r"\s+[-–—|·•»«:~/<>]{1,2}\s+|\s*[|»«•_]\s*|\s*[－｜—]\s*")
_MARK = re.compile(r"[-–—|·•»«:~/<>_－｜]")  # what each of them has: looked for first, in a tenth of the time


def find_site_name(evidence: Evidence) -> Found[str] | None:
    """Find the name of the site: stated, else the part of `<title>` that looks like the host."""
    for source, strategy in _STRATEGIES:
        for name in clean_texts(strategy(evidence)):
            if 1 < len(name) <= _MAX_LENGTH and "://" not in name and name != evidence.metadata.title:
                return Found(name, source)
    return None


def split_title(title: str) -> list[str]:
    """Cut a page title at the separators that sites put between headline, section and name."""
    if not _MARK.search(title):
        return [title] if title else []
    return [part for part in SEPARATOR.split(title) if part]


def has_separator(title: str) -> bool:
    """Tell whether a title can be cut."""
    return _MARK.search(title) is not None and SEPARATOR.search(title) is not None


def is_site_name(text: str, evidence: Evidence) -> bool:
    """Tell whether a text is the name of the site, or its host name."""
    return are_site_words(fold_words(text), evidence)


def are_site_words(words: str, evidence: Evidence) -> bool:
    """Tell whether folded words are the name of the site, or its host name."""
    if not words or words == evidence.site_words:
        return bool(words)
    if len(words) > _MAX_LENGTH:
        return False
    squeezed = words.replace(" ", "")
    whole, label = _squeeze_host(evidence.host)
    # "Daily Planet" is dailyplanet.com, "The Daily Planet" and "DailyPlanet News" are too.
    return squeezed == whole or (len(label) > 3 and label in squeezed and len(squeezed) <= len(label) + 8)


@lru_cache(maxsize=8)
def _squeeze_host(host: str) -> tuple[str, str]:
    """Write a host name, and its longest label, without points and hyphens."""
    label = max(host.split(".")[:-1], key=len, default="")
    return host.replace(".", "").replace("-", ""), label.replace("-", "")


def _from_opengraph(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts("og:site_name", "og:site", "twitter:app:name:iphone")


def _from_json_ld(evidence: Evidence) -> Iterator[str]:
    for publisher in evidence.metadata.article_things("publisher"):
        if isinstance(publisher, Item):
            yield from publisher.texts("name")
        else:
            yield publisher
    for item in evidence.metadata.json_ld.items:
        if not item.parent_property and not _SITE_TYPES.isdisjoint(item.types):
            yield from item.texts("name")


_SITE_TYPES = frozenset(("WebSite", "NewsMediaOrganization"))


def _from_meta(evidence: Evidence) -> Iterator[str]:
    return evidence.metadata.meta_texts(
        "application-name", "apple-mobile-web-app-title", "dc.publisher", "sitename", "site_name", "publisher"
    )


def _from_title(evidence: Evidence) -> Iterator[str]:
    parts = split_title(clean_text(evidence.metadata.title))
    for part in reversed(parts if len(parts) > 1 else []):
        if is_site_name(part, evidence):
            yield part


_STRATEGIES = (
    ("opengraph", _from_opengraph),
    ("json-ld", _from_json_ld),
    ("meta", _from_meta),
    ("html", _from_title),
)
