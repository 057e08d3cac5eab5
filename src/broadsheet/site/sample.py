"""The sample of a site: the pages that represent it, independent of the order in which pages arrive.

Every page has a fingerprint, a hash of its bytes. The sample is the pages with the lowest fingerprints, up to
`SiteConfig.max_pages`. Therefore merging the samples of two halves of a crawl gives the sample of the whole, a page
that arrives twice counts once, and a site of any size needs only the memory of its sample. Up to `max_pages` pages,
supports are exact counts; above, they are counts in a random sample.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from urllib.parse import urlsplit

from broadsheet.page import Page, strip_www
from broadsheet.site.keys import read_keys, read_short_texts, read_structure

# Of the texts that a description of the site may show:
_MAX_TEXT_CHARS = 60
_MAX_ELEMENT_CHARS = 160  # of all text in an element, as in Table 1 of StaDyNoT
_SECTION_NAME = re.compile(r"[^\W\d][\w-]*")


@dataclass(frozen=True, slots=True)
class SampledPage:
    """A page of the sample: hashes of its content and structure."""

    fingerprint: int
    section: str  # host and first folder of its address
    keys: array[int]  # sorted, 64 bits each: keys.read_keys
    structure: array[int]  # sorted, 32 bits each: keys.read_structure
    texts: Mapping[int, str] = field(default_factory=dict, compare=False, repr=False)  # its short texts, by key


def sample_page(page: Page, fingerprint: int, *, of_elements: bool) -> SampledPage:
    """Reduce a page to its hashes."""
    return SampledPage(
        fingerprint,
        find_section(page.url or page.base),
        read_keys(page.nodes, of_elements=of_elements),
        read_structure(page.nodes),
        read_short_texts(page.nodes, _MAX_ELEMENT_CHARS if of_elements else _MAX_TEXT_CHARS, of_elements=of_elements),
    )


def fingerprint_page(html: str | bytes) -> int:
    """Hash a page. A str has the same hash as its UTF-8 bytes."""
    data = html.encode("utf-8", "surrogatepass") if isinstance(html, str) else html
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def find_section(url: str | None) -> str:
    """Return host and first folder of an address, such as "example.org/sport"; "" if the address is unknown."""
    try:
        parts = urlsplit(url or "")
    except ValueError:  # for example, a broken IPv6 host
        return ""
    folders = parts.path.split("/")[1:-1]
    host = strip_www(parts.netloc.lower())
    return f"{host}/{folders[0]}" if folders and _SECTION_NAME.fullmatch(folders[0]) else host
