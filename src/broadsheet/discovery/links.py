"""Links of home and section pages: their place on the page, and those to articles, sections and further pages."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from urllib.parse import urlsplit

from broadsheet.discovery.addresses import clean_address, is_same_site, make_key, names_no_section, resolve_link
from broadsheet.discovery.feeds import list_feed_links
from broadsheet.fields.timestamps import read_timestamp
from broadsheet.page import Nodes, Page, host_of
from broadsheet.text import fold_text

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5"))
_MENUS = frozenset(("nav", "header", "footer"))
_MENU_WORDS = re.compile(
    r"(?<![a-z])(?:nav|navbar|menu|footer|foot|header|top-?bar|breadcrumbs?|social|share|login|pagination|pager)(?![a-z])"
)
_MAX_LEVELS = 30  # of ancestors that are read
_MAX_TEASER_ROWS = 120  # an element with more nodes is a column, not a teaser
_MAX_TEXT_CHARS = 300
_MAX_LINKS = 5_000  # of one page

# Names of the features, in the order of `PlacedLink.features`.
PLACE_FEATURES = (
    "text_words",  # up to 12
    "has_short_text",  # one or two words
    "has_no_text",
    "is_in_heading",
    "is_in_menu",  # <nav>, <header>, <footer>, or a class name that says so
    "is_in_aside",
    "is_in_article",  # <article> or <main>
    "has_image",
    "is_near_date",  # a <time> in the same teaser
)


@dataclass(frozen=True, slots=True)
class PlacedLink:
    """A link of a page."""

    address: str  # absolute
    text: str
    date: datetime | None  # of the nearest <time>
    features: tuple[float, ...]  # PLACE_FEATURES
    is_in_menu: bool


def list_links(page: Page) -> Iterator[PlacedLink]:
    """Yield the links of a page that lead to http and https addresses."""
    reader = _LinkReader(page.nodes)
    for row in page.nodes.elements("a", "href")[:_MAX_LINKS]:
        address = resolve_link(page.nodes.attr(row, "href"), page.base)
        if address:
            yield reader.read(row, address)


class _LinkReader:
    """Reads the links of one page. Results for an element are cached, because many links share their ancestors."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._times = sorted({*nodes.rows["time"], *_find_published(nodes)})
        self._menus: dict[int, bool] = {}  # by row

    def read(self, row: int, address: str) -> PlacedLink:
        nodes = self._nodes
        inner = frozenset(nodes.tag[row : nodes.end[row]])
        ancestors = list(islice(nodes.ancestors(row), _MAX_LEVELS))
        tags = {nodes.tag[above] for above in ancestors}
        text = self._read_text(row)
        is_in_menu = any(map(self._is_menu, ancestors))
        time = self._find_time([row, *ancestors])
        words = count_words(text)
        features = (
            min(words, 12) / 12,
            float(1 <= words <= 2),
            float(not words),
            float(not _HEADINGS.isdisjoint(tags | inner)),
            float(is_in_menu),
            float("aside" in tags),
            float("article" in tags or "main" in tags),
            float("img" in inner or "picture" in inner),
            float(time is not None),
        )
        return PlacedLink(address, text, self._read_time(time), features, is_in_menu)

    def _read_text(self, row: int) -> str:
        """Return the text of a link; of one that wraps a whole teaser, its heading."""
        nodes = self._nodes
        heading = next((inner for inner in range(row, nodes.end[row]) if nodes.tag[inner] in _HEADINGS), row)
        text = nodes.text_of(heading) or nodes.text_of(row) or nodes.attr(row, "title")
        return fold_text(text)[:_MAX_TEXT_CHARS]

    def _is_menu(self, row: int) -> bool:
        if row not in self._menus:
            nodes = self._nodes
            names = f"{nodes.attr(row, 'class')} {nodes.attr(row, 'id')}".lower()
            has_menu_name = nodes.tag[row] not in ("html", "body") and _MENU_WORDS.search(names) is not None
            self._menus[row] = nodes.tag[row] in _MENUS or has_menu_name
        return self._menus[row]

    def _find_time(self, rows: list[int]) -> int | None:
        """Return the row of the <time> in the smallest teaser around the link that has one."""
        for row in rows:
            end = self._nodes.end[row]
            if end - row > _MAX_TEASER_ROWS:
                return None
            place = bisect_left(self._times, row)
            if place < len(self._times) and self._times[place] < end:
                return self._times[place]
        return None

    def _read_time(self, row: int | None) -> datetime | None:
        if row is None:
            return None
        stated = self._nodes.attr(row, "datetime") or self._nodes.attr(row, "content")
        return read_timestamp(stated or self._nodes.text_of(row))


