"""Content blocks and figures to parts of the body: lists, quotes, tables and headings, nested as on the page.

The text of most articles needs no parts: `read_text` builds them only where lists, tables or marks need them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from broadsheet.article.frames import ITEM_TAGS, LIST_TAGS, Frame, FrameFinder, OpenFrames, is_in_header, read_span
from broadsheet.article.inline import (
    RunReader,
    cut_runs,
    drop_link_notes,
    find_code_language,
    find_preformatted,
    read_code,
)
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
from broadsheet.blocks import Blocks, Labels, Role, tags
from broadsheet.fields import Fields, PlacedFigure, has_figure_elements
from broadsheet.page import Nodes, Page

_BLOCKS_PER_CHECK = 1024  # between two checks of the deadline
_DEFAULT_LEVEL = 2  # of a heading without a heading tag
_NUMBER = re.compile(r"\(?\d{1,4}[.):]")
_MAX_NUMBER = 999_999_999  # of a list item in Markdown
# A figure can be in these frames: not directly in a list, and not in a table, whose cells are text.
_FIGURE_FRAMES = ITEM_TAGS | {"", "blockquote"}
_LISTS = LIST_TAGS | ITEM_TAGS


def build_body(
    page: Page, blocks: Blocks, labels: Labels, content: Iterable[int], figures: Sequence[PlacedFigure] = ()
) -> tuple[Part, ...]:
    """Return the parts of the content blocks and figures, in order."""
    return _Builder(page, blocks, labels, FrameFinder(page.nodes)).build(content, figures)


class _Builder:
    """Puts blocks and figures into frames."""

    def __init__(self, page: Page, blocks: Blocks, labels: Labels, finder: FrameFinder) -> None:
        self._page, self.frames = page, OpenFrames(page.nodes)
        self._nodes, self._blocks, self._roles, self._spans = page.nodes, blocks, labels.roles, labels.spans
        self._finder, self._reader = finder, RunReader(page.nodes, page.base)
        self._rows: tuple[int, ...] = ()  # frames of the last block
        self._content = self.frames.root.content  # of the innermost of them
        self._open_code: tuple[int, list[Frame | Part]] | None = None  # the last block, if it is preformatted
        self._code_line_ends = 0  # at its end; two breaks separate blocks

    def build(self, content: Iterable[int], figures: Sequence[PlacedFigure]) -> tuple[Part, ...]:
        """Add the blocks and figures in the order of the page, and return the parts."""
        waiting = list(reversed(figures))  # the next one last
        for number, block in enumerate(content):
            if not number % _BLOCKS_PER_CHECK:
                self._page.deadline.check()
            while waiting and waiting[-1].row < self._blocks.first[block]:
                self.add_figure(waiting.pop(), block)
            self.add_block(block)
        for placed in reversed(waiting):
            self.add_figure(placed, None)
        return _PartBuilder(self._nodes).build_parts(self.frames.root)

    def add_block(self, block: int) -> None:
        container = self._blocks.container[block]
        rows = self._finder.frames_around(container)
        if rows is not self._rows:  # mostly, a block is in the frames of the block before it
            self._rows, self._content = rows, self.frames.open(rows).content
        content = self._content
        if self._blocks.context[block] & tags.CODE and block not in self._spans:
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
        text, first = blocks.text[block], blocks.first[block]
        is_plain = first == blocks.last[block] and self._nodes.parent[first] == container  # most blocks
        runs = (Run(drop_link_notes(text)),) if is_plain else self._reader.read(blocks.rows[block], text)
        if block in self._spans:
            runs = cut_runs(runs, text, self._spans[block])
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
            gap = "\n" * max(self._code_line_ends, 1)
            content[-1] = Code(before.text + gap + text.rstrip(), before.language)
        else:
            content.append(Code(text.strip("\r\n").rstrip(), find_code_language(nodes, row)))
        self._open_code = (row, content)
        self._code_line_ends = text[len(text.rstrip()) :].count("\n")


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


class _Item(NamedTuple):
    """An item of a list."""

    row: int  # of its element; -1 if it has none
    parts: tuple[Part, ...]


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
                parts.append(_make_list(self._build_items(items)))
                items = []
            parts.extend(self._build_frame(inner) if isinstance(inner, Frame) else (inner,))
        if items:
            parts.append(_make_list(self._build_items(items)))
        return tuple(parts)

    def _build_frame(self, frame: Frame) -> tuple[Part, ...]:
        if frame.tag == "dl" and any(isinstance(inner, Frame) and inner.tag == "dt" for inner in frame.content):
            return (self._build_definitions(frame),)
        if frame.tag == "ol":
            return self._build_ordered_lists(frame)
        if frame.tag in LIST_TAGS:
            items = self._build_items(frame.content)
            if _are_sections(items):
                return tuple(part for item in items for part in item.parts)
            return (_make_list(items),)
        if frame.tag == "table":
            return (self._build_table(frame),)
        return (Quote(self.build_parts(frame)),)

    def _build_ordered_lists(self, frame: Frame) -> tuple[Listing, ...]:
        """Return an ordered list. Where the page states another number than the next one, another list begins."""
        numbers = self._number_items(frame)
        items = self._build_items(frame.content)
        kept_rows = [item.row for item in items if item.row in numbers]
        start = numbers[kept_rows[0]] if kept_rows else _read_number(self._nodes.attr(frame.row, "start"), 1)
        whole = _make_list(items, is_ordered=True, start=start)
        if not whole.is_ordered or not self._has_number_attributes(frame.row, numbers):
            return (whole,)
        breaks = {row for before, row in pairwise(kept_rows) if numbers[row] != numbers[before] + 1}
        lists: list[tuple[int, list[_Item]]] = [(start, [])]
        for item in items:
            if item.row in breaks:
                lists.append((numbers[item.row], []))
            lists[-1][1].append(item)
        return tuple(_make_list(part, is_ordered=True, start=number) for number, part in lists)

    def _has_number_attributes(self, ordered_list: int, items: Iterable[int]) -> bool:
        """Tell whether attributes state numbers of items, beside that of the first one."""
        nodes = self._nodes
        return nodes.has_attr(ordered_list, "reversed") or any(nodes.has_attr(row, "value") for row in items)

    def _build_items(self, content: Iterable[Frame | Part]) -> list[_Item]:
        items: list[_Item] = []
        for inner in content:
            if not isinstance(inner, Frame):
                items.append(_Item(-1, (inner,)))
            elif inner.tag in ITEM_TAGS:
                items.append(_Item(inner.row, self.build_parts(inner)))
            elif inner.tag in LIST_TAGS and items:  # a list directly in a list belongs to the item above it
                items[-1] = _Item(items[-1].row, (*items[-1].parts, *self._build_frame(inner)))
            else:
                items.append(_Item(-1, self._build_frame(inner)))
        return items

    def _number_items(self, frame: Frame) -> dict[int, int]:
        """Return the numbers of the items of an ordered list by row, also of those that are not kept."""
        nodes = self._nodes
        children: list[int] = []
        child = frame.row + 1
        while child < nodes.end[frame.row]:
            if nodes.tag[child] == "li":
                children.append(child)
            child = nodes.end[child]
        is_reversed = nodes.has_attr(frame.row, "reversed")
        number = _read_number(nodes.attr(frame.row, "start"), len(children) if is_reversed else 1)
        numbers: dict[int, int] = {}
        for child in children:
            number = _read_number(nodes.attr(child, "value"), number)
            numbers[child] = number
            number += -1 if is_reversed else 1
        return numbers

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
        rows: list[tuple[Cell, ...]] = []
        caption: tuple[Run, ...] = ()
        for inner in sorted(frame.content, key=self._is_in_foot):  # a footer may come before the rows
            if isinstance(inner, Frame) and inner.tag == "caption":
                caption = _join_leaves(inner)
            elif isinstance(inner, Frame) and inner.tag == "tr":
                rows.append(tuple(self._build_cell(cell) for cell in inner.content))
            else:
                rows.append((self._build_cell(inner),))
        return Table(tuple(rows), caption)

    def _is_in_foot(self, content: Frame | Part) -> bool:
        return isinstance(content, Frame) and self._nodes.tag[self._nodes.parent[content.row]] == "tfoot"

    def _build_cell(self, content: Frame | Part) -> Cell:
        runs = _join_leaves(content)
        if not isinstance(content, Frame) or content.tag not in ("td", "th"):
            return Cell(runs)
        nodes, row = self._nodes, content.row
        is_header = is_in_header(nodes, row)
        return Cell(runs, is_header, read_span(nodes, row, "colspan"), read_span(nodes, row, "rowspan"))


def _make_list(items: Iterable[_Item], *, is_ordered: bool = False, start: int = 1) -> Listing:
    parts = tuple(item.parts for item in items)
    if lists := _find_only_lists(parts):
        return replace(lists[0], items=tuple(item for inner in lists for item in inner.items))
    if is_ordered and _states_number(parts):
        return Listing(False, parts)
    return Listing(is_ordered, parts, min(max(start, 0), _MAX_NUMBER))


def _are_sections(items: Sequence[_Item]) -> bool:
    """Tell whether all items are sections, with a heading and text: a list for the layout only."""
    return bool(items) and all(len(item.parts) > 1 and isinstance(item.parts[0], Heading) for item in items)


def _find_only_lists(items: Sequence[tuple[Part, ...]]) -> list[Listing]:
    """Return the lists that a list consists of, if its items have no text of their own; else nothing."""
    lists = [item[0] for item in items if len(item) == 1 and isinstance(item[0], Listing)]
    return lists if len(lists) == len(items) else []


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


def read_text(page: Page, blocks: Blocks, labels: Labels, content: Sequence[int], fields: Fields) -> str:
    """Return the same text as that of the body, given the blocks of the text. Few texts need a body."""
    # Imported here: their modules import this folder.
    from broadsheet.output.as_text import render_blocks, render_text

    text = None if labels.spans else render_blocks(page, blocks, content)
    if text is not None:
        return text
    finder = FrameFinder(page.nodes)
    figures = fields.figures if _can_figures_change_text(blocks, content, finder) else ()
    return render_text(_Builder(page, blocks, labels, finder).build(content, figures))


def _can_figures_change_text(blocks: Blocks, content: Sequence[int], finder: FrameFinder) -> bool:
    """Tell whether lists or code around blocks contain elements that may be figures.

    A figure there may divide an item, a term or a piece of code.
    """
    nodes = finder.nodes
    outermost: set[int] = set()  # rows of lists, items and code
    for block in content:
        if blocks.context[block] & tags.CODE:
            outermost.add(find_preformatted(nodes, blocks.container[block]))
        frames = finder.frames_around(blocks.container[block])
        if frames and frames[0] not in outermost:
            outermost.update(next(([row] for row in frames if nodes.tag[row] in _LISTS), ()))
    return any(has_figure_elements(nodes, range(row, nodes.end[row])) for row in outermost)
