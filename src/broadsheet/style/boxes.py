"""Where things stand on the page: a browser's boxes, or an estimate of them.

The estimate lays text out in lines of average letters, and blocks below one another or side by side, at a width of
1280 pixels. It knows widths, floats, tables, flex rows and grids roughly, and pictures by their attributes; it knows
nothing of overlap, overflow or what scripts would do. Good enough to tell a column from a page, a header from a body.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from broadsheet.page import TEXT, Nodes, Page
from broadsheet.style.cascade import Cascade, Declared
from broadsheet.style.declarations import LAYOUT
from broadsheet.style.lengths import SCREEN_HEIGHT, SCREEN_WIDTH, Choice, Linear
from broadsheet.style.styles import ComputedStyles, Styles

Column = npt.NDArray[np.float32]

# Average of Latin text in the fonts that pages use; other scripts are wider (CJK: square).
_LETTER, _WIDE_LETTER, _LINE = 0.5, 1.0, 1.2  # of the font size
_MIN_BESIDE = 0.3  # of the width: what is left beside a float must be this much for text to go there
_MAX_DEPTH_SHARE = 1_000_000.0  # pixels; no page is longer, whatever its sheets say

_MARGINS = {  # above and below, in ems
    **dict.fromkeys(("p", "ul", "ol", "dl", "menu", "dir", "blockquote", "figure", "pre", "listing", "xmp"), 1.0),
    **{"h1": 0.67, "h2": 0.83, "h3": 1.0, "h4": 1.33, "h5": 1.67, "h6": 2.33, "hr": 0.5},
}
_INDENTS = {"ul": 40.0, "ol": 40.0, "menu": 40.0, "dir": 40.0, "blockquote": 40.0, "figure": 40.0, "dd": 40.0}
_BOTH_SIDES = frozenset(("blockquote", "figure"))
_REPLACED = {  # width and height without attributes
    "img": (24.0, 24.0),
    "iframe": (300.0, 150.0),
    "video": (300.0, 150.0),
    "canvas": (300.0, 150.0),
    "object": (0.0, 0.0),
    "embed": (0.0, 0.0),
    "svg": (300.0, 150.0),
    "input": (150.0, 21.0),
    "select": (120.0, 19.0),
    "textarea": (182.0, 36.0),
    "hr": (0.0, 2.0),
}
_ROW_DISPLAYS = frozenset(("table-row", "flex", "inline-flex", "-webkit-box", "-webkit-inline-box"))
_INLINE = frozenset(("inline", "contents", "ruby", "ruby-text", "math"))


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """One box per row of the node table, in pixels from the top left of the page; 0 by 0 for what is not shown."""

    x: Column
    y: Column
    width: Column
    height: Column
    page_width: float
    page_height: float


def find_boxes(page: Page, styles: Styles) -> Boxes:
    """Find the box of every row: the browser's where the page was rendered, otherwise an estimate."""
    rendering = page.rendering
    if rendering is not None:
        columns = (rendering.x, rendering.y, rendering.width, rendering.height)
        x, y, width, height = (np.asarray(column, dtype=np.float32) for column in columns)
        return Boxes(x, y, width, height, rendering.page_width, rendering.page_height)
    return _Flow(page, styles).run()


@dataclass(slots=True)
class _Block:
    """An open block, and how far it is filled."""

    row: int
    left: float
    top: float
    width: float  # of its content
    bottom: float  # of what is in it so far
    slots: Mapping[int, tuple[float, float]] | None = None  # children side by side: row -> offset and width
    row_top: float = 0.0  # of the row of children that is being filled
    line_x: float = 0.0
    line_height: float = 0.0  # 0: no line is open
    margin: float = 0.0  # below the last child, not used up yet
    beside_left: float = 0.0  # what floats take away
    beside_right: float = 0.0
    beside_bottom: float = 0.0
    fixed_height: float | None = None
    padding_bottom: float = 0.0
    is_aside: bool = False  # it does not push on what comes after
    outer: tuple[float, float] = field(default=(0.0, 0.0))  # left edge and width with padding
    outer_top: float = 0.0
    margin_below: float = 0.0


