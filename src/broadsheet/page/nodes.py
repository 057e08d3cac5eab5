"""The flat node table: one row per element or text node, in document order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

TEXT = "#text"
_NONE: Mapping[str, str | None] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """The DOM as columns. Row 0 is `<html>`; the descendants of row i are rows i+1 to end[i]-1.

    Columns are plain lists: a Python loop reads them three times as fast as NumPy arrays, and `numpy.array(nodes.end)`
    is there for whoever computes in bulk. Nobody writes to them.
    """

    tag: Sequence[str]  # lower-case name, TEXT for a text node
    parent: Sequence[int]  # row of the parent element, -1 for the root
    end: Sequence[int]  # one past the last descendant
    text: Sequence[str]  # of a text node, as the page has it; "" for elements and for program text
    attrs: Mapping[int, Mapping[str, str | None]]  # for the rows that have any; None: an attribute without a value
    is_cut: bool = False  # the page had more nodes than the limit

    def __len__(self) -> int:
        return len(self.tag)

    def attr(self, row: int, name: str) -> str:
        """Value of an attribute; "" when it is missing or empty."""
        return self.attrs.get(row, _NONE).get(name) or ""

    def has_attr(self, row: int, name: str) -> bool:
        """Tell whether the element has the attribute, with or without a value."""
        return name in self.attrs.get(row, _NONE)

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
