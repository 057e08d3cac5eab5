"""The pages that a site is known by: a sample that does not depend on the order in which pages came.

Every page has a fingerprint, a hash of its bytes; the sample is the pages with the lowest fingerprints, up to
`SiteConfig.max_pages`. So the sample of two halves of a crawl together is the sample of the whole, a page that comes
twice counts once, and a site of any size needs no more memory than its sample. Up to that number of pages, supports are
exact counts; above it, exact counts in a random sample.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from urllib.parse import urlsplit

from broadsheet.page import Page
from broadsheet.site.keys import read_keys, read_looks, read_words

_MAX_WORDS = 60  # characters of a text that may be shown when the site is described
_SECTION = re.compile(r"[^\W\d][\w-]*")


@dataclass(frozen=True, slots=True)
class SampledPage:
    """What the site keeps of a page."""

    fingerprint: int
    section: str  # host and first folder of its address
    keys: array[int]  # sorted, 64 bits each: keys.read_keys
    looks: array[int]  # sorted, 32 bits each: keys.read_looks
    words: Mapping[int, str] = field(default_factory=dict, compare=False, repr=False)  # its short texts, by their key


def sample_page(page: Page, fingerprint: int, *, of_elements: bool) -> SampledPage:
    """Keep of a page what the site needs."""
    return SampledPage(
        fingerprint,
        find_section(page.url or page.base),
        read_keys(page.nodes, of_elements=of_elements),
        read_looks(page.nodes),
        read_words(page.nodes, _MAX_WORDS),
    )


def fingerprint_page(html: str | bytes) -> int:
    """Hash a page; the same for str and for its UTF-8."""
    data = html.encode("utf-8", "surrogatepass") if isinstance(html, str) else html
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def find_section(url: str | None) -> str:
    """Host and first folder of an address, such as "example.org/sport"; "" when it is unknown."""
    try:
        parts = urlsplit(url or "")
    except ValueError:  # such as a broken IPv6 host
        return ""
    folders = parts.path.split("/")[1:-1]
    host = parts.netloc.lower().removeprefix("www.")
    return f"{host}/{folders[0]}" if folders and _SECTION.fullmatch(folders[0]) else host