class _Flow:
    """One walk over the table that fills the boxes."""

    def __init__(self, page: Page, styles: Styles) -> None:
        self._page = page
        self._nodes: Nodes = page.nodes
        self._styles = styles
        cascade = styles.cascade if isinstance(styles, ComputedStyles) else Cascade(page)
        self._declared: Declared = cascade.apply(LAYOUT, with_defaults=False)
        count = len(page.nodes)
        self._x, self._y, self._width, self._height = ([0.0] * count for _ in range(4))
        # Width of all text before each row, in ems: a subtree's is one subtraction.
        self._ems = [0.0, *accumulate(map(_measure, page.nodes.text))]

    def run(self) -> Boxes:
        nodes = self._nodes
        open_blocks: list[_Block] = [_Block(-1, 0.0, 0.0, SCREEN_WIDTH, 0.0)]
        open_inline: list[int] = []
        row, count = 0, len(nodes)
        while row < count:
            while open_inline and nodes.end[open_inline[-1]] <= row:
                self._close_inline(open_inline.pop())
            while open_blocks[-1].row >= 0 and nodes.end[open_blocks[-1].row] <= row:
                self._close_block(open_blocks.pop(), open_blocks[-1])
            if nodes.tag[row] == TEXT:
                if self._styles.is_shown(nodes.parent[row]):
                    self._place_text(row, open_blocks[-1])
                row += 1
                continue
            display = self._styles.display(row)
            if display == "none":
                row = nodes.end[row]
                continue
            if row % 4096 == 0:
                self._page.deadline.check()
            if display in _INLINE and nodes.tag[row] not in _REPLACED:
                if nodes.tag[row] == "br":
                    self._break_line(row, open_blocks[-1])
                elif nodes.end[row] > row + 1:
                    open_inline.append(row)
            elif nodes.tag[row] in _REPLACED:
                self._place_replaced(row, open_blocks[-1], display)
                row = nodes.end[row]
                continue
            else:
                open_blocks.append(self._open_block(row, display, open_blocks[-1]))
            row += 1
        while open_inline:
            self._close_inline(open_inline.pop())
        while len(open_blocks) > 1:
            self._close_block(open_blocks.pop(), open_blocks[-1])
        return self._finish(open_blocks[0])

    def _finish(self, screen: _Block) -> Boxes:
        columns = (self._x, self._y, self._width, self._height)
        x, y, width, height = (np.asarray(column, dtype=np.float32) for column in columns)
        right = float((x + width).max()) if len(x) else 0.0
        return Boxes(x, y, width, height, max(SCREEN_WIDTH, min(right, 4 * SCREEN_WIDTH)), max(SCREEN_HEIGHT, screen.bottom))

    # Text

    def _place_text(self, row: int, block: _Block) -> None:
        text = self._nodes.text[row]
        if text.isspace() and not block.line_height:
            self._x[row], self._y[row] = block.left, block.bottom
            return
        size = self._styles.font_size(row)
        length = (self._ems[row + 1] - self._ems[row]) * size
        self._start_line(block, size * _LINE)
        left, width = _beside(block)
        room = max(width, size)
        start = block.line_x
        if start + length <= room or length == 0:
            self._set(row, left + start, block.bottom, length, block.line_height)
            block.line_x = start + length
            return
        lines = math.ceil((start + length) / room)
        self._set(row, left, block.bottom, room, lines * block.line_height)
        block.bottom += (lines - 1) * block.line_height
        block.line_x = (start + length) % room

    def _break_line(self, row: int, block: _Block) -> None:
        height = block.line_height or self._styles.font_size(row) * _LINE
        self._x[row], self._y[row], self._height[row] = block.left + block.line_x, block.bottom, height
        block.bottom += height
        block.line_x = block.line_height = 0.0

    def _start_line(self, block: _Block, height: float) -> None:
        if not block.line_height:
            block.bottom += block.margin
            block.margin = 0.0
        block.line_height = max(block.line_height, height)

    def _end_line(self, block: _Block) -> None:
        block.bottom += block.line_height
        block.line_x = block.line_height = 0.0

    def _close_inline(self, row: int) -> None:
        """Put a box around what is in an inline element."""
        inside = range(row + 1, self._nodes.end[row])
        seen = [child for child in inside if self._height[child] > 0]
        if not seen or self._nodes.end[row] - row > 5_000:
            return
        left, top = min(self._x[child] for child in seen), min(self._y[child] for child in seen)
        right = max(self._x[child] + self._width[child] for child in seen)
        bottom = max(self._y[child] + self._height[child] for child in seen)
        self._set(row, left, top, right - left, bottom - top)

    def _place_replaced(self, row: int, block: _Block, display: str) -> None:
        """Place a picture, a frame or a field."""
        if not self._styles.is_shown(row):
            return
        width, height = self._measure_replaced(row, block)
        if self._nodes.tag[row] == "hr" or display in ("block", "flex", "grid"):
            self._end_line(block)
            block.bottom += block.margin
            block.margin = 0.0
            self._set(row, block.left, block.bottom, width or block.width, height)
            block.bottom += height
            return
        left, room = _beside(block)
        if block.line_x and block.line_x + width > room:
            self._end_line(block)
        self._start_line(block, height)
        self._set(row, left + block.line_x, block.bottom, width, height)
        block.line_x += width

    def _measure_replaced(self, row: int, block: _Block) -> tuple[float, float]:
        nodes, values = self._nodes, self._declared.find(row)
        default_width, default_height = _REPLACED[nodes.tag[row]]
        stated = _read_pixels(nodes.attr(row, "width"), block.width), _read_pixels(nodes.attr(row, "height"), 0.0)
        size = self._styles.font_size(row)
        width = _resolve(values.get("width"), size, block.width)
        height = _resolve(values.get("height"), size, 0.0)
        most = _resolve(values.get("max-width"), size, block.width)
        if width is None:
            width = stated[0] if stated[0] is not None else default_width
        if most is not None and width > most:
            if stated[1] is not None and height is None and width:
                stated = stated[0], stated[1] * most / width
            width = most
        if height is None:
            height = stated[1] if stated[1] is not None else default_height
        return max(width, 0.0), max(height, 0.0)

    # Blocks

    def _open_block(self, row: int, display: str, parent: _Block) -> _Block:
        nodes, values = self._nodes, self._declared.find(row)
        size = self._styles.font_size(row)
        tag = nodes.tag[row]
        indent = _INDENTS.get(tag, 0.0)
        is_list = tag in ("ul", "ol", "menu", "dir")
        body = 8.0 if tag == "body" else 0.0
        above = _resolve(values.get("margin-top"), size, parent.width, _MARGINS.get(tag, 0.0) * size + body)
        below = _resolve(values.get("margin-bottom"), size, parent.width, _MARGINS.get(tag, 0.0) * size + body)
        indent_left = body if is_list else indent + body
        indent_right = (indent if tag in _BOTH_SIDES else 0.0) + body
        margin_left = _resolve(values.get("margin-left"), size, parent.width, indent_left)
        margin_right = _resolve(values.get("margin-right"), size, parent.width, indent_right)
        pad_left = _resolve(values.get("padding-left"), size, parent.width, indent if is_list else 0.0)
        pad_right = _resolve(values.get("padding-right"), size, parent.width, 0.0)
        pad_top = _resolve(values.get("padding-top"), size, parent.width, 0.0)
        pad_bottom = _resolve(values.get("padding-bottom"), size, parent.width, 0.0)
        is_auto = values.get("margin-left") == "auto" and values.get("margin-right") == "auto"
        stated = _resolve(values.get("width"), size, parent.width)
        if stated is None and tag in ("table", "td", "th"):
            stated = _read_pixels(nodes.attr(row, "width"), parent.width)
        most = _resolve(values.get("max-width"), size, parent.width)
        natural = (self._ems[nodes.end[row]] - self._ems[row]) * size + pad_left + pad_right
        side = str(values.get("float", "none"))
        is_out = values.get("position") in ("absolute", "fixed")
        is_atom = display.startswith("inline") or side in ("left", "right") or is_out or display == "table"

        slot = parent.slots.get(row) if parent.slots is not None else None
        if slot is not None:
            left, top, width = parent.left + slot[0], parent.row_top, slot[1]
            above = 0.0
        else:
            beside_left, room = _beside(parent) if is_atom else (parent.left, parent.width)
            width = stated if stated is not None else room - margin_left - margin_right
            if is_atom and stated is None:
                width = min(width, natural)
            left, top = beside_left + margin_left, parent.bottom
        if most is not None and width > most:
            width = most
        width = min(max(width, 0.0), _MAX_DEPTH_SHARE)
        if slot is None:
            left, top = self._find_place(parent, left, width, above, margin_left + margin_right, side, is_out, display)
            if is_auto and not is_atom and width < parent.width:
                left = parent.left + (parent.width - width) / 2
        content = max(width - pad_left - pad_right, 0.0)
        block = _Block(row, left + pad_left, top + pad_top, content, top + pad_top)
        block.outer, block.outer_top = (left, width), top
        block.padding_bottom, block.margin_below = max(pad_bottom, 0.0), below
        block.is_aside = is_out
        block.fixed_height = _resolve(values.get("height"), size, 0.0) if not _is_share(values.get("height")) else None
        block.row_top = block.bottom
        if display in _ROW_DISPLAYS and values.get("flex-direction", "row") in ("row", "row-reverse"):
            block.slots = self._share_row(row, content, size, values)
        elif display in ("grid", "inline-grid"):
            block.slots = self._share_grid(row, content, values)
        return block

    def _find_place(
        self, parent: _Block, left: float, width: float, above: float, margins: float, side: str, is_out: bool, display: str
    ) -> tuple[float, float]:
        """Find where a block goes that is not in a slot: its left edge and its top."""
        if is_out:
            return left, parent.bottom
        if side in ("left", "right"):
            self._end_line(parent)
            taken = parent.beside_left + parent.beside_right
            if taken and taken + width + margins > parent.width + 1:
                parent.bottom = max(parent.bottom, parent.beside_bottom)
                parent.beside_left = parent.beside_right = 0.0
            if side == "left":
                at = parent.left + parent.beside_left
                parent.beside_left += width + margins
            else:
                parent.beside_right += width + margins
                at = parent.left + parent.width - parent.beside_right
            return at, parent.bottom + parent.margin
        if display.startswith("inline"):
            _, room = _beside(parent)
            if parent.line_x and parent.line_x + width > room:
                self._end_line(parent)
            self._start_line(parent, 0.01)
            at = left + parent.line_x
            parent.line_x += width + margins
            return at, parent.bottom
        self._end_line(parent)
        if parent.beside_left or parent.beside_right:
            rest = parent.width - parent.beside_left - parent.beside_right
            if parent.bottom >= parent.beside_bottom or rest < _MIN_BESIDE * parent.width:
                parent.bottom = max(parent.bottom, parent.beside_bottom)
                parent.beside_left = parent.beside_right = 0.0
        parent.bottom += max(parent.margin, above)
        parent.margin = 0.0
        return left, parent.bottom

    def _close_block(self, block: _Block, parent: _Block) -> None:
        self._end_line(block)
        nodes, row = self._nodes, block.row
        bottom = max(block.bottom, block.beside_bottom) + block.padding_bottom
        height = bottom - block.outer_top
        if block.fixed_height is not None:
            height = block.fixed_height
        height = min(max(height, 0.0), _MAX_DEPTH_SHARE)
        left, width = block.outer
        if self._styles.is_shown(row) or height > 0:
            self._set(row, left, block.outer_top, width, height)
        bottom = block.outer_top + height
        if block.is_aside:
            return
        if parent.slots is not None and row in parent.slots:
            parent.bottom = max(parent.bottom, bottom)
            following = nodes.end[row]
            if following in parent.slots and parent.slots[following][0] <= parent.slots[row][0]:
                parent.row_top = parent.bottom  # the next one begins a new row
            return
        display = self._styles.display(row)
        side = self._declared.find(row).get("float", "none")
        if side in ("left", "right"):
            parent.beside_bottom = max(parent.beside_bottom, bottom)
        elif display.startswith("inline"):
            parent.line_height = max(parent.line_height, height)
        else:
            parent.bottom = max(parent.bottom, bottom)
            parent.margin = block.margin_below

    def _share_row(self, row: int, width: float, size: float, values: Mapping[str, object]) -> Mapping[int, tuple[float, float]]:
        """Share the width of a row among the children: stated widths first, the rest by how much text they have."""
        children = self._list_children(row)
        stated: list[float | None] = []
        wishes: list[float] = []
        for child in children:
            asked = _resolve(self._declared.find(child).get("width"), self._styles.font_size(child), width)
            if asked is None and self._nodes.tag[child] in ("td", "th"):
                asked = _read_pixels(self._nodes.attr(child, "width"), width)
            stated.append(asked)
            natural = (self._ems[self._nodes.end[child]] - self._ems[child]) * self._styles.font_size(child)
            wishes.append(min(max(natural, 20.0), width or 20.0))
        if values.get("flex-wrap") == "wrap":
            return _wrap(children, [wish if asked is None else asked for asked, wish in zip(stated, wishes, strict=True)], width)
        rest = max(width - sum(asked for asked in stated if asked is not None), 0.0)
        wished = sum(wish for asked, wish in zip(stated, wishes, strict=True) if asked is None)
        is_table = self._styles.display(row) == "table-row"
        scale = rest / wished if wished and (wished > rest or is_table) else 1.0
        taken = [wish * scale if asked is None else asked for asked, wish in zip(stated, wishes, strict=True)]
        starts = [0.0, *accumulate(taken)]
        return {child: (start, share) for child, start, share in zip(children, starts, taken, strict=False)}

    def _share_grid(self, row: int, width: float, values: Mapping[str, object]) -> Mapping[int, tuple[float, float]] | None:
        columns = _count_columns(str(values.get("grid-template-columns", "")), width)
        if columns < 2:
            return None
        return _wrap(self._list_children(row), [width / columns] * len(self._list_children(row)), width)

    def _list_children(self, row: int) -> list[int]:
        nodes, found = self._nodes, []
        child = row + 1
        while child < nodes.end[row]:
            if nodes.tag[child] != TEXT and nodes.tag[child] not in _REPLACED:
                display = self._styles.display(child)
                if display not in ("none", *_INLINE):
                    found.append(child)
            child = nodes.end[child]
        return found

    def _set(self, row: int, x: float, y: float, width: float, height: float) -> None:
        self._x[row], self._y[row] = x, min(y, _MAX_DEPTH_SHARE)
        self._width[row], self._height[row] = width, min(height, _MAX_DEPTH_SHARE)


