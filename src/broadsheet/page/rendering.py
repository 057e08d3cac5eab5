"""The result of rendering a page in a real browser. `style.browser` fills it in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """The box and the computed style of every row. Rows that the browser does not have take their parents' values."""

    x: Sequence[float]
    y: Sequence[float]
    width: Sequence[float]
    height: Sequence[float]  # 0 by 0 for rows that are not shown
    font_size: Sequence[float]  # pixels
    weight: Sequence[int]
    color: Sequence[int]  # 0xRRGGBB
    background: Sequence[int]  # 0xRRGGBB, the colour behind the row
    family: Sequence[str]  # "serif", "sans-serif", "monospace", "cursive", "fantasy"
    display: Sequence[str]
    is_shown: Sequence[bool]
    page_width: float
    page_height: float
    mapped: float  # share of the rows that were found in the browser's tree
