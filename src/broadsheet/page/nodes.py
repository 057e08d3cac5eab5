"""The flat node table: one row per element or text node, in document order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

TEXT = "#text"

# Text nodes (and <br>) between two borders of containers: the container's row, their rows, those of them that stand in
# links, and how many are breaks. A plain tuple: a named one takes eight times as long to make.
TextRun = tuple[int, list[int], list[int], int]


class Attributes(Protocol):
    """The attribute columns. Half of all attributes are never asked for: strings are made of those that are."""

    def get(self, row: int, name: str) -> str | None:
        """Value of an attribute, None when the row has none of that name; "" for one without a value."""
        ...

    def get_all(self, rows: Iterable[int], name: str) -> list[str | None]:
        """Values of an attribute for many rows."""
        ...

    def names(self, row: int) -> tuple[str, ...]:
        """Names of a row's attributes, in the order of the page."""
        ...

    def write(self, row: int) -> str:
        """All attributes of a row as one string, in the order of the page: equal strings are equal attributes."""
        ...

    def select(self, css: str) -> list[int]:
        """Rows of the elements that match a CSS selector, in document order."""
        ...

    def find(self, css: str) -> list[int]:
        """As `select`; a selector that cannot be read matches nothing."""
        ...

    def match(self, rows: Iterable[int], css: str) -> list[int]:
        """Those of the rows that match a CSS selector; one that cannot be read matches nothing."""
        ...

    def is_quirky(self) -> bool:
        """Tell whether browsers show the page in quirks mode, for want of a document type."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The DOM as columns. Row 0 is `<html>`; the descendants of row i are rows i+1 to end[i]-1.

    Comments are left out, and so are text nodes of white space at the beginning of a block, which no browser shows.
    Columns are plain lists: a Python loop reads them three times as fast as NumPy arrays, and `numpy.array(nodes.end)`
    is there for whoever computes in bulk. Nobody writes to them.
    """

    tag: Sequence[str]  # lower-case name, TEXT for a text node
    parent: Sequence[int]  # row of the parent element, -1 for the root
    end: Sequence[int]  # one past the last descendant
    text: Sequence[str]  # of a text node, as the page has it; "" for elements and for program text
    attrs: Attributes
    rows: Mapping[str, Sequence[int]]  # tag -> its rows, for the tags in tags.INDEXED, and "a[rel]"
    hidden: frozenset[int]  # rows of elements whose own attributes keep them from being shown
    runs: Sequence[TextRun]  # the text that is shown, cut at the borders of containers
    outer: Mapping[int, int]  # row of a container -> row of the container around it, -1 for the first
    classes: Sequence[str | None]  # class attributes of the containers, in the order of `outer`
    is_cut: bool = False  # the page had more nodes than the limit

    def __len__(self) -> int:
        return len(self.tag)

    def attr(self, row: int, name: str) -> str:
        """Value of an attribute; "" when it is missing or empty."""
        return self.attrs.get(row, name) or ""

    def has_attr(self, row: int, name: str) -> bool:
        """Tell whether the element has the attribute, with or without a value."""
        return self.attrs.get(row, name) is not None

    def select(self, css: str) -> list[int]:
        """Rows of the elements that match a CSS selector, in document order. Fast: the parser's own selector engine."""
        return self.attrs.select(css)

    def ancestors(self, row: int) -> Iterator[int]:
        """Rows above `row`, the nearest first."""
        row = self.parent[row]
        while row >= 0:
            yield row
            row = self.parent[row]

    def depths(self) -> list[int]:
        """Depth of every row, 0 for the root."""
        depths: list[int] = []
        for parent in self.parent:
            depths.append(depths[parent] + 1 if parent >= 0 else 0)
        return depths

    def text_of(self, row: int) -> str:
        """All text below `row` (or of it), white space folded."""
        return " ".join("".join(self.text[row : self.end[row]]).split())
