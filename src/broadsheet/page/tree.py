"""The tree of turbohtml behind a node table: for CSS selectors, and for the editing of pages in training.

The table comes from another parser, which differs from turbohtml on one page in a hundred, in a few nodes. Elements
are matched to rows by their order; where the trees differ, only those before and after the difference have rows.
"""

from __future__ import annotations

from turbohtml import Document, Element, parse

from broadsheet.html.table import NodeTable
from broadsheet.page.growth import limit_growth

_MAX_TAGS = 60_000


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
