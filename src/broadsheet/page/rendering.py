"""What a real browser made of a page: a box and the looks of every row. Filled in by `style.render`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """One entry per row of the node table. Rows that the browser does not have take after their parents."""

    x: Sequence[float]
    y: Sequence[float]
    width: Sequence[float]
    height: Sequence[float]  # 0 by 0 for what is not shown
    font_size: Sequence[float]  # pixels
    weight: Sequence[int]
    color: Sequence[int]  # 0xRRGGBB
    background: Sequence[int]  # 0xRRGGBB, of what is behind the row
    family: Sequence[str]  # "serif", "sans-serif", "monospace", "cursive", "fantasy"
    display: Sequence[str]
    is_shown: Sequence[bool]
    page_width: float
    page_height: float
    mapped: float  # share of the rows that were found in the browser's tree
