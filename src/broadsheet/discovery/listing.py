"""Home and section pages: their links to articles, sections and further pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from broadsheet.discovery.address_shape import names_no_section
from broadsheet.discovery.addresses import clean_address, is_same_site, make_key, resolve_link
from broadsheet.discovery.feeds import list_feed_links
from broadsheet.discovery.link_place import PlacedLink, list_links
from broadsheet.page import Page, host_of

_PAGE_NUMBER = re.compile(
    r"(?:/(?:page|seite|pagina|p)[/-]?|[?&](?:page|paged|p|pg|seite|pagina)=)(\d{1,4})(?=[/&#]|$)"
)
_MAX_SECTION_FOLDERS = 2


@dataclass(frozen=True, slots=True)
class Listing:
    """The links of a home or section page that stay on the site."""

    links: tuple[PlacedLink, ...]
    feeds: tuple[str, ...]
    next_page: str | None


def read_listing(page: Page, url: str, host: str) -> Listing:
    """Read the links of a home or section page."""
    links = tuple(link for link in list_links(page) if is_same_site(link.address, host))
    return Listing(links, tuple(list_feed_links(page)), _find_next_page(page, url, links))


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
