"""A block box that is being filled: its lines, floats and margins, and the positions of children side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from broadsheet.style.layout.sizes import MAX_SIZE_PX, BoxSizes, SizeResolver, count_grid_columns

# Positions of children side by side: row of the child -> offset from the left and width, in pixels.
Slots = Mapping[int, tuple[float, float]]

_MIN_WIDTH_BESIDE_FLOATS = 0.3  # of the box: with less space left, a block goes below the floats
_UNKNOWN_LINE_HEIGHT_PX = 0.01  # opens a line whose height is set when the box in it is closed


@dataclass(slots=True)
class OpenBox:
    """A block box whose content is being laid out. All lengths are in pixels."""

    row: int
    left: float  # of the content area
    width: float  # of the content area
    bottom: float  # of the content so far
    padding_left: float = 0.0  # left edge of the padding area
    padding_width: float = 0.0
    padding_top: float = 0.0
    sizes: BoxSizes | None = None
    top_margin: float = 0.0  # already added above the box
    collapses_margins: bool = False  # with those of its first and last child
    slots: Slots | None = None
    slots_top: float = 0.0  # of the current row of slots
    line_x: float = 0.0
    line_height: float = 0.0  # 0: no line is open
    bottom_margin: float = 0.0  # of the last child, not yet added
    left_floats: float = 0.0  # width
    right_floats: float = 0.0  # width
    floats_bottom: float = 0.0
    is_inline: bool = False

    def start_line(self, height: float) -> None:
        """Open a line if none is open; a line is as high as its highest content."""
        if not self.line_height:
            self.bottom += self.bottom_margin
            self.bottom_margin = 0.0
        if height > self.line_height:
            self.line_height = height

    def end_line(self) -> None:
        """Close the line."""
        self.bottom += self.line_height
        self.line_x = self.line_height = 0.0

    def find_line(self) -> tuple[float, float]:
        """Return the left edge and the width of the line beside the floats."""
        if not self.left_floats and not self.right_floats:
            return self.left, self.width
        if self.bottom >= self.floats_bottom > 0:
            self.left_floats = self.right_floats = 0.0
            return self.left, self.width
        return self.left + self.left_floats, max(self.width - self.left_floats - self.right_floats, 0.0)

    def clear_floats(self) -> None:
        """Continue below the floats."""
        self.bottom = max(self.bottom, self.floats_bottom)
        self.left_floats = self.right_floats = 0.0

    def place_child(self, sizes: BoxSizes, display: str, width: float) -> tuple[float, float]:
        """Make room for a child that is not in a slot; return its left and top edge."""
        if sizes.is_out_of_flow:
            return self.left + sizes.margin_left, self.bottom
        outer_width = width + sizes.margin_left + sizes.margin_right
        if sizes.float_side:
            return self._place_float(sizes, outer_width), self.bottom + self.bottom_margin
        if display.startswith("inline"):
            left, line_width = self.find_line()
            if self.line_x and self.line_x + width > line_width:
                self.end_line()
            self.start_line(_UNKNOWN_LINE_HEIGHT_PX)
            left += self.line_x + sizes.margin_left
            self.line_x += outer_width
            return left, self.bottom
        return self.place_block(sizes, width), self.bottom

    def place_block(self, sizes: BoxSizes, width: float) -> float:
        """Move `bottom` to the top edge of the next block, below the content so far; return its left edge."""
        if self.line_height:
            self.end_line()
        floats = self.left_floats + self.right_floats
        if floats and (
            self.bottom >= self.floats_bottom or self.width - floats < _MIN_WIDTH_BESIDE_FLOATS * self.width
        ):
            self.clear_floats()
        if self.collapses_margins and self.bottom == self.padding_top:  # the first child
            if sizes.margin_top > self.top_margin:
                self.bottom += sizes.margin_top - self.top_margin
                self.padding_top = self.bottom
        else:
            self.bottom += max(self.bottom_margin, sizes.margin_top)
        self.bottom_margin = 0.0
        if sizes.is_centered and width < self.width:
            return self.left + (self.width - width) / 2
        return self.left + sizes.margin_left

    def _place_float(self, sizes: BoxSizes, outer_width: float) -> float:
        """Make room for a float; return its left edge."""
        self.end_line()
        floats = self.left_floats + self.right_floats
        if floats and floats + outer_width > self.width + 1:
            self.clear_floats()
        if sizes.float_side == "left":
            self.left_floats += outer_width
            return self.left + self.left_floats - outer_width + sizes.margin_left
        self.right_floats += outer_width
        return self.left + self.width - self.right_floats + sizes.margin_left


def clamp_width(width: float, sizes: BoxSizes) -> float:
    """Apply the maximum width of a box."""
    if sizes.max_width is not None and width > sizes.max_width:
        width = sizes.max_width
    return 0.0 if width < 0 else min(width, MAX_SIZE_PX)


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
