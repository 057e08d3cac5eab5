"""Find the style sheets of a page: `<style>`, `<link>` and `@import`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from broadsheet.page import Page, resolve_address
from broadsheet.style.css.bounds import MAX_IMPORTS, MAX_SHEETS
from broadsheet.style.css.conditions import is_supported, matches_media
from broadsheet.style.css.masking import mask_tokens

AT_RULE = re.compile(r"\s*@([a-zA-Z-]+)\s*(.*)", re.DOTALL)  # name and prelude
_IMPORT = re.compile(r"(?:url\(\s*)?[\"']?([^\"')\s]+)[\"']?\s*\)?\s*(.*)", re.DOTALL | re.IGNORECASE)
_IMPORT_LAYER = re.compile(r"layer(?:\(([^)]*)\))?\s*", re.IGNORECASE)
_IMPORT_SUPPORTS = re.compile(r"supports\((.*?)\)\s*(?=\Z|[a-z(])", re.IGNORECASE)


class Sheet(NamedTuple):
    """The text of a style sheet, and the URL that its relative URLs refer to."""

    css: str
    url: str | None


class Import(NamedTuple):
    """The prelude of an `@import` rule."""

    href: str
    layer: str | None  # None: not in a layer; "": in an anonymous layer
    applies: bool  # on a screen


def find_sheets(page: Page) -> Iterator[Sheet]:
    """Find the style sheets that apply on a screen, in document order; linked ones if `page.sheets` has them."""
    nodes = page.nodes
    rows = nodes.select("style")
    if page.sheets:
        rows = sorted([*rows, *nodes.rows["link"]])
    for row in rows[:MAX_SHEETS]:
        if nodes.tag[row] == "link":
            if _is_screen_link(page, row):
                yield get_sheet(page, nodes.attr(row, "href"), page.base)
        elif nodes.attr(row, "type").lower() in ("", "text/css") and matches_media(nodes.attr(row, "media")):
            yield Sheet("".join(nodes.text[row + 1 : nodes.end[row]]), page.base)


def get_sheet(page: Page, href: str, base: str | None) -> Sheet:
    """Return a linked style sheet; empty if `page.sheets` does not have it, by its absolute URL or as written."""
    url = resolve_address(href, base)
    return Sheet(page.sheets.get(url or href) or page.sheets.get(href, ""), url)


def list_linked_urls(page: Page) -> list[str]:
    """List the URLs of the style sheets that a page links to, in document order."""
    rows = (row for row in page.nodes.rows["link"] if _is_screen_link(page, row))
    urls = (resolve_address(page.nodes.attr(row, "href"), page.base) for row in rows)
    return list(dict.fromkeys(url for url in urls if url))


def list_imported_urls(css: str, url: str | None) -> list[str]:
    """List the URLs that a style sheet, which is at `url`, imports."""
    statements = mask_tokens(css).partition("{")[0].split(";")[:MAX_IMPORTS]
    at_rules = (AT_RULE.match(statement) for statement in statements)
    imports = (_IMPORT.match(match[2]) for match in at_rules if match and match[1].lower() == "import")
    targets = (resolve_address(match[1], url) for match in imports if match)
    return [target for target in targets if target]


def parse_import(prelude: str) -> Import | None:
    """Parse the prelude of an `@import` rule; None if it is invalid."""
    match = _IMPORT.match(prelude)
    if match is None:
        return None
    href, rest = match.groups()
    layer, applies = None, True
    if layer_match := _IMPORT_LAYER.match(rest):
        layer = layer_match[1] or ""
        rest = rest[layer_match.end() :]
    if supports_match := _IMPORT_SUPPORTS.match(rest):
        applies = is_supported(f"({supports_match[1]})")
        rest = rest[supports_match.end() :]
    return Import(href, layer, applies and matches_media(rest))


def _is_screen_link(page: Page, row: int) -> bool:
    rel = page.nodes.attr(row, "rel").lower().split()
    if "stylesheet" not in rel or "alternate" in rel or page.nodes.has_attr(row, "disabled"):
        return False
    return matches_media(page.nodes.attr(row, "media"))
