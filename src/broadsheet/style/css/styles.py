"""The interface of computed styles, and the styles that a browser computed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from broadsheet.page import Rendering

MIN_BOLD_WEIGHT = 600


class StyleColumns(NamedTuple):
    """Styles of all rows, for callers that need every row."""

    display: Sequence[str]  # of elements; unspecified for text nodes
    font_size: Sequence[float]
    background: Sequence[int]
    is_shown: Sequence[bool]


class Styles(ABC):
    """Computed styles by row of the node table. A text node has the style of its parent."""

    @property
    @abstractmethod
    def columns(self) -> StyleColumns:
        """Styles of all rows, equal to the results of the methods below."""

    @abstractmethod
    def font_size(self, row: int) -> float:
        """Return the font size in pixels."""

    @abstractmethod
    def weight(self, row: int) -> int:
        """Return the font weight, from 1 to 1000: 400 is normal, 700 bold."""

    def is_bold(self, row: int) -> bool:
        """Return whether the text is bold."""
        return self.weight(row) >= MIN_BOLD_WEIGHT

    @abstractmethod
    def color(self, row: int) -> int:
        """Return the text colour, 0xRRGGBB."""

    @abstractmethod
    def background(self, row: int) -> int:
        """Return the colour behind the row, 0xRRGGBB: all backgrounds around it composited over white."""

    @abstractmethod
    def family(self, row: int) -> str:
        """Return the generic font family: "serif", "sans-serif", "monospace", "cursive" or "fantasy"."""

    @abstractmethod
    def display(self, row: int) -> str:
        """Return the display type: "none", "block", "inline", "flex", "table-cell", ..."""

    @abstractmethod
    def is_shown(self, row: int) -> bool:
        """Return whether the row is rendered: visible, and neither it nor an ancestor has `display: none`."""


class RenderedStyles(Styles):
    """Styles that a browser computed."""

    def __init__(self, rendering: Rendering) -> None:
        self._rendering = rendering

    @property
    def columns(self) -> StyleColumns:
        """Styles of all rows."""
        rendering = self._rendering
        return StyleColumns(rendering.display, rendering.font_size, rendering.background, rendering.is_shown)

    def font_size(self, row: int) -> float:
        """Return the font size in pixels."""
        return self._rendering.font_size[row]

    def weight(self, row: int) -> int:
        """Return the font weight."""
        return self._rendering.weight[row]

    def color(self, row: int) -> int:
        """Return the text colour."""
        return self._rendering.color[row]

    def background(self, row: int) -> int:
        """Return the colour behind the row."""
        return self._rendering.background[row]

    def family(self, row: int) -> str:
        """Return the generic font family."""
        return self._rendering.family[row]

    def display(self, row: int) -> str:
        """Return the display type."""
        return self._rendering.display[row]

    def is_shown(self, row: int) -> bool:
        """Return whether the row is rendered."""
        return self._rendering.is_shown[row]
