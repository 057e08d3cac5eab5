"""The tree of turbohtml behind a node table: for CSS selectors, and for training, which composes pages.

The table comes from another parser, which differs from turbohtml on one page in a hundred, in a few nodes. Elements
are matched to rows by their order; where the trees differ, only those before and after the difference have rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from turbohtml import Document, Element, parse

from broadsheet.html.table import NodeTable
from broadsheet.page.growth import limit_growth

_MAX_TAGS = 60_000
_MARK = "data-broadsheet-copied"
_HEADLINE_TAGS = frozenset(("h1", "h2"))


def parse_tree(html: str, max_tags: int = _MAX_TAGS) -> tuple[Document, bool]:
    """Parse a page with turbohtml; tell whether it was cut."""
    bounded = limit_growth(html, max_tags)
    # Browsers show declarative shadow roots. They stay in the tree as <template> elements, and the walk enters them.
    return parse(bounded.text, positions=False, allow_declarative_shadow_roots=False), bounded.is_cut


class Tree:
    """The elements of a page, by row."""

    def __init__(self, document: Document, table: NodeTable) -> None:
        self.document = document
        elements = [node for node in self.document.descendants if isinstance(node, Element)]
        rows = [row for row, tag in enumerate(table.tag) if tag]
        tags = [table.tag_names[table.tag[row]] for row in rows]
        pairs = _pair(rows, tags, elements)
        self.elements: dict[int, Element] = dict(pairs)
        # The parser returns the same object for an element as long as a reference to it exists.
        self._rows_by_id = {id(element): row for row, element in pairs}

    def select(self, css: str) -> list[int]:
        """Return the rows of the elements that match a CSS selector, in document order."""
        rows = (self._rows_by_id.get(id(element)) for element in self.document.select(css))
        return [row for row in rows if row is not None]  # None: beyond a limit


def _pair(rows: list[int], tags: list[str], elements: list[Element]) -> list[tuple[int, Element]]:
    """Pair rows with elements of the same tag: as many as possible from the start, then from the end."""
    start = 0
    shorter = min(len(rows), len(elements))
    while start < shorter and elements[start].tag.lower() == tags[start]:
        start += 1
    end = 0
    while end < shorter - start and elements[-1 - end].tag.lower() == tags[-1 - end]:
        end += 1
    pairs = list(zip(rows[:start], elements, strict=False))
    return pairs + list(zip(rows[len(rows) - end :], elements[len(elements) - end :], strict=True))


class PageEditor:
    """Inserts HTML into the tree of a page. The node table is not updated: write the page and read it again."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def read(self, row: int) -> str:
        """Return the HTML of an element."""
        return self._element(row).html

    def insert(self, row: int, html: str, *, is_after: bool = True) -> None:
        """Insert HTML after or before an element."""
        self._element(row).insert_adjacent_html("afterend" if is_after else "beforebegin", html)

    def copy(self, row: int, rows: Sequence[int], texts: Sequence[str]) -> str:
        """Return the HTML of an element in which some elements have other texts: the headline the first of them."""
        elements = [self._element(number) for number in dict.fromkeys(rows)]
        for element in elements:
            element.attrs[_MARK] = ""
        body = parse(f"<body>{self.read(row)}</body>", positions=False).select_one("body")
        for element in elements:
            del element.attrs[_MARK]
        assert body is not None
        title, *lines = texts
        number = 0
        for element in body.select(f"[{_MARK}]"):
            del element.attrs[_MARK]
            if element.tag in _HEADLINE_TAGS and number == 0:
                element.set_text(title)
            else:
                element.set_text(lines[number % len(lines)])
                number += 1
        return body.inner_html

    def write(self) -> str:
        """Return the HTML of the page."""
        return self._tree.document.serialize()

    def _element(self, row: int) -> Element:
        return self._tree.elements[row]
