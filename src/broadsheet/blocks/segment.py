"""Page to blocks: search-and-combine segmentation (SCS) of SemText, section III-A, in one pass.

The search phase starts a block at every border of a container. The combine phase puts neighbours of one look together.
Here the blocks stay as the search phase found them, so that one bad paragraph can be told from its good neighbours,
and the combine phase gives each its group: `Blocks.group`. Besides, two `<br>` in a row start a new block of the same
group, since old pages write their paragraphs that way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from broadsheet.blocks import tags
from broadsheet.blocks.blocks import Blocks, Paths
from broadsheet.page import TEXT, Page

# Zero-width characters and soft hyphens: invisible, and in the way of everybody who compares words.
_INVISIBLE = {ord(char): None for char in "\u00ad\u200b\u2060\ufeff"}
_INVISIBLE_CHARS = frozenset(map(chr, _INVISIBLE))
_BREAK = "\0"  # stands for <br> among the pieces of a block; the parser lets no NUL through
_LOOK_EVERY = 4096  # rows between two looks at the clock


def segment(page: Page) -> Blocks:
    """Cut the page into blocks: all its visible text, nothing twice, in order."""
    columns = _Columns()
    _search(page, columns)
    return columns.build()


def fold_text(raw: str) -> str:
    """Fold white space to single spaces and drop invisible characters."""
    text = " ".join(raw.split())
    if not text.isascii() and not _INVISIBLE_CHARS.isdisjoint(text):
        text = " ".join(text.translate(_INVISIBLE).split())
    return text


def is_hidden(attributes: Mapping[str, str | None]) -> bool:
    """Tell whether an element's own attributes keep it from being shown."""
    if "hidden" in attributes:
        return True
    style = attributes.get("style")
    if not style or ("none" not in style and "hidden" not in style):
        return False
    style = style.replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style


class _Place(NamedTuple):
    """An open container: where the text of a block stands."""

    row: int
    end: int
    meaning: int
    tag_path: int
    class_path: int


class _Columns:
    """The blocks as they are found, and what the combine phase must know of their containers."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.first: list[int] = []
        self.last: list[int] = []
        self.container: list[int] = []
        self.link_chars: list[int] = []
        self.meaning: list[int] = []
        self.tag_path: list[int] = []
        self.class_path: list[int] = []
        self.tag_paths = _PathBuilder()
        self.class_paths = _PathBuilder()
        self.outer: dict[int, int] = {}  # container row -> row of the container around it
        self.children: dict[int, int] = {}  # container row -> how many containers it holds directly

    def add(self, place: _Place, text: str, rows: list[int], link_chars: int) -> None:
        self.text.append(text)
        self.first.append(rows[0])
        self.last.append(rows[-1])
        self.container.append(place.row)
        self.link_chars.append(min(link_chars, len(text)))
        self.meaning.append(place.meaning)
        self.tag_path.append(place.tag_path)
        self.class_path.append(place.class_path)

    def build(self) -> Blocks:
        return Blocks(
            text=self.text,
            first=self.first,
            last=self.last,
            container=self.container,
            link_chars=self.link_chars,
            meaning=self.meaning,
            tag_path=self.tag_path,
            class_path=self.class_path,
            group=_combine(self),
            tag_paths=self.tag_paths.build(),
            class_paths=self.class_paths.build(),
        )


class _PathBuilder:
    """Numbers paths, giving the same number to the same path."""

    def __init__(self) -> None:
        self.parents = [0]
        self.steps = [""]
        self.known: dict[tuple[int, str], int] = {}

    def extend(self, path: int, step: str) -> int:
        found = self.known.get((path, step))
        if found is None:
            found = self.known[path, step] = len(self.steps)
            self.parents.append(path)
            self.steps.append(step)
        return found

    def build(self) -> Paths:
        return Paths(self.parents, self.steps)


class _Pending:
    """Text since the last border: pieces of it, their node rows, and how much of each stands in a link."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.rows: list[int] = []
        self.linked: list[int] = []
        self.has_breaks = False

    def flush(self, columns: _Columns, place: _Place) -> None:
        """Make what has gathered a block; several, when blank lines (`<br><br>`) part it."""
        if not self.has_breaks:
            if text := fold_text("".join(self.pieces)):
                columns.add(place, text, self.rows, sum(self.linked))
        else:
            for start, stop in self._split_paragraphs():
                lines = "".join(self.pieces[start:stop]).split(_BREAK)
                text = "\n".join(filter(None, map(fold_text, lines)))
                rows = [row for row in self.rows[start:stop] if row >= 0]
                if text and rows:
                    columns.add(place, text, rows, sum(self.linked[start:stop]))
        self.pieces, self.rows, self.linked, self.has_breaks = [], [], [], False

    def _split_paragraphs(self) -> list[tuple[int, int]]:
        """Find the spans of pieces between blank lines."""
        spans: list[tuple[int, int]] = []
        start, last_break = 0, -1
        for at, piece in enumerate(self.pieces):
            if piece == _BREAK:
                if last_break >= start:  # nothing but white space since the last break: a blank line
                    spans.append((start, last_break))
                    start = at + 1
                last_break = at
            elif not piece.isspace():
                last_break = -1
        spans.append((start, len(self.pieces)))
        return spans


