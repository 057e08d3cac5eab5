"""The boxes of a page's nodes: the browser's if the page was rendered, otherwise estimated.

The layout is estimated in one pass over the node table.

Text fills lines of average characters; blocks are placed below one another, or side by side in floats, table rows, flex
containers and grids. Overlap, overflow and scripts are ignored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from broadsheet.page import TEXT, Page
from broadsheet.style.css.cascade import CascadedValues
from broadsheet.style.css.styles import Styles
from broadsheet.style.css.values import VIEWPORT_HEIGHT_PX, VIEWPORT_WIDTH_PX
from broadsheet.style.layout.open_box import OpenBox, clamp_width, divide_width, has_slots
from broadsheet.style.layout.sizes import LAYOUT_PROPERTIES, MAX_SIZE_PX, REPLACED_SIZES_PX, BoxSizes, SizeResolver

Column = npt.NDArray[np.float32]

_MAX_PAGE_WIDTH_PX = 4 * VIEWPORT_WIDTH_PX


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """One box per row of the node table, in pixels from the top left corner of the page; 0 by 0 if it is not shown."""

    x: Column
    y: Column
    width: Column
    height: Column
    page_width: float
    page_height: float


def find_boxes(page: Page, styles: Styles) -> Boxes:
    """Return the boxes of all rows: the browser's if the page was rendered, otherwise estimates."""
    rendering = page.rendering
    if rendering is not None:
        x, y, width, height = map(_to_column, (rendering.x, rendering.y, rendering.width, rendering.height))
        return Boxes(x, y, width, height, rendering.page_width, rendering.page_height)
    flow = Flow(page, styles, styles.cascade.match(LAYOUT_PROPERTIES))
    bottom = flow.run()
    x, y, width, height = map(_to_column, (flow.x, flow.y, flow.width, flow.height))
    y, height = np.minimum(y, np.float32(MAX_SIZE_PX)), np.minimum(height, np.float32(MAX_SIZE_PX))
    right = float((x + width).max()) if len(x) else 0.0
    page_width = min(max(VIEWPORT_WIDTH_PX, right), _MAX_PAGE_WIDTH_PX)
    return Boxes(x, y, width, height, page_width, max(VIEWPORT_HEIGHT_PX, bottom))


def _to_column(values: object) -> Column:
    return np.asarray(values, dtype=np.float32)


_LINE_HEIGHT_EM = 1.2
_ROWS_PER_DEADLINE_CHECK = 4096

_INLINE_DISPLAYS = frozenset(("inline", "contents", "ruby", "ruby-text", "math"))
_BLOCK_DISPLAYS = frozenset(("block", "list-item"))


