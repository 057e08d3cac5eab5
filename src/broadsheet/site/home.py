"""Titles of articles from the links on home and section pages (TWCEM, section III-B.1)."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from urllib.parse import urlsplit

from broadsheet.page import DEFAULT_LIMITS, Limits, Page, read_page, resolve_address, strip_www
from broadsheet.text import fold_text

_MAX_LINK_ROWS = 200  # a link with more nodes wraps a whole column
_MAX_TITLE_CHARS = 300  # a link with more text wraps a teaser
# Paths of home and section pages: at most one folder, of letters only, and no file but an index.
_HOME_PATH = re.compile(r"/?(?:[^\W\d]{2,20}/?)?(?:(?:index|default|home)\.\w+)?")


def is_home_address(url: str | None) -> bool:
    """Tell whether an address has the form of a home or section page's."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return False
    return bool(parts.netloc) and not parts.query and _HOME_PATH.fullmatch(parts.path) is not None


def find_link_titles(home: str | bytes, url: str, *, limits: Limits = DEFAULT_LIMITS) -> tuple[str, ...]:
    """Return the texts of the links on `home` that lead to `url`, the longest first, so that "more" comes last.

    Relative links refer to the address in the home page's HTML, if it has one, else to the root of the site.
    """
    root = resolve_address("/", url)
    return _read_home(home, root, limits).get(simplify_address(url), ())


@lru_cache(maxsize=8)  # one home page serves many articles
def _read_home(home: str | bytes, root: str | None, limits: Limits) -> dict[str, tuple[str, ...]]:
    page = read_page(home, limits=limits)
    return read_link_titles(page if page.base else replace(page, base=root))


def read_link_titles(home: Page) -> dict[str, tuple[str, ...]]:
    """Return the texts of all links of a page, by simplified address, the longest first."""
    nodes = home.nodes
    titles: dict[str, set[str]] = {}
    for row in nodes.elements("a", "href"):
        address = resolve_address(nodes.attr(row, "href"), home.base)
        if address and nodes.end[row] - row <= _MAX_LINK_ROWS:
            text = fold_text("".join(nodes.text[row : nodes.end[row]]))
            if 0 < len(text) <= _MAX_TITLE_CHARS:
                titles.setdefault(simplify_address(address), set()).add(text)
    return {address: tuple(sorted(texts, key=lambda text: (-len(text), text))) for address, texts in titles.items()}


def simplify_address(address: str) -> str:
    """Reduce an address to the parts that identify a page: host without "www.", path, query."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:  # for example, a broken IPv6 host
        return address.strip()
    query = f"?{parts.query}" if parts.query else ""
    return f"{strip_www(parts.netloc.lower())}{parts.path.rstrip('/')}{query}"
