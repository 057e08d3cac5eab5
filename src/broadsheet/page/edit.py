"""Edit pages: read and insert HTML by row. Training uses it to compose pages; extraction never changes a page."""

from __future__ import annotations

from collections.abc import Sequence

from turbohtml import Element, parse

from broadsheet.page.nodes import Nodes

_MARK = "data-broadsheet-copied"
_HEADLINE_TAGS = frozenset(("h1", "h2"))


class PageEditor:
    """Inserts HTML into the tree of a page. The node table is not updated: write the page and read it again."""

    def __init__(self, nodes: Nodes) -> None:
        self._tree = nodes.tree

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