def _find_published(nodes: Nodes) -> list[int]:
    """Return the elements with the microdata property of the date of publication."""
    rows = nodes.attrs.rows_with("itemprop")
    return [row for row in rows if nodes.attr(row, "itemprop") == "datePublished"]


def count_words(text: str) -> int:
    """Count words; three characters count as one in scripts that do not separate words."""
    words = len(text.split())
    return words if text.isascii() or words > 3 else max(words, len(text) // 3)


_PAGE_NUMBER = re.compile(
    r"(?:/(?:page|seite|pagina|p)[/-]?|[?&](?:page|paged|p|pg|seite|pagina)=)(\d{1,4})(?=[/&#]|$)"
)
_MAX_SECTION_FOLDERS = 2


@dataclass(frozen=True, slots=True)
class ListingPage:
    """The links of a home or section page that stay on the site."""

    links: tuple[PlacedLink, ...]
    feeds: tuple[str, ...]
    next_page: str | None


def read_listing(page: Page, url: str, host: str) -> ListingPage:
    """Read the links of a home or section page."""
    links = tuple(link for link in list_links(page) if is_same_site(link.address, host))
    return ListingPage(links, tuple(list_feed_links(page)), _find_next_page(page, url, links))


def list_sections(links: Iterable[PlacedLink], start: str) -> list[str]:
    """Return the addresses that look like those of sections: short paths, first those in menus."""
    start_key = make_key(start)
    candidates: dict[str, bool] = {}  # address -> is in a menu
    for link in links:
        address = clean_address(link.address)
        if _is_section(address) and make_key(address) != start_key:
            candidates[address] = candidates.get(address, False) or link.is_in_menu
    return sorted(candidates, key=lambda address: not candidates[address])  # stable: in the order of the page


def _is_section(address: str) -> bool:
    parts = urlsplit(address)
    folders = [folder for folder in parts.path.split("/") if folder]
    if not 0 < len(folders) <= _MAX_SECTION_FOLDERS or parts.query:
        return False
    return not names_no_section(address) and not any(map(_looks_like_file, folders))


def _looks_like_file(folder: str) -> bool:
    return any(letter.isdigit() for letter in folder) or folder.count("-") > 2 or "." in folder


def _find_next_page(page: Page, url: str, links: Iterable[PlacedLink]) -> str | None:
    nodes = page.nodes
    for row in sorted([*nodes.elements("link", "href"), *nodes.elements("a", "href")]):
        is_next = "next" in nodes.attr(row, "rel").lower().split()
        address = resolve_link(nodes.attr(row, "href"), page.base) if is_next else None
        if address and host_of(address) == host_of(url):
            return clean_address(address)
    number = find_page_number(url) + 1
    section = _remove_page_number(url)
    for link in links:
        if find_page_number(link.address) == number and _remove_page_number(link.address) == section:
            return clean_address(link.address)
    return None


def find_page_number(address: str) -> int:
    """Return the number of a page of a listing: 3 for /news/page/3/ and /news?page=3; 1 without a number."""
    match = _PAGE_NUMBER.search(address)
    return int(match[1]) if match else 1


def _remove_page_number(address: str) -> str:
    return make_key(_PAGE_NUMBER.sub("", address))