def _beside(block: _Block) -> tuple[float, float]:
    """Left edge and width of a line, floats taken off."""
    if not block.beside_left and not block.beside_right:
        return block.left, block.width
    if block.bottom >= block.beside_bottom > 0:
        block.beside_left = block.beside_right = 0.0
        return block.left, block.width
    return block.left + block.beside_left, max(block.width - block.beside_left - block.beside_right, 0.0)


def _wrap(children: Sequence[int], widths: Sequence[float], width: float) -> dict[int, tuple[float, float]]:
    slots: dict[int, tuple[float, float]] = {}
    at = 0.0
    for child, share in zip(children, widths, strict=True):
        if at and at + share > width + 1:
            at = 0.0
        slots[child] = at, min(share, width)
        at += share
    return slots


def _count_columns(template: str, width: float) -> int:
    """Count the columns of a grid; 0 when it cannot be told."""
    template = template.strip()
    if not template or template in ("none", "auto", "subgrid") or len(template) > 500:
        return 0
    if template.startswith("repeat("):
        times, _, rest = template[7:].partition(",")
        if times.strip().isdigit():
            return min(int(times) * max(1, len(rest.rstrip(") ").split())), 100)
        least = next((part for part in rest.replace("(", " ").replace(",", " ").split() if part.endswith("px")), "")
        pixels = _read_pixels(least.removesuffix("px"), 0.0)
        return max(1, min(int(width // pixels), 20)) if pixels else 0
    depth, columns, is_inside = 0, 0, False
    for char in template:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(char, 0)
        if char.isspace() and depth == 0:
            is_inside = False
        elif not is_inside:
            is_inside = True
            columns += char != "["
    return columns


def _measure(text: str) -> float:
    """Width of a text in ems."""
    if not text:
        return 0.0
    if text.isascii():
        count = len(text)
        return _LETTER * (count if "  " not in text and "\n" not in text else len(" ".join(text.split())))
    wide = sum("\u1100" <= char <= "\u11ff" or "\u2e80" <= char <= "\ud7ff" or "\uf900" <= char <= "\uffef" for char in text)
    return _LETTER * (len(text) - wide) + _WIDE_LETTER * wide


def _resolve(value: object, size: float, whole: float, otherwise: float | None = None) -> float | None:
    if isinstance(value, Linear | Choice):
        pixels = value.resolve(size, 16.0, whole)
        return min(max(pixels, -_MAX_DEPTH_SHARE), _MAX_DEPTH_SHARE) if math.isfinite(pixels) else otherwise
    return otherwise if value != "auto" else (None if otherwise is None else 0.0)


def _is_share(value: object) -> bool:
    """Tell a height that is a share of another: it is not known, and mostly that of the content."""
    return isinstance(value, Linear) and value.percent != 0


def _read_pixels(text: str, whole: float) -> float | None:
    """Read an attribute such as `width="50%"`."""
    text = text.strip().removesuffix("px")
    is_share = text.endswith("%")
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        return None
    if not 0 <= number <= _MAX_DEPTH_SHARE:
        return None
    return number / 100 * whole if is_share else number
