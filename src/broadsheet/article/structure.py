"""Content blocks to parts of the body: lists, quotes, tables and headings, nested as on the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from broadsheet.article.inline import RunReader
from broadsheet.article.parts import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.blocks import Blocks, Role, tags
from broadsheet.page import TEXT, Nodes, Page

_LIST_TAGS = frozenset(("ul", "ol", "menu", "dir", "dl"))
_ITEM_TAGS = frozenset(("li", "dt", "dd"))
_CELL_TAGS = frozenset(("td", "th"))
_FRAME_TAGS = _LIST_TAGS | _ITEM_TAGS | _CELL_TAGS | {"blockquote", "table", "tr"}
_MAX_NESTING = 20  # deeper lists and quotes are flattened
_MAX_CELL_CHARS = 300  # a cell with more text is a column of the layout
_BLOCKS_PER_CHECK = 1024  # between two checks of the deadline
_DEFAULT_LEVEL = 2  # of a heading without a heading tag


def build_body(page: Page, blocks: Blocks, roles: Sequence[Role], content: Iterable[int]) -> tuple[Part, ...]:
    """Return the parts of the content blocks, in order."""
    nodes = page.nodes
    finder, reader = _FrameFinder(nodes), RunReader(nodes, page.base)
    root = _Frame("", -1)
    opened = [root]
    for number, block in enumerate(content):
        if not number % _BLOCKS_PER_CHECK:
            page.deadline.check()
        rows = finder.frames_around(blocks.container[block])
        common = 1  # frames that are open and around this block too, with the root
        while common < len(opened) and common <= len(rows) and opened[common].row == rows[common - 1]:
            common += 1
        del opened[common:]
        for row in rows[common - 1 :]:
            opened.append(_open_frame(nodes, opened[-1], row))
        opened[-1].content.append(_build_leaf(nodes, blocks, roles, block, reader))
    return _build_parts(root)


@dataclass(slots=True)
class _Frame:
    """A list, item, quote, table, table row or cell under construction."""

    tag: str
    row: int
    content: list[_Frame | Part] = field(default_factory=list)
    cells: dict[int, _Frame] = field(default_factory=dict)  # of a table row, by node row


def _open_frame(nodes: Nodes, outer: _Frame, row: int) -> _Frame:
    if row in outer.cells:
        return outer.cells[row]
    frame = _Frame(nodes.tag[row], row)
    if frame.tag == "tr":  # create all its cells: one without content stays empty, and the columns stay aligned
        child = row + 1
        while child < nodes.end[row]:
            if nodes.tag[child] in _CELL_TAGS:
                frame.cells[child] = _Frame(nodes.tag[child], child)
            child = nodes.end[child]
        frame.content.extend(frame.cells.values())
    outer.content.append(frame)
    return frame


class _FrameFinder:
    """Finds the lists, quotes and data tables around a container, and caches them."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.cache: dict[int, tuple[int, ...]] = {-1: ()}  # row -> rows of the frames around it and of itself

    def frames_around(self, row: int) -> tuple[int, ...]:
        path = []
        while row not in self.cache:
            path.append(row)
            row = self.nodes.parent[row]
        frames = self.cache[row]
        for row in reversed(path):
            tag = self.nodes.tag[row]
            if tag in _FRAME_TAGS and len(frames) < _MAX_NESTING and self._is_frame(row, tag, frames):
                frames = (*frames, row)
            self.cache[row] = frames
        return frames

    def _is_frame(self, row: int, tag: str, frames: tuple[int, ...]) -> bool:
        """Exclude tables that lay out the page, with their rows and cells."""
        if tag == "table":
            return is_data_table(self.nodes, row)
        if tag == "tr":
            return bool(frames) and self.nodes.tag[frames[-1]] == "table"
        if tag in _CELL_TAGS:
            return bool(frames) and self.nodes.tag[frames[-1]] == "tr"
        return True


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
        elif tag in _CELL_TAGS:
            cells += 1
            headers += tag == "th"
            raw_chars = sum(map(len, nodes.text[row : nodes.end[row]]))
            if raw_chars > _MAX_CELL_CHARS and len(nodes.text_of(row)) > _MAX_CELL_CHARS:
                return False
        row += 1
    return cells >= 2 and (headers > 0 or (rows >= 2 and cells >= 2 * rows))


def _build_leaf(nodes: Nodes, blocks: Blocks, roles: Sequence[Role], block: int, reader: RunReader) -> Part:
    context = blocks.context[block]
    if context & tags.CODE:
        return Code(_read_code(nodes, blocks.rows[block]))
    runs = reader.read(blocks.rows[block], blocks.text[block])
    if context & tags.HEADING:
        return Heading(_find_level(nodes, blocks.container[block]), runs)
    if roles[block] is Role.HEADING:
        return Heading(_DEFAULT_LEVEL, runs)
    return Paragraph(runs)


def _read_code(nodes: Nodes, rows: Sequence[int]) -> str:
    pieces = [nodes.text[row] if nodes.tag[row] == TEXT else "\n" for row in rows]
    return "".join(pieces).strip("\r\n").rstrip()


def _find_level(nodes: Nodes, container: int) -> int:
    for row in (container, *nodes.ancestors(container)):
        if level := tags.HEADINGS.get(nodes.tag[row]):
            return level
    return _DEFAULT_LEVEL


def _build_parts(frame: _Frame) -> tuple[Part, ...]:
    parts: list[Part] = []
    items: list[tuple[Part, ...]] = []  # outside any list
    for inner in frame.content:
        if isinstance(inner, _Frame) and inner.tag in _ITEM_TAGS:
            items.append(_build_parts(inner))
            continue
        if items:
            parts.append(Listing(is_ordered=False, items=tuple(items)))
            items = []
        parts.append(_build_part(inner) if isinstance(inner, _Frame) else inner)
    if items:
        parts.append(Listing(is_ordered=False, items=tuple(items)))
    return tuple(parts)


def _build_part(frame: _Frame) -> Part:
    if frame.tag in _LIST_TAGS:
        return Listing(frame.tag == "ol", tuple(_build_items(frame)))
    if frame.tag == "table":
        return _build_table(frame)
    return Quote(_build_parts(frame))


def _build_items(frame: _Frame) -> Iterable[tuple[Part, ...]]:
    for inner in frame.content:
        if not isinstance(inner, _Frame):
            yield (inner,)
        elif inner.tag in _ITEM_TAGS:
            yield _build_parts(inner)
        else:
            yield (_build_part(inner),)


def _build_table(frame: _Frame) -> Table:
    rows = []
    for inner in frame.content:
        if isinstance(inner, _Frame) and inner.tag == "tr":
            rows.append(tuple(_build_cell(cell) for cell in inner.content))
        else:
            rows.append((_build_cell(inner),))
    return Table(tuple(rows))


def _build_cell(content: _Frame | Part) -> Cell:
    runs: list[Run] = []
    for part in _leaves(content):
        if runs:
            runs.append(Run("\n"))
        runs.extend((Run(part.text),) if isinstance(part, Code) else part.runs)
    return Cell(tuple(runs), is_header=isinstance(content, _Frame) and content.tag == "th")


def _leaves(content: _Frame | Part) -> Iterable[Paragraph | Heading | Code]:
    if isinstance(content, _Frame):
        for inner in content.content:
            yield from _leaves(inner)
    elif isinstance(content, Paragraph | Heading | Code):
        yield content
