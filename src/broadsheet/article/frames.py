"""Frames: the lists, quotes and data tables that blocks are inside. Tables that lay out the page are not frames."""

from __future__ import annotations

from dataclasses import dataclass, field

from broadsheet.article.parts import Part
from broadsheet.page import Nodes

LIST_TAGS = frozenset(("ul", "ol", "menu", "dir", "dl"))
ITEM_TAGS = frozenset(("li", "dt", "dd"))
CELL_TAGS = frozenset(("td", "th"))
_FRAME_TAGS = LIST_TAGS | ITEM_TAGS | CELL_TAGS | {"blockquote", "table", "caption", "tr"}
_TABLE_PARTS = {"tr": "table", "caption": "table", "td": "tr", "th": "tr"}  # and what they are part of
_MAX_NESTING = 20  # deeper lists and quotes are flattened
_MAX_CELL_CHARS = 300  # a cell with more text is a column of the layout
_MAX_SPAN = 100  # columns or rows


@dataclass(slots=True)
class Frame:
    """A list, item, quote, table, table row or cell under construction. The outermost frame has no tag."""

    tag: str
    row: int
    content: list[Frame | Part] = field(default_factory=list)
    cells: dict[int, Frame] = field(default_factory=dict)  # of a table row, by node row


class FrameFinder:
    """Finds the frames around a container, and caches them."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.cache: dict[int, tuple[int, ...]] = {-1: ()}  # row -> rows of the frames around it and of itself

    def frames_around(self, row: int) -> tuple[int, ...]:
        """Return the rows of the frames around a container, the outermost first."""
        cache, parents, tags = self.cache, self.nodes.parent, self.nodes.tag
        path = []
        while (frames := cache.get(row)) is None:
            path.append(row)
            row = parents[row]
        for row in reversed(path):
            tag = tags[row]
            if tag in _FRAME_TAGS and len(frames) < _MAX_NESTING and self._is_frame(row, tag, frames):
                frames = (*frames, row)
            cache[row] = frames
        return frames

    def _is_frame(self, row: int, tag: str, frames: tuple[int, ...]) -> bool:
        """Exclude tables that lay out the page, with their rows and cells."""
        if tag == "table":
            return is_data_table(self.nodes, row)
        if whole := _TABLE_PARTS.get(tag):
            return bool(frames) and self.nodes.tag[frames[-1]] == whole
        return True


class OpenFrames:
    """The frames that are open while blocks are added in the order of the page."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.root = Frame("", -1)
        self._opened = [self.root]

    def open(self, rows: tuple[int, ...]) -> Frame:
        """Close the frames that are not in `rows`, open those that are not open, and return the innermost."""
        common = self.count_common(rows)
        del self._opened[common + 1 :]
        for row in rows[common:]:
            self._opened.append(self._open_frame(self._opened[-1], row))
        return self._opened[-1]

    def count_common(self, rows: tuple[int, ...]) -> int:
        """Return how many of the frames are open."""
        count = 0
        for frame, row in zip(self._opened[1:], rows, strict=False):
            if frame.row != row:
                break
            count += 1
        return count

    def get(self, depth: int) -> Frame:
        """Return the open frame at a depth; 0 is the root."""
        return self._opened[depth]

    def _open_frame(self, outer: Frame, row: int) -> Frame:
        nodes = self.nodes
        if row in outer.cells:
            return outer.cells[row]
        frame = Frame(nodes.tag[row], row)
        if frame.tag == "tr":  # create all its cells: one without content stays empty, and the columns stay aligned
            child = row + 1
            while child < nodes.end[row]:
                if nodes.tag[child] in CELL_TAGS:
                    frame.cells[child] = Frame(nodes.tag[child], child)
                child = nodes.end[child]
            frame.content.extend(frame.cells.values())
        outer.content.append(frame)
        return frame


def is_data_table(nodes: Nodes, table: int) -> bool:
    """Tell a data table (a grid of short cells, without a table inside) from one that lays out the page."""
    rows = cells = headers = 0
    row, end = table + 1, nodes.end[table]
    while row < end:
        tag = nodes.tag[row]
        if tag == "table":
            return False
        if tag == "tr":
            rows += 1
        elif tag in CELL_TAGS:
            cells += 1
            headers += tag == "th"
            raw_chars = sum(map(len, nodes.text[row : nodes.end[row]]))
            if raw_chars > _MAX_CELL_CHARS and len(nodes.text_of(row)) > _MAX_CELL_CHARS:
                return False
        row += 1
    return cells >= 2 and (headers > 0 or (rows >= 2 and cells >= 2 * rows))


def read_span(nodes: Nodes, row: int, name: str) -> int:
    """Return the number of columns or rows that a cell extends over."""
    value = nodes.attr(row, name).strip()
    return min(max(int(value), 1), _MAX_SPAN) if value.isascii() and value.isdigit() and len(value) <= 6 else 1


def is_in_header(nodes: Nodes, row: int) -> bool:
    """Tell whether a cell is a header: a `<th>`, or in a `<thead>`."""
    return nodes.tag[row] == "th" or nodes.tag[nodes.parent[nodes.parent[row]]] == "thead"
