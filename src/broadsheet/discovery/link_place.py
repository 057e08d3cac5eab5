"""Links of a page with their places: in a menu, in a heading, beside a date."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from broadsheet.discovery.addresses import resolve_link
from broadsheet.fields.timestamps import read_timestamp
from broadsheet.page import Nodes, Page
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
