"""An estimate of the layout: text in lines of average letters, blocks below one another or side by side.

One walk over the table. It knows widths, margins, floats, tables, flex rows and grids roughly, and pictures by what is
stated of them; it knows nothing of overlap, overflow, or what a script would do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from broadsheet.page import TEXT, Page
from broadsheet.style.css.cascade import Declared
from broadsheet.style.css.lengths import SCREEN_WIDTH
from broadsheet.style.css.styles import Styles
from broadsheet.style.layout.sizes import LINE, MOST, REPLACED, Measurer, Measures, count_columns

_MIN_BESIDE = 0.3  # of the width: with less than this left beside floats, a block goes below them
_MIN_CELL = 20.0  # pixels
_LOOK_EVERY = 4096

_INLINE = frozenset(("inline", "contents", "ruby", "ruby-text", "math"))
_FLEX = frozenset(("flex", "inline-flex", "-webkit-box", "-webkit-inline-box"))
_PLAIN = frozenset(("block", "list-item"))
_GRID = frozenset(("grid", "inline-grid"))

Slots = Mapping[int, tuple[float, float]]  # row of a child -> offset and width


@dataclass(slots=True)
class _Block:
    """An open block, and how far it is filled."""

    row: int
    left: float  # of its content, as `width`
    width: float
    bottom: float  # of what is in it so far
    outer_left: float = 0.0  # with padding, as the next two
    outer_width: float = 0.0
    outer_top: float = 0.0
    measures: Measures | None = None
    above: float = 0.0  # margin that was used up above it
    is_plain: bool = False  # margins of its first and last child go through it
    slots: Slots | None = None  # of children that stand side by side
    row_top: float = 0.0  # where the present row of those began
    line_x: float = 0.0
    line_height: float = 0.0  # 0: no line is open
    margin: float = 0.0  # below the last child, not used up yet
    beside_left: float = 0.0  # what floats take away
    beside_right: float = 0.0
    beside_bottom: float = 0.0
    is_inline: bool = False

    def start_line(self, height: float) -> None:
        if not self.line_height:
            self.bottom += self.margin
            self.margin = 0.0
        if height > self.line_height:
            self.line_height = height

    def end_line(self) -> None:
        self.bottom += self.line_height
        self.line_x = self.line_height = 0.0

    def find_line(self) -> tuple[float, float]:
        """Left edge and width of a line, floats taken off."""
        if not self.beside_left and not self.beside_right:
            return self.left, self.width
        if self.bottom >= self.beside_bottom > 0:
            self.beside_left = self.beside_right = 0.0
            return self.left, self.width
        return self.left + self.beside_left, max(self.width - self.beside_left - self.beside_right, 0.0)

    def clear(self) -> None:
        """Go below all floats."""
        self.bottom = max(self.bottom, self.beside_bottom)
        self.beside_left = self.beside_right = 0.0


class Flow:
    """Boxes by row, filled by `run`."""

    def __init__(self, page: Page, styles: Styles, declared: Declared) -> None:
        self._page = page
        self._nodes = page.nodes
        looks = styles.columns
        self._display, self._sizes, self._is_shown = looks.display, looks.font_size, looks.is_shown
        self._measurer = Measurer(page.nodes, looks.font_size, declared)
        count = len(page.nodes)
        self.x, self.y, self.width, self.height = ([0.0] * count for _ in range(4))

    def run(self) -> float:
        """Lay the page out; the answer is its height."""
        tags, ends, displays, is_shown = self._nodes.tag, self._nodes.end, self._display, self._is_shown
        screen = block = _Block(-1, 0.0, SCREEN_WIDTH, 0.0)
        around: list[_Block] = []  # the block that is open, without it
        inline: list[int] = []  # inline elements that are open
        row, count, next_look = 0, len(tags), _LOOK_EVERY
        block_end = inline_end = count + 1  # of the innermost that is open
        while row < count:
            while inline_end <= row:
                self._close_inline(inline.pop())
                inline_end = ends[inline[-1]] if inline else count + 1
            while block_end <= row:
                closed, block = block, around.pop()
                self._close_block(closed, block)
                block_end = ends[block.row] if around else count + 1
            tag = tags[row]
            if tag == TEXT:
                if is_shown[row]:
                    self._place_text(row, block)
            elif (display := displays[row]) == "none":
                row = ends[row]
                continue
            elif tag in REPLACED:
                self._place_replaced(row, block, display)
                row = ends[row]
                continue
            elif display not in _INLINE:
                around.append(block)
                block = self._open_block(row, display, block)
                block_end = ends[row]
            elif tag == "br":
                self._break_line(row, block)
            elif ends[row] > row + 1:
                inline.append(row)
                inline_end = ends[row]
            row += 1
            if row >= next_look:
                self._page.deadline.check()
                next_look = row + _LOOK_EVERY
        while inline:
            self._close_inline(inline.pop())
        while around:
            closed, block = block, around.pop()
            self._close_block(closed, block)
        screen.end_line()
        return min(screen.bottom, MOST)

    def _set(self, row: int, x: float, y: float, width: float, height: float) -> None:
        self.x[row], self.y[row], self.width[row], self.height[row] = x, y, width, height

    # Lines

    def _place_text(self, row: int, block: _Block) -> None:
        size, ems = self._sizes[row], self._measurer.ems
        length = (ems[row + 1] - ems[row]) * size
        if not length and not block.line_height:  # white space before any text
            self.x[row], self.y[row] = block.left, block.bottom
            return
        block.start_line(size * LINE)
        left, width = block.find_line()
        if width < size or width < 1:  # letters may have no size at all
            width = max(size, 1.0)
        start, height = block.line_x, block.line_height
        after = start + length
        if after <= width:
            self._set(row, left + start, block.bottom, length, height)
            block.line_x = after
            return
        lines = math.ceil(after / width)
        self._set(row, left, block.bottom, width, lines * height)
        block.bottom += (lines - 1) * height
        block.line_x = after % width

    def _break_line(self, row: int, block: _Block) -> None:
        block.start_line(self._sizes[row] * LINE)
        self._set(row, block.left + block.line_x, block.bottom, 0.0, block.line_height)
        block.end_line()

    def _place_replaced(self, row: int, block: _Block, display: str) -> None:
        """Place a picture, a frame or a field."""
        width, height = self._measurer.measure_replaced(row, block.width)
        if not self._is_shown[row]:
            width = height = 0.0
        if display not in _INLINE and not display.startswith("inline"):
            block.end_line()
            block.start_line(0.0)
            self._set(row, block.left, block.bottom, width or block.width, height)
            block.bottom += height
            return
        left, room = block.find_line()
        if block.line_x and block.line_x + width > room:
            block.end_line()
        block.start_line(height)
        self._set(row, left + block.line_x, block.bottom, width, height)
        block.line_x += width

    def _close_inline(self, row: int) -> None:
        """Put a box around what is in an inline element."""
        first, end = row + 1, self._nodes.end[row]
        if end == first + 1:  # mostly it is one text
            self._set(row, self.x[first], self.y[first], self.width[first], self.height[first])
            return
        child, seen = first, []
        while child < end:
            if self.height[child] > 0:
                seen.append(child)
            child = self._nodes.end[child]
        if seen:
            left, top = min(self.x[child] for child in seen), min(self.y[child] for child in seen)
            right = max(self.x[child] + self.width[child] for child in seen)
            bottom = max(self.y[child] + self.height[child] for child in seen)
            self._set(row, left, top, right - left, bottom - top)

    # Blocks

    def _open_block(self, row: int, display: str, parent: _Block) -> _Block:
        own = self._measurer.measure_block(row, parent.width)
        is_free = not own.side and not own.is_out and display in _PLAIN
        slot = parent.slots.get(row) if parent.slots is not None and not own.is_out else None
        if slot is not None:
            left, top, width = parent.left + slot[0], parent.row_top, _limit(slot[1], own)
        elif is_free:  # most are
            width = _limit(parent.width - own.left - own.right if own.width is None else own.width, own)
            left = _place_below(own, width, parent)
            top = parent.bottom
        else:
            width = self._find_width(row, display, own, parent)
            left, top = _find_place(own, display, width, parent)
        inside = width - own.pad_left - own.pad_right
        block = _Block(
            row,
            left + own.pad_left,
            inside if inside > 0 else 0.0,
            top + own.pad_top,
            left,
            width,
            top,
            own,
            own.above,
            is_free and not (own.pad_top or own.pad_bottom),
        )
        if not is_free:
            block.row_top = block.bottom
            block.is_inline = display.startswith("inline")
            block.slots = self._find_slots(row, display, block)
        return block

    def _find_slots(self, row: int, display: str, block: _Block) -> Slots | None:
        """Find where the children stand that are side by side."""
        own = block.measures
        assert own is not None
        if display == "table-row" or (display in _FLEX and own.is_row):
            return self._share_row(row, block.width, own.is_wrapping, is_table=display == "table-row")
        if display in _GRID and (columns := count_columns(own.columns, block.width)) > 1:
            children = self._list_children(row)
            return _wrap(children, [block.width / columns] * len(children), block.width)
        return None

    def _find_width(self, row: int, display: str, own: Measures, parent: _Block) -> float:
        if own.width is not None:
            return _limit(own.width, own)
        _, room = parent.find_line()
        is_shrinking = own.side or own.is_out or display.startswith("inline") or display == "table"
        width = (room if is_shrinking else parent.width) - own.left - own.right
        if is_shrinking:
            width = min(width, self._measurer.measure_inside(row) + own.pad_left + own.pad_right)
        return _limit(width, own)

    def _close_block(self, block: _Block, parent: _Block) -> None:
        own, row, top = block.measures, block.row, block.outer_top
        assert own is not None
        bottom = block.bottom + block.line_height
        if not block.is_plain and block.margin > 0:
            bottom += block.margin
        if block.beside_bottom > bottom:
            bottom = block.beside_bottom
        height = bottom + own.pad_bottom - top if own.height is None else own.height
        height = 0.0 if height < 0 else min(height, MOST)
        self._set(row, block.outer_left, top, block.outer_width, height)
        bottom = top + height
        if own.is_out:
            return
        if parent.slots is not None and row in parent.slots:
            parent.bottom = max(parent.bottom, bottom)
            following = self._nodes.end[row]
            if following in parent.slots and parent.slots[following][0] <= parent.slots[row][0]:
                parent.row_top = parent.bottom  # the next one begins a new row
        elif own.side:
            parent.beside_bottom = max(parent.beside_bottom, bottom)
        elif block.is_inline:
            parent.line_height = max(parent.line_height, height)
        else:
            if bottom > parent.bottom:
                parent.bottom = bottom
            parent.margin = max(own.below, block.margin) if block.is_plain else own.below

    def _share_row(self, row: int, width: float, is_wrapping: bool, *, is_table: bool) -> Slots:
        """Share the width of a row among the children: stated widths first, the rest by how much text they have."""
        children = self._list_children(row)
        stated = [self._measurer.measure_block(child, width).width for child in children]
        wishes = [min(max(self._measurer.measure_inside(child), _MIN_CELL), width) for child in children]
        pairs = list(zip(stated, wishes, strict=True))
        if is_wrapping:
            return _wrap(children, [wish if asked is None else asked for asked, wish in pairs], width)
        rest = max(width - sum(asked for asked in stated if asked is not None), 0.0)
        wished = sum(wish for asked, wish in pairs if asked is None)
        scale = rest / wished if wished and (wished > rest or is_table) else 1.0
        shares = [wish * scale if asked is None else asked for asked, wish in pairs]
        starts = accumulate(shares, initial=0.0)
        return {child: (start, share) for child, start, share in zip(children, starts, shares, strict=False)}

    def _list_children(self, row: int) -> list[int]:
        """Rows of the children that are blocks."""
        nodes, found = self._nodes, []
        child = row + 1
        while child < nodes.end[row]:
            if nodes.tag[child] != TEXT and nodes.tag[child] not in REPLACED:
                display = self._display[child]
                if display != "none" and display not in _INLINE:
                    found.append(child)
            child = nodes.end[child]
        return found


def _find_place(own: Measures, display: str, width: float, parent: _Block) -> tuple[float, float]:
    """Find where a block goes that is in no slot: its left edge and its top. Makes room for it."""
    if own.is_out:
        return parent.left + own.left, parent.bottom
    whole = width + own.left + own.right
    if own.side:
        return _place_float(own, whole, parent), parent.bottom + parent.margin
    if display.startswith("inline"):
        left, room = parent.find_line()
        if parent.line_x and parent.line_x + width > room:
            parent.end_line()
        parent.start_line(0.01)  # its height is not known yet
        left += parent.line_x + own.left
        parent.line_x += whole
        return left, parent.bottom
    return _place_below(own, width, parent), parent.bottom


def _place_below(own: Measures, width: float, parent: _Block) -> float:
    """Make room for a block below what is there: at the parent's bottom; the answer is its left edge."""
    if parent.line_height:
        parent.end_line()
    taken = parent.beside_left + parent.beside_right
    if taken and (parent.bottom >= parent.beside_bottom or parent.width - taken < _MIN_BESIDE * parent.width):
        parent.clear()
    if parent.is_plain and parent.bottom == parent.outer_top:  # the first child: one margin for both
        if own.above > parent.above:
            parent.bottom += own.above - parent.above
            parent.outer_top = parent.bottom
    else:
        parent.bottom += max(parent.margin, own.above)
    parent.margin = 0.0
    if own.is_centered and width < parent.width:
        return parent.left + (parent.width - width) / 2
    return parent.left + own.left


def _place_float(own: Measures, whole: float, parent: _Block) -> float:
    parent.end_line()
    taken = parent.beside_left + parent.beside_right
    if taken and taken + whole > parent.width + 1:
        parent.clear()
    if own.side == "left":
        parent.beside_left += whole
        return parent.left + parent.beside_left - whole + own.left
    parent.beside_right += whole
    return parent.left + parent.width - parent.beside_right + own.left


def _limit(width: float, own: Measures) -> float:
    if own.max_width is not None and width > own.max_width:
        width = own.max_width
    return 0.0 if width < 0 else min(width, MOST)


def _wrap(children: Sequence[int], widths: Sequence[float], width: float) -> Slots:
    """Put children side by side, and into a new row where one is full."""
    slots: dict[int, tuple[float, float]] = {}
    at = 0.0
    for child, share in zip(children, widths, strict=True):
        if at and at + share > width + 1:
            at = 0.0
        slots[child] = at, min(share, width)
        at += share
    return slots
