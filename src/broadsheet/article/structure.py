"""Content blocks to body parts: lists, quotes, tables and headings as the page nests them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from broadsheet.article.inline import RunReader
from broadsheet.article.parts import Cell, Code, Heading, Listing, Paragraph, Part, Quote, Run, Table
from broadsheet.blocks import Blocks, Role, tags
from broadsheet.page import TEXT, Nodes, Page

_LISTS = frozenset(("ul", "ol", "menu", "dir", "dl"))
_ITEMS = frozenset(("li", "dt", "dd"))
_CELLS = frozenset(("td", "th"))
_FRAMES = _LISTS | _ITEMS | _CELLS | {"blockquote", "table", "tr"}
_MAX_NESTING = 20  # deeper lists and quotes are flattened
_MAX_CELL = 300  # characters; a cell with more is a column of the layout
_LOOK_EVERY = 1024  # blocks between two looks at the clock
_LEVEL_WITHOUT_TAG = 2  # of a heading that the page writes as plain text


def build_body(page: Page, blocks: Blocks, roles: Sequence[Role], chosen: Iterable[int]) -> tuple[Part, ...]:
    """Build the parts of the chosen blocks, in order."""
    nodes = page.nodes
    finder, reader = _FrameFinder(nodes), RunReader(nodes, page.base)
    root = _Frame("", -1)
    opened = [root]
    for number, block in enumerate(chosen):
        if not number % _LOOK_EVERY:
            page.deadline.check()
        rows = finder.frames_around(blocks.container[block])
        kept = 1
        while kept < len(opened) and kept <= len(rows) and opened[kept].row == rows[kept - 1]:
            kept += 1
        del opened[kept:]
        for row in rows[kept - 1 :]:
            opened.append(_open_frame(nodes, opened[-1], row))
        opened[-1].content.append(_build_leaf(nodes, blocks, roles, block, reader))
    return _build_parts(root)


@dataclass(slots=True)
class _Frame:
    """A list, item, quote, table, row or cell under construction."""

    tag: str
    row: int
    content: list[_Frame | Part] = field(default_factory=list)
    cells: dict[int, _Frame] = field(default_factory=dict)  # of a table's row, by node row


def _open_frame(nodes: Nodes, outer: _Frame, row: int) -> _Frame:
    if row in outer.cells:
        return outer.cells[row]
    frame = _Frame(nodes.tag[row], row)
    if frame.tag == "tr":  # all its cells, so that a cell left out leaves a gap and the columns stay in line
        at = row + 1
        while at < nodes.end[row]:
            if nodes.tag[at] in _CELLS:
                frame.cells[at] = _Frame(nodes.tag[at], at)
            at = nodes.end[at]
        frame.content.extend(frame.cells.values())
    outer.content.append(frame)
    return frame


class _FrameFinder:
    """Finds the structural elements around a container, once for each container."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.known: dict[int, tuple[int, ...]] = {-1: ()}

    def frames_around(self, row: int) -> tuple[int, ...]:
        path = []
        while row not in self.known:
            path.append(row)
            row = self.nodes.parent[row]
        frames = self.known[row]
        for row in reversed(path):
            tag = self.nodes.tag[row]
            if tag in _FRAMES and len(frames) < _MAX_NESTING and self._counts(row, tag, frames):
                frames = (*frames, row)
            self.known[row] = frames
        return frames

    def _counts(self, row: int, tag: str, frames: tuple[int, ...]) -> bool:
        """Leave out tables that only lay out the page, with their rows and cells."""
        if tag == "table":
            return is_data_table(self.nodes, row)
        if tag == "tr":
            return bool(frames) and self.nodes.tag[frames[-1]] == "table"
        if tag in _CELLS:
            return bool(frames) and self.nodes.tag[frames[-1]] == "tr"
        return True


def is_data_table(nodes: Nodes, table: int) -> bool:
    """Tell a table of data from one that lays out the page: a grid of short cells, with no table inside."""
    rows = cells = headers = 0
    row, end = table + 1, nodes.end[table]
    while row < end:
        tag = nodes.tag[row]
        if tag == "table":
            return False
        if tag == "tr":
            rows += 1
        elif tag in _CELLS:
            cells += 1
            headers += tag == "th"
            if sum(map(len, nodes.text[row : nodes.end[row]])) > _MAX_CELL and len(nodes.text_of(row)) > _MAX_CELL:
                return False
        row += 1
    return cells >= 2 and (headers > 0 or (rows >= 2 and cells >= 2 * rows))


def _build_leaf(nodes: Nodes, blocks: Blocks, roles: Sequence[Role], block: int, reader: RunReader) -> Part:
    meaning = blocks.context[block]
    if meaning & tags.CODE:
        return Code(_read_code(nodes, blocks.rows[block]))
    runs = reader.read(blocks.rows[block], blocks.text[block])
    if meaning & tags.HEADING:
        return Heading(_find_level(nodes, blocks.container[block]), runs)
    if roles[block] is Role.HEADING:
        return Heading(_LEVEL_WITHOUT_TAG, runs)
    return Paragraph(runs)


def _read_code(nodes: Nodes, rows: Sequence[int]) -> str:
    pieces = [nodes.text[row] if nodes.tag[row] == TEXT else "\n" for row in rows]
    return "".join(pieces).strip("\r\n").rstrip()


def _find_level(nodes: Nodes, container: int) -> int:
    for row in (container, *nodes.ancestors(container)):
        if level := tags.HEADINGS.get(nodes.tag[row]):
            return level
    return _LEVEL_WITHOUT_TAG


def _build_parts(frame: _Frame) -> tuple[Part, ...]:
    parts: list[Part] = []
    loose: list[tuple[Part, ...]] = []  # items outside any list
    for inner in frame.content:
        if isinstance(inner, _Frame) and inner.tag in _ITEMS:
            loose.append(_build_parts(inner))
            continue
        if loose:
            parts.append(Listing(is_ordered=False, items=tuple(loose)))
            loose = []
        parts.append(_build_part(inner) if isinstance(inner, _Frame) else inner)
    if loose:
        parts.append(Listing(is_ordered=False, items=tuple(loose)))
    return tuple(parts)


def _build_part(frame: _Frame) -> Part:
    if frame.tag in _LISTS:
        return Listing(frame.tag == "ol", tuple(_build_items(frame)))
    if frame.tag == "table":
        return _build_table(frame)
    return Quote(_build_parts(frame))


def _build_items(frame: _Frame) -> Iterable[tuple[Part, ...]]:
    for inner in frame.content:
        if not isinstance(inner, _Frame):
            yield (inner,)
        elif inner.tag in _ITEMS:
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