def _search(page: Page, columns: _Columns) -> None:
    """Walk the nodes once and make a block of the text between two borders of containers (the search phase)."""
    nodes = page.nodes
    node_tag, node_end, node_text, attrs = nodes.tag, nodes.end, nodes.text, nodes.attrs
    containers, dropped = tags.CONTAINERS, tags.DROPPED
    pending = _Pending()
    row, count = 0, len(node_tag)
    place = _Place(0, count, 0, 0, 0)
    opened: list[_Place] = []
    link_end, next_look = 0, _LOOK_EVERY
    while row < count:
        while row >= place.end:
            if pending.pieces:
                pending.flush(columns, place)
            place = opened.pop()
        tag = node_tag[row]
        if tag == TEXT:
            text = node_text[row]
            if not text.isspace():
                pending.pieces.append(text)
                pending.rows.append(row)
                pending.linked.append(len(text.strip()) if row < link_end else 0)
            elif pending.pieces:
                pending.pieces.append(" ")
                pending.rows.append(-1)
                pending.linked.append(0)
        elif tag in containers:
            if pending.pieces:
                pending.flush(columns, place)
            opened.append(place)
            place = _open_place(columns, place, row, node_end[row], tag, attrs.get(row))
        elif tag == "br":
            if pending.pieces:
                pending.pieces.append(_BREAK)
                pending.rows.append(-1)
                pending.linked.append(0)
                pending.has_breaks = True
        elif tag in dropped:
            if tag != "template" or not nodes.has_attr(row, "shadowrootmode"):
                row = node_end[row]
                continue
        elif own := attrs.get(row):
            if is_hidden(own):
                row = node_end[row]
                continue
            if tag == "a" and own.get("href"):
                link_end = max(link_end, node_end[row])
        row += 1
        if row >= next_look:
            page.deadline.check()
            next_look = row + _LOOK_EVERY
    if pending.pieces:
        pending.flush(columns, place)


def _open_place(
    columns: _Columns, outer: _Place, row: int, end: int, tag: str, attributes: Mapping[str, str | None] | None
) -> _Place:
    columns.outer[row] = outer.row
    columns.children[outer.row] = columns.children.get(outer.row, 0) + 1
    meaning = outer.meaning | tags.MEANING.get(tag, 0)
    class_path = outer.class_path
    if attributes:
        if name := attributes.get("class"):
            class_path = columns.class_paths.extend(class_path, name)
        if is_hidden(attributes):
            meaning |= tags.HIDDEN
    return _Place(row, end, meaning, columns.tag_paths.extend(outer.tag_path, tag), class_path)


def _combine(columns: _Columns) -> list[int]:
    """Number the text blocks that the combine phase makes of neighbouring blocks (its four cases)."""
    groups: list[int] = []
    group, head = -1, -1  # the current group and the block that stands for it
    is_head_leaf = False
    for block, container in enumerate(columns.container):
        is_leaf = container not in columns.children
        if head >= 0 and _belongs(columns, head, is_head_leaf, block, is_leaf):
            is_head_leaf = True
        else:
            group, head, is_head_leaf = group + 1, block, is_leaf
        groups.append(group)
    return groups


def _belongs(columns: _Columns, x: int, is_x_leaf: bool, y: int, is_y_leaf: bool) -> bool:
    x_in, y_in = columns.container[x], columns.container[y]
    if columns.class_path[x] != columns.class_path[y]:
        return False  # case 3: another look
    if x_in == y_in:
        return True  # parted by <br><br> only
    if columns.tag_path[x] == columns.tag_path[y] and columns.outer.get(x_in) == columns.outer.get(y_in):
        return is_x_leaf and is_y_leaf  # case 1: leaf siblings of one look
    # Case 2: y is the only child of x. All else is cases 3 and 4: they stay apart.
    return is_y_leaf and columns.outer.get(y_in) == x_in and columns.children.get(x_in) == 1
