"""What a home or section page calls the articles that it links to (TWCEM, section III-B.1)."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from urllib.parse import urlsplit

from broadsheet.blocks import fold_text
from broadsheet.page import DEFAULT_LIMITS, Limits, Page, read_page, resolve_address

_MAX_ROWS = 200  # nodes of a link; one with more wraps a column
_MAX_TITLE = 300  # characters; a link with more text wraps a teaser
# Addresses of home and section pages: no folder or one of a few letters, and no file but an index.
_HOME_PATH = re.compile(r"/?(?:[^\W\d]{2,20}/?)?(?:(?:index|default|home)\.\w+)?")


def is_home_address(url: str | None) -> bool:
    """Tell whether an address looks like that of a home or section page."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return False
    return bool(parts.netloc) and not parts.query and _HOME_PATH.fullmatch(parts.path) is not None


def find_link_titles(home: str | bytes, url: str, *, limits: Limits = DEFAULT_LIMITS) -> tuple[str, ...]:
    """Collect the texts of the links on `home` that lead to `url`, the longest first: "more" comes last.

    Links are relative to the address that the home page gives itself, else to the top of the site.
    """
    top = resolve_address("/", url)
    return _read_titles_of(home, top, limits).get(simplify_address(url), ())


@lru_cache(maxsize=8)  # one home page serves many articles
def _read_titles_of(home: str | bytes, top: str | None, limits: Limits) -> dict[str, tuple[str, ...]]:
    page = read_page(home, limits=limits)
    return read_link_titles(page if page.base else replace(page, base=top))


def read_link_titles(home: Page) -> dict[str, tuple[str, ...]]:
    """Collect the texts of all links of a page, by the address that they lead to."""
    nodes = home.nodes
    found: dict[str, set[str]] = {}
    for row in nodes.select("a[href]"):
        address = resolve_address(nodes.attr(row, "href"), home.base)
        if address and nodes.end[row] - row <= _MAX_ROWS:
            text = fold_text("".join(nodes.text[row : nodes.end[row]]))
            if 0 < len(text) <= _MAX_TITLE:
                found.setdefault(simplify_address(address), set()).add(text)
    return {address: tuple(sorted(texts, key=lambda text: (-len(text), text))) for address, texts in found.items()}


def simplify_address(address: str) -> str:
    """Reduce an address to what tells pages of a site apart: host without "www.", path, query."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:  # such as a broken IPv6 host
        return address.strip()
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower().removeprefix('www.')}{parts.path.rstrip('/')}{query}"
