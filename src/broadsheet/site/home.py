"""What a home or section page calls the articles that it links to (TWCEM, section III-B.1)."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from broadsheet.blocks import fold_text
from broadsheet.page import Page, read_page

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


def find_link_titles(home: str | bytes, url: str) -> tuple[str, ...]:
    """Collect the texts of the links on `home` that lead to `url`, the longest first: "more" comes last."""
    return read_link_titles(read_page(home, url=url)).get(simplify_address(url), ())


def read_link_titles(home: Page) -> dict[str, tuple[str, ...]]:
    """Collect the texts of all links of a page, by the address that they lead to."""
    nodes = home.nodes
    found: dict[str, set[str]] = {}
    for row in nodes.select("a[href]"):
        href, text = nodes.attr(row, "href"), fold_text("".join(nodes.text[row : nodes.end[row]]))
        if href and 0 < len(text) <= _MAX_TITLE:
            found.setdefault(simplify_address(href, home.url), set()).add(text)
    return {address: tuple(sorted(texts, key=lambda text: (-len(text), text))) for address, texts in found.items()}


def simplify_address(address: str, base: str | None = None) -> str:
    """Reduce an address to what tells pages of a site apart: host without "www.", path, query."""
    try:
        parts = urlsplit(urljoin(base or "", address.strip()))
    except ValueError:  # such as a broken IPv6 host
        return address.strip()
    query = f"?{parts.query}" if parts.query else ""
    return f"{(parts.netloc).lower().removeprefix('www.')}{parts.path.rstrip('/')}{query}"
