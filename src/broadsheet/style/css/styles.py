"""The computed styles of a page's nodes: from its style sheets, or from a browser that rendered it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from broadsheet.page import Page, Rendering
from broadsheet.style.css.cascade import Cascade
from broadsheet.style.css.computed import Style, compute_rows

MIN_BOLD_WEIGHT = 600


class StyleColumns(NamedTuple):
    """Styles of all rows, for callers that need every row."""

    display: Sequence[str]  # of elements; unspecified for text nodes
    font_size: Sequence[float]
    background: Sequence[int]
    is_shown: Sequence[bool]


def compute_styles(page: Page) -> Styles:
    """Return the styles of a page's nodes: the browser's if the page was rendered. Computed on first use."""
    return Styles(page)


class Styles:
    """Computed styles by row of the node table. A text node has the style of its parent."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @cached_property
    def cascade(self) -> Cascade:
        """The rules of the page."""
        return Cascade(self._page)

    @cached_property
    def _rows(self) -> Sequence[Style]:
        rendering = self._page.rendering
        return compute_rows(self.cascade) if rendering is None else _read_rendering(rendering)

    @cached_property
    def columns(self) -> StyleColumns:
        """Styles of all rows, equal to the results of the methods below."""
        columns = zip(*((row.display, row.font_size, row.background, row.is_shown) for row in self._rows), strict=True)
        return StyleColumns(*columns)

    def font_size(self, row: int) -> float:
        """Return the font size in pixels."""
        return self._rows[row].font_size

    def weight(self, row: int) -> int:
        """Return the font weight, from 1 to 1000: 400 is normal, 700 bold."""
        return self._rows[row].weight

    def is_bold(self, row: int) -> bool:
        """Return whether the text is bold."""
        return self._rows[row].weight >= MIN_BOLD_WEIGHT

    def color(self, row: int) -> int:
        """Return the text colour, 0xRRGGBB."""
        return self._rows[row].color

    def background(self, row: int) -> int:
        """Return the colour behind the row, 0xRRGGBB: all backgrounds around it composited over white."""
        return self._rows[row].background

    def family(self, row: int) -> str:
        """Return the generic font family: "serif", "sans-serif", "monospace", "cursive" or "fantasy"."""
        return self._rows[row].family

    def display(self, row: int) -> str:
        """Return the display type: "none", "block", "inline", "flex", "table-cell", ..."""
        return self._rows[row].display

    def is_shown(self, row: int) -> bool:
        """Return whether the row is rendered: visible, and neither it nor an ancestor has `display: none`."""
        return self._rows[row].is_shown


def _read_rendering(rendering: Rendering) -> list[Style]:
    fonts = (rendering.font_size, rendering.weight, rendering.family)
    columns = (*fonts, rendering.color, rendering.background, rendering.display, rendering.is_shown)
    return [Style(*row) for row in zip(*columns, strict=True)]