class Flow:
    """The boxes of all rows in pixels, filled by `run`."""

    def __init__(self, page: Page, styles: Styles, cascaded: CascadedValues) -> None:
        self._page = page
        self._nodes = page.nodes
        columns = styles.columns
        self._display, self._font_sizes_px, self._is_shown = columns.display, columns.font_size, columns.is_shown
        self._resolver = SizeResolver(page.nodes, columns.font_size, cascaded)
        row_count = len(page.nodes)
        self.x, self.y, self.width, self.height = ([0.0] * row_count for _ in range(4))

    def run(self) -> float:  # noqa: C901, PLR0912 - the loop over all rows: calls would dominate its time
        """Lay out the page; return its height."""
        tags, ends, displays, is_shown = self._nodes.tag, self._nodes.end, self._display, self._is_shown
        viewport = box = OpenBox(-1, 0.0, VIEWPORT_WIDTH_PX, 0.0)
        outer_boxes: list[OpenBox] = []  # the open boxes around `box`
        inline_rows: list[int] = []  # open inline elements
        row, row_count, next_check = 0, len(tags), _ROWS_PER_DEADLINE_CHECK
        box_end = inline_end = row_count + 1  # of the innermost open box and inline element
        while row < row_count:
            while inline_end <= row:
                self._close_inline(inline_rows.pop())
                inline_end = ends[inline_rows[-1]] if inline_rows else row_count + 1
            while box_end <= row:
                closed, box = box, outer_boxes.pop()
                self._close_box(closed, box)
                box_end = ends[box.row] if outer_boxes else row_count + 1
            tag = tags[row]
            if tag == TEXT:
                if is_shown[row]:
                    self._place_text(row, box)
            elif (display := displays[row]) == "none":
                row = ends[row]
                continue
            elif tag in REPLACED_SIZES_PX:
                self._place_replaced(row, box, display)
                row = ends[row]
                continue
            elif display not in _INLINE_DISPLAYS:
                outer_boxes.append(box)
                box = self._open_box(row, display, box)
                box_end = ends[row]
            elif tag == "br":
                self._break_line(row, box)
            elif ends[row] > row + 1:
                inline_rows.append(row)
                inline_end = ends[row]
            row += 1
            if row >= next_check:
                self._page.deadline.check()
                next_check = row + _ROWS_PER_DEADLINE_CHECK
        while inline_rows:
            self._close_inline(inline_rows.pop())
        while outer_boxes:
            closed, box = box, outer_boxes.pop()
            self._close_box(closed, box)
        viewport.end_line()
        return min(viewport.bottom, MAX_SIZE_PX)

    def _set_box(self, row: int, x: float, y: float, width: float, height: float) -> None:
        self.x[row], self.y[row], self.width[row], self.height[row] = x, y, width, height

    # Inline content

    def _place_text(self, row: int, box: OpenBox) -> None:
        font_size, text_ends_em = self._font_sizes_px[row], self._resolver.text_ends_em
        text_width = (text_ends_em[row + 1] - text_ends_em[row]) * font_size
        if not text_width and not box.line_height:  # white space at the start of a line
            self.x[row], self.y[row] = box.left, box.bottom
            return
        box.start_line(font_size * _LINE_HEIGHT_EM)
        left, line_width = box.find_line()
        if line_width < font_size or line_width < 1:  # the font size may be 0
            line_width = max(font_size, 1.0)
        start, height = box.line_x, box.line_height
        end = start + text_width
        if end <= line_width:
            self._set_box(row, left + start, box.bottom, text_width, height)
            box.line_x = end
            return
        lines = math.ceil(end / line_width)
        self._set_box(row, left, box.bottom, line_width, lines * height)
        box.bottom += (lines - 1) * height
        box.line_x = end % line_width

    def _break_line(self, row: int, box: OpenBox) -> None:
        box.start_line(self._font_sizes_px[row] * _LINE_HEIGHT_EM)
        self._set_box(row, box.left + box.line_x, box.bottom, 0.0, box.line_height)
        box.end_line()

    def _place_replaced(self, row: int, box: OpenBox, display: str) -> None:
        """Place a replaced element or form control."""
        width, height = self._resolver.resolve_replaced(row, box.width)
        if not self._is_shown[row]:
            width = height = 0.0
        if display not in _INLINE_DISPLAYS and not display.startswith("inline"):
            box.end_line()
            box.start_line(0.0)
            self._set_box(row, box.left, box.bottom, width or box.width, height)
            box.bottom += height
            return
        left, line_width = box.find_line()
        if box.line_x and box.line_x + width > line_width:
            box.end_line()
        box.start_line(height)
        self._set_box(row, left + box.line_x, box.bottom, width, height)
        box.line_x += width

    def _close_inline(self, row: int) -> None:
        """Set the box of an inline element to the bounding box of its children."""
        first, end = row + 1, self._nodes.end[row]
        if end == first + 1:  # most have one text node
            self._set_box(row, self.x[first], self.y[first], self.width[first], self.height[first])
            return
        child, children = first, []
        while child < end:
            if self.height[child] > 0:
                children.append(child)
            child = self._nodes.end[child]
        if children:
            left, top = min(self.x[child] for child in children), min(self.y[child] for child in children)
            right = max(self.x[child] + self.width[child] for child in children)
            bottom = max(self.y[child] + self.height[child] for child in children)
            self._set_box(row, left, top, right - left, bottom - top)

    # Blocks

    def _open_box(self, row: int, display: str, parent: OpenBox) -> OpenBox:
        sizes = self._resolver.resolve_box(row, parent.width)
        is_plain = not sizes.float_side and not sizes.is_out_of_flow and display in _BLOCK_DISPLAYS
        slot = parent.slots.get(row) if parent.slots is not None and not sizes.is_out_of_flow else None
        if slot is not None:
            left, top, width = parent.left + slot[0], parent.slots_top, clamp_width(slot[1], sizes)
        elif is_plain:  # most are
            width = parent.width - sizes.margin_left - sizes.margin_right if sizes.width is None else sizes.width
            width = clamp_width(width, sizes)
            left = parent.place_block(sizes, width)
            top = parent.bottom
        else:
            width = self._find_width(row, display, sizes, parent)
            left, top = parent.place_child(sizes, display, width)
        content_width = width - sizes.padding_left - sizes.padding_right
        box = OpenBox(
            row,
            left + sizes.padding_left,
            content_width if content_width > 0 else 0.0,
            top + sizes.padding_top,
            left,
            width,
            top,
            sizes,
            sizes.margin_top,
            is_plain and not (sizes.padding_top or sizes.padding_bottom),
        )
        if not is_plain:
            box.slots_top = box.bottom
            box.is_inline = display.startswith("inline")
            if has_slots(display, sizes):
                box.slots = divide_width(box, display, self._list_block_children(row), self._resolver)
        return box

    def _find_width(self, row: int, display: str, sizes: BoxSizes, parent: OpenBox) -> float:
        if sizes.width is not None:
            return clamp_width(sizes.width, sizes)
        _, line_width = parent.find_line()
        is_shrink_to_fit = (
            sizes.float_side or sizes.is_out_of_flow or display.startswith("inline") or display == "table"
        )
        width = (line_width if is_shrink_to_fit else parent.width) - sizes.margin_left - sizes.margin_right
        if is_shrink_to_fit:
            content_width = self._resolver.estimate_max_content_width(row)
            width = min(width, content_width + sizes.padding_left + sizes.padding_right)
        return clamp_width(width, sizes)

    def _close_box(self, box: OpenBox, parent: OpenBox) -> None:
        sizes, row, top = box.sizes, box.row, box.padding_top
        assert sizes is not None
        bottom = box.bottom + box.line_height
        if not box.collapses_margins and box.bottom_margin > 0:
            bottom += box.bottom_margin
        if box.floats_bottom > bottom:
            bottom = box.floats_bottom
        height = bottom + sizes.padding_bottom - top if sizes.height is None else sizes.height
        height = 0.0 if height < 0 else min(height, MAX_SIZE_PX)
        self._set_box(row, box.padding_left, top, box.padding_width, height)
        bottom = top + height
        if sizes.is_out_of_flow:
            return
        if parent.slots is not None and row in parent.slots:
            parent.bottom = max(parent.bottom, bottom)
            following = self._nodes.end[row]
            if following in parent.slots and parent.slots[following][0] <= parent.slots[row][0]:
                parent.slots_top = parent.bottom  # the following child begins a new row
        elif sizes.float_side:
            parent.floats_bottom = max(parent.floats_bottom, bottom)
        elif box.is_inline:
            parent.line_height = max(parent.line_height, height)
        else:
            if bottom > parent.bottom:
                parent.bottom = bottom
            margin = sizes.margin_bottom
            parent.bottom_margin = max(margin, box.bottom_margin) if box.collapses_margins else margin

    def _list_block_children(self, row: int) -> list[int]:
        """List the rows of the block-level children."""
        nodes, children = self._nodes, []
        child = row + 1
        while child < nodes.end[row]:
            if nodes.tag[child] != TEXT and nodes.tag[child] not in REPLACED_SIZES_PX:
                display = self._display[child]
                if display != "none" and display not in _INLINE_DISPLAYS:
                    children.append(child)
            child = nodes.end[child]
        return children
