"""The node table: one row per element or text node, in document order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from broadsheet.page.runs import TextRun

TEXT = "#text"


class Attributes(Protocol):
    """The attributes of all rows. Values are read on demand: half of all attributes are never needed."""

    def get(self, row: int, name: str) -> str | None:
        """Return the value of an attribute: None if the row does not have it, "" if it has no value."""
        ...

    def get_all(self, rows: Iterable[int], name: str) -> list[str | None]:
        """Return the values of an attribute for many rows."""
        ...

    def names(self, row: int) -> tuple[str, ...]:
        """Return the names of a row's attributes, in the order of the page."""
        ...

    def write(self, row: int) -> str:
        """Return all attributes of a row as one string, in the order of the page. Equal attributes, equal strings."""
        ...

    def select(self, css: str) -> list[int]:
        """Return the rows of the elements that match a CSS selector, in document order."""
        ...

    def find(self, css: str) -> list[int]:
        """Do the same as `select`, but return no rows for an invalid selector."""
        ...

    def match(self, rows: Iterable[int], css: str) -> list[int]:
        """Return those of the rows that match a CSS selector; none for an invalid selector."""
        ...

    def is_quirky(self) -> bool:
        """Tell whether browsers show the page in quirks mode."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The DOM as columns. Row 0 is `<html>`; the descendants of row i are rows i+1 to end[i]-1.

    Comments are left out, and so is white space at the start of a block, which browsers do not show. Columns are plain
    lists and must not be changed: a Python loop reads lists three times as fast as NumPy arrays.
    """

    tag: Sequence[str]  # lower-case name, TEXT for a text node
    parent: Sequence[int]  # row of the parent element, -1 for the root
    end: Sequence[int]  # one past the last descendant
    text: Sequence[str]  # of a text node, unchanged; "" for elements and for the code of scripts
    attrs: Attributes
    # Tag -> its rows, for the tags in tags.INDEXED; and "a[rel]", "[itemprop]" (elements with microdata or RDFa).
    rows: Mapping[str, Sequence[int]]
    hidden: frozenset[int]  # rows of elements that are hidden by their attributes
    runs: Sequence[TextRun]  # the visible text, cut at the borders of containers (page.runs)
    outer: Mapping[int, int]  # row of a container -> row of the next container around it, -1 for the root
    classes: Sequence[str | None]  # class attributes of the containers, in the order of `outer`
    is_cut: bool = False  # the page has more nodes than the limit

    def __len__(self) -> int:
        return len(self.tag)

    def attr(self, row: int, name: str) -> str:
        """Return the value of an attribute; "" if it is missing or empty."""
        return self.attrs.get(row, name) or ""

    def has_attr(self, row: int, name: str) -> bool:
        """Tell whether the element has the attribute, with or without a value."""
        return self.attrs.get(row, name) is not None

    def select(self, css: str) -> list[int]:
        """Return the rows of the elements that match a CSS selector, in document order. Fast: the parser does it."""
        return self.attrs.select(css)

    def run_rows(self) -> list[int]:
        """Return the rows of all visible text nodes and of the `<br>` between them, in order."""
        return [row for _, rows, _, _ in self.runs for row in rows]

    def ancestors(self, row: int) -> Iterator[int]:
        """Yield the rows above `row`, the nearest first."""
        row = self.parent[row]
        while row >= 0:
            yield row
            row = self.parent[row]

    def depths(self) -> list[int]:
        """Return the depth of every row, 0 for the root."""
        depths: list[int] = []
        for parent in self.parent:
            depths.append(depths[parent] + 1 if parent >= 0 else 0)
        return depths

    def text_of(self, row: int) -> str:
        """Return all text of `row` and its descendants, white space collapsed."""
        return " ".join("".join(self.text[row : self.end[row]]).split())
