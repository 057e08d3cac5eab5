"""Divide the width of a table row, flex container or grid among its children."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from broadsheet.style.layout.open_box import OpenBox, Slots
from broadsheet.style.layout.sizes import BoxSizes, SizeResolver, count_grid_columns

_MIN_WIDTH_PX = 20.0  # of a child without a stated width
_FLEX_DISPLAYS = frozenset(("flex", "inline-flex", "-webkit-box", "-webkit-inline-box"))
_GRID_DISPLAYS = frozenset(("grid", "inline-grid"))


def has_slots(display: str, sizes: BoxSizes) -> bool:
    """Return whether children may be side by side."""
    if display in _FLEX_DISPLAYS:
        return sizes.is_flex_row
    return display == "table-row" or display in _GRID_DISPLAYS


def divide_width(box: OpenBox, display: str, children: Sequence[int], resolver: SizeResolver) -> Slots | None:
    """Return the slots of the block-level children of a box; None for a grid whose columns are unknown."""
    sizes, width = box.sizes, box.width
    assert sizes is not None
    if display in _GRID_DISPLAYS:
        columns = count_grid_columns(sizes.grid_columns, width)
        return _wrap(children, [width / columns] * len(children), width) if columns > 1 else None
    stated_widths = [resolver.resolve_box(child, width).width for child in children]
    content_widths = [min(max(resolver.estimate_max_content_width(child), _MIN_WIDTH_PX), width) for child in children]
    pairs = list(zip(stated_widths, content_widths, strict=True))
    if sizes.is_wrapping:
        return _wrap(children, [content if stated is None else stated for stated, content in pairs], width)
    # Stated widths first; the rest is divided by the amount of text. The cells of a table row fill it.
    rest = max(width - sum(stated for stated in stated_widths if stated is not None), 0.0)
    content_sum = sum(content for stated, content in pairs if stated is None)
    is_scaled = content_sum > rest or display == "table-row"
    scale = rest / content_sum if content_sum and is_scaled else 1.0
    widths = [content * scale if stated is None else stated for stated, content in pairs]
    offsets = accumulate(widths, initial=0.0)
    return {child: (offset, share) for child, offset, share in zip(children, offsets, widths, strict=False)}


def _wrap(children: Sequence[int], widths: Sequence[float], total_width: float) -> Slots:
    """Place children side by side; those that do not fit begin a new row."""
    slots: dict[int, tuple[float, float]] = {}
    offset = 0.0
    for child, width in zip(children, widths, strict=True):
        if offset and offset + width > total_width + 1:
            offset = 0.0
        slots[child] = offset, min(width, total_width)
        offset += width
    return slots
