"""Sitemaps: index files, gzip, the news extension, plain lists of addresses (sitemaps.org).

lxml reads them entry by entry: 1.6 ms for 120 entries. The package ultimate-sitemap-parser fetches by itself, without
the address guard and one file after the other.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from broadsheet.discovery.addresses import resolve_link
from broadsheet.discovery.feeds import clean_title, is_feed, parse_feed, repair_references
from broadsheet.discovery.find import Find, Origin
from broadsheet.errors import FetchError, InputError
from broadsheet.extras import import_extra
from broadsheet.fields.timestamps import read_timestamp
from broadsheet.text import fold_text
from broadsheet.web.body import BodyReader, PageTooLarge

_GZIP_MAGIC = b"\x1f\x8b"
_MAX_BYTES = 52_428_800  # of an unpacked file, by the standard
_MAX_ENTRIES = 50_000  # by the standard
_MAX_TAGS = 1_000_000  # start and end tags: 20 for each entry
_LINE = re.compile(rb"\S+")
_ENTRY_TAGS = ("url", "sitemap")
# Usual places, tried if robots.txt names no sitemap.
SITEMAP_PLACES = ("/sitemap.xml", "/sitemap_index.xml", "/sitemap-news.xml", "/news-sitemap.xml", "/sitemap_news.xml")


@dataclass(frozen=True, slots=True)
class SitemapPart:
    """A sitemap that an index names."""

    url: str
    date: datetime | None  # of its last change


@dataclass(slots=True)
class Sitemap:
    """The content of a sitemap or of an index."""

    parts: list[SitemapPart] = field(default_factory=list)
    finds: list[Find] = field(default_factory=list)
    fault: str = ""  # why the file could not be read to its end


def parse_sitemap(body: bytes, url: str) -> Sitemap:
    """Read a sitemap. Raises InputError if the file is not one; of a damaged one, the readable part is returned."""
    text = _unpack(body)
    head = text[:2000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if is_feed(text):
        feed = parse_feed(text, url)
        return Sitemap(finds=list(feed.finds), fault=feed.fault)
    if head.startswith((b"<!doctype html", b"<html")):
        raise InputError("is an HTML page, not a sitemap")
    if not head.startswith(b"<"):
        return Sitemap(finds=_read_lines(text, url))
    if text.count(b"<") > _MAX_TAGS:
        raise InputError(f"has more than {_MAX_TAGS:,} tags")
    return _read_xml(text, url)


def _unpack(body: bytes) -> bytes:
    if not body.startswith(_GZIP_MAGIC):
        return body
    reader = BodyReader("gzip", _MAX_BYTES)
    try:
        reader.add(body)
        return reader.finish()
    except PageTooLarge as error:
        raise InputError(f"is larger than {_MAX_BYTES:,} bytes when unpacked") from error
    except FetchError as error:
        raise InputError("is a damaged gzip file") from error


def _read_lines(text: bytes, url: str) -> list[Find]:
    lines = (match[0].decode("utf-8-sig", "replace") for match in islice(_LINE.finditer(text), _MAX_ENTRIES))
    addresses = [resolve_link(line, url) for line in lines if line.startswith(("http://", "https://"))]
    if not addresses:
        raise InputError("is not a sitemap")
    return [Find(address, origins=(Origin.SITEMAP,)) for address in addresses if address]


def _read_xml(text: bytes, url: str) -> Sitemap:
    etree: Any = import_extra("lxml.etree", "discover")
    sitemap = Sitemap()
    # Entities are not resolved and nothing is loaded, so that a file cannot grow or read other files.
    elements = etree.iterparse(
        io.BytesIO(repair_references(text)), events=("end",), resolve_entities=False, no_network=True
    )
    try:
        _read_elements((element for _, element in elements), url, sitemap)
    except etree.XMLSyntaxError as error:
        sitemap.fault = f"is damaged XML ({fold_text(str(error))[:100]})"
        if not sitemap.finds and not sitemap.parts:
            raise InputError(sitemap.fault) from error
    return sitemap


def _read_elements(elements: Iterator[Any], url: str, sitemap: Sitemap) -> None:
    """Read the entries. What is below the root is freed as soon as it was read, also elements that are not entries."""
    count = 0
    for element in elements:
        parent = element.getparent()
        if parent is None or parent.getparent() is not None:
            continue
        if element.tag.rpartition("}")[2] in _ENTRY_TAGS:
            count += 1
            _read_element(element, url, sitemap)
        element.clear()
        while element.getprevious() is not None:
            del parent[0]
        if count >= _MAX_ENTRIES:
            return


def _read_element(element: Any, url: str, sitemap: Sitemap) -> None:
    address = resolve_link(_find_text(element, "loc"), url)
    if not address:
        return
    changed = read_timestamp(_find_text(element, "lastmod"))
    if element.tag.endswith("}sitemap") or element.tag == "sitemap":
        sitemap.parts.append(SitemapPart(address, changed))
        return
    news = element.find("{*}news")
    if news is None:
        sitemap.finds.append(Find(address, date=changed, origins=(Origin.SITEMAP,)))
        return
    published = read_timestamp(_find_text(news, "publication_date"))
    sitemap.finds.append(
        Find(address, clean_title(_find_text(news, "title")), published or changed, (Origin.NEWS_SITEMAP,))
    )


def _find_text(element: Any, name: str) -> str:
    return (element.findtext(f"{{*}}{name}") or "").strip()
