"""Content blocks and figures to parts of the body: lists, quotes, tables and headings, nested as on the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from broadsheet.article.code import find_language, find_preformatted, read_code
from broadsheet.article.frames import ITEM_TAGS, LIST_TAGS, Frame, FrameFinder, OpenFrames
from broadsheet.article.inline import RunReader
from broadsheet.article.parts import (
    Cell,
    Code,
    Definition,
    Definitions,
    Heading,
    Listing,
    Paragraph,
    Part,
    Quote,
    Run,
    Table,
)
from broadsheet.article.tables import is_in_header, read_span
from broadsheet.blocks import Blocks, Role, tags
from broadsheet.fields import PlacedFigure
from broadsheet.page import Nodes, Page

_BLOCKS_PER_CHECK = 1024  # between two checks of the deadline
_DEFAULT_LEVEL = 2  # of a heading without a heading tag
_NUMBER = re.compile(r"\(?\d{1,4}[.):]")
_MAX_NUMBER = 999_999_999  # of a list item in Markdown
# A figure can be in these frames: not directly in a list, and not in a table, whose cells are text.
_FIGURE_FRAMES = ITEM_TAGS | {"", "blockquote"}


def build_body(
    page: Page, blocks: Blocks, roles: Sequence[Role], content: Iterable[int], figures: Sequence[PlacedFigure] = ()
) -> tuple[Part, ...]:
    """Return the parts of the content blocks and figures, in order."""
    builder = _Builder(page, blocks, roles)
    waiting = list(reversed(figures))  # the next one last
    for number, block in enumerate(content):
        if not number % _BLOCKS_PER_CHECK:
            page.deadline.check()
        while waiting and waiting[-1].row < blocks.first[block]:
            builder.add_figure(waiting.pop(), block)
        builder.add_block(block)
    for placed in reversed(waiting):
        builder.add_figure(placed, None)
    return _PartBuilder(page.nodes).build_parts(builder.frames.root)


class _Builder:
    """Puts blocks and figures into frames."""

    def __init__(self, page: Page, blocks: Blocks, roles: Sequence[Role]) -> None:
        self.frames = OpenFrames(page.nodes)
        self._nodes, self._blocks, self._roles = page.nodes, blocks, roles
        self._finder, self._reader = FrameFinder(page.nodes), RunReader(page.nodes, page.base)
        self._rows: tuple[int, ...] = ()  # frames of the last block
        self._content = self.frames.root.content  # of the innermost of them
        self._open_code: tuple[int, list[Frame | Part]] | None = None  # the last block, if it is preformatted

    def add_block(self, block: int) -> None:
        container = self._blocks.container[block]
        rows = self._finder.frames_around(container)
        if rows is not self._rows:  # mostly, a block is in the frames of the block before it
            self._rows, self._content = rows, self.frames.open(rows).content
        content = self._content
        if self._blocks.context[block] & tags.CODE:
            self._add_code(block, content)
        else:
            content.append(self._build_leaf(block, container))
            self._open_code = None

    def add_figure(self, placed: PlacedFigure, next_block: int | None) -> None:
        """Add a figure to the innermost frame that it shares with the block before or after it."""
        rows = self._finder.frames_around(placed.row)
        depth = self.frames.count_common(rows)
        if next_block is not None:
            next_rows = self._finder.frames_around(self._blocks.container[next_block])
            shared = sum(1 for _ in _common_start(rows, next_rows))
            if shared > depth:
                self._rows = rows[:shared]
                self._content = self.frames.open(self._rows).content
                depth = shared
        while self.frames.get(depth).tag not in _FIGURE_FRAMES:
            depth -= 1
        self.frames.get(depth).content.append(placed.figure)
        self._open_code = None

    def _build_leaf(self, block: int, container: int) -> Part:
        blocks = self._blocks
        runs = self._reader.read(blocks.rows[block], blocks.text[block])
        if blocks.context[block] & tags.HEADING:
            return Heading(_find_level(self._nodes, container), runs)
        if self._roles[block] is Role.HEADING:
            return Heading(_DEFAULT_LEVEL, runs)
        return Paragraph(runs)

    def _add_code(self, block: int, content: list[Frame | Part]) -> None:
        """Add preformatted text. The blocks of one `<pre>` become one part."""
        nodes = self._nodes
        row = find_preformatted(nodes, self._blocks.container[block])
        text = read_code(nodes, self._blocks.rows[block])
        if self._open_code and self._open_code == (row, content) and isinstance(before := content[-1], Code):
            gap = "" if before.text.endswith("\n") else "\n"
            content[-1] = Code(before.text + gap + text.rstrip(), before.language)
        else:
            content.append(Code(text.strip("\r\n").rstrip(), find_language(nodes, row)))
        self._open_code = (row, content)


def _common_start(left: Sequence[int], right: Sequence[int]) -> Iterable[int]:
    for value, other in zip(left, right, strict=False):
        if value != other:
            return
        yield value


def _find_level(nodes: Nodes, container: int) -> int:
    for row in (container, *nodes.ancestors(container)):
        if level := tags.HEADINGS.get(nodes.tag[row]):
            return level
    return _DEFAULT_LEVEL


class _PartBuilder:
    """Builds parts from frames."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes

    def build_parts(self, frame: Frame) -> tuple[Part, ...]:
        parts: list[Part] = []
        items: list[Frame] = []  # outside any list
        for inner in frame.content:
            if isinstance(inner, Frame) and inner.tag in ITEM_TAGS:
                items.append(inner)
                continue
            if items:
                parts.append(self._build_list(items))
                items = []
            parts.append(self._build_part(inner) if isinstance(inner, Frame) else inner)
        if items:
            parts.append(self._build_list(items))
        return tuple(parts)

    def _build_part(self, frame: Frame) -> Part:
        if frame.tag == "dl" and any(isinstance(inner, Frame) and inner.tag == "dt" for inner in frame.content):
            return self._build_definitions(frame)
        if frame.tag in LIST_TAGS:
            is_ordered = frame.tag == "ol"
            start = self._find_start(frame) if is_ordered else 1
            return self._build_list(frame.content, is_ordered=is_ordered, start=start)
        if frame.tag == "table":
            return self._build_table(frame)
        return Quote(self.build_parts(frame))

    def _build_list(self, content: Sequence[Frame | Part], *, is_ordered: bool = False, start: int = 1) -> Listing:
        items: list[tuple[Part, ...]] = []
        for inner in content:
            if not isinstance(inner, Frame):
                items.append((inner,))
            elif inner.tag in ITEM_TAGS:
                items.append(self.build_parts(inner))
            elif inner.tag in LIST_TAGS and items:  # a list directly in a list belongs to the item above it
                items[-1] = (*items[-1], self._build_part(inner))
            else:
                items.append((self._build_part(inner),))
        if is_ordered and _states_number(items):
            return Listing(False, tuple(items))
        return Listing(is_ordered, tuple(items), start)

    def _find_start(self, frame: Frame) -> int:
        """Return the number of the first item that is kept."""
        nodes = self._nodes
        first = next((inner.row for inner in frame.content if isinstance(inner, Frame) and inner.tag == "li"), -1)
        number = _read_number(nodes.attr(frame.row, "start"), 1)
        child = frame.row + 1
        while child < nodes.end[frame.row]:
            if nodes.tag[child] == "li":
                number = _read_number(nodes.attr(child, "value"), number)
                if child >= first:
                    break
                number += 1
            child = nodes.end[child]
        return min(max(number, 0), _MAX_NUMBER)

    def _build_definitions(self, frame: Frame) -> Definitions:
        items: list[Definition] = []
        for inner in frame.content:
            if isinstance(inner, Frame) and inner.tag == "dt":
                runs = _join_leaves(inner)
                if items and not items[-1].details:  # several terms with one description
                    items[-1] = Definition((*items[-1].term, Run("\n"), *runs), ())
                else:
                    items.append(Definition(runs, ()))
                continue
            is_item = isinstance(inner, Frame) and inner.tag in ITEM_TAGS
            parts = self.build_parts(inner if isinstance(inner, Frame) and is_item else Frame("", -1, [inner]))
            last = items.pop() if items else Definition((), ())
            items.append(Definition(last.term, (*last.details, parts)))
        return Definitions(tuple(items))

    def _build_table(self, frame: Frame) -> Table:
        rows = []
        caption: tuple[Run, ...] = ()
        for inner in frame.content:
            if isinstance(inner, Frame) and inner.tag == "caption":
                caption = _join_leaves(inner)
            elif isinstance(inner, Frame) and inner.tag == "tr":
                rows.append(tuple(self._build_cell(cell) for cell in inner.content))
            else:
                rows.append((self._build_cell(inner),))
        return Table(tuple(rows), caption)

    def _build_cell(self, content: Frame | Part) -> Cell:
        runs = _join_leaves(content)
        if not isinstance(content, Frame) or content.tag not in ("td", "th"):
            return Cell(runs)
        nodes, row = self._nodes, content.row
        is_header = is_in_header(nodes, row)
        return Cell(runs, is_header, read_span(nodes, row, "colspan"), read_span(nodes, row, "rowspan"))


def _states_number(items: Sequence[tuple[Part, ...]]) -> bool:
    """Tell whether the text of the first item begins with its number: then the list shows no other."""
    match items:
        case ((Paragraph(runs=(first, *_)) | Heading(runs=(first, *_)), *_), *_):
            return _NUMBER.match(first.text) is not None
        case _:
            return False


def _read_number(value: str, default: int) -> int:
    value = value.strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else default


def _join_leaves(content: Frame | Part) -> tuple[Run, ...]:
    runs: list[Run] = []
    for part in _leaves(content):
        if runs:
            runs.append(Run("\n"))
        runs.extend((Run(part.text),) if isinstance(part, Code) else part.runs)
    return tuple(runs)


def _leaves(content: Frame | Part) -> Iterable[Paragraph | Heading | Code]:
    if isinstance(content, Frame):
        for inner in content.content:
            yield from _leaves(inner)
    elif isinstance(content, Paragraph | Heading | Code):
        yield content
