"""One walk over the parser's tree: fills the columns of the node table and cuts the visible text into runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from unicodedata import is_normalized, normalize

from turbohtml import Document, DocumentFragment, Element, Text

# Kinds of tags, as bits: how the walk treats an element. A tag that is not listed formats text.
CONTAINER = 1  # its start and its end are borders of runs
DROPPED = 2  # its text is in no run
INDEXED = 4  # its rows are listed in `TreeColumns.indexed`
BREAK = 8  # <br>
LINK = 16  # <a>
TEMPLATE = 32  # <template>: dropped unless it is a declarative shadow root, which browsers show

_TEXT_TAG = "#text"
_ROWS_PER_CHECK = 4096  # between two checks of the deadline and of the number of nodes


class TreeColumns:
    """The columns that the walk fills; `page.nodes.Nodes` describes them. `elements` is None for text."""

    __slots__ = (
        *("classes", "elements", "ends", "hidden", "indexed", "is_cut", "outer", "parents", "runs"),
        *("tags", "texts"),
    )

    def __init__(self, indexed: dict[str, list[int]]) -> None:
        self.tags: list[str] = []
        self.parents: list[int] = []
        self.ends: list[int] = []
        self.texts: list[str] = []
        self.elements: list[Element | None] = []
        self.runs: list[tuple[int, list[int], list[int], int]] = []
        self.outer: dict[int, int] = {}
        self.classes: list[str | None] = []
        self.indexed = indexed  # tag -> rows; also "a[rel]" and "[itemprop]"
        self.hidden: set[int] = set()
        self.is_cut = False  # the tree has more nodes than the limit


class WalkLimits:
    """Limits of a walk, and the function that raises if the time is up."""

    __slots__ = ("check_deadline", "max_depth", "max_nodes")

    def __init__(self, max_depth: int, max_nodes: int, check_deadline: Callable[[], None]) -> None:
        self.max_depth = max_depth
        self.max_nodes = max_nodes
        self.check_deadline = check_deadline


def walk_tree(  # noqa: C901, PLR0912, PLR0915 - the hottest loop of the program, without calls
    document: Document,
    columns: TreeColumns,
    tag_kinds: dict[str, int],
    marked: Sequence[tuple[Element, bool, bool]],
    limits: WalkLimits,
) -> None:
    """Fill the columns, in one pass over the tree.

    `marked` lists some elements in document order: whether each is hidden, and whether it has microdata. Text in
    dropped elements is in the table, but in no run. The state of the loop is in local variables, which are read faster
    than attributes.
    """
    tags, parents, ends, texts = columns.tags, columns.parents, columns.ends, columns.texts
    elements, classes, runs = columns.elements, columns.classes, columns.runs
    outer, indexed, hidden = columns.outer, columns.indexed, columns.hidden
    max_depth, max_nodes = limits.max_depth, limits.max_nodes
    is_container, is_dropped, is_indexed = CONTAINER, DROPPED, INDEXED
    is_break, is_link, is_template = BREAK, LINK, TEMPLATE
    text_type, element_type = Text, Element
    hosts: dict[int, tuple[Any, Any]] = {}  # id of a template's content -> the content and the <template>
    marked_count, marked_index = len(marked), 0
    next_marked: Any = marked[0][0] if marked_count else None
    run_rows: list[int] = []  # of the current run: its text nodes and breaks,
    link_rows: list[int] = []  # its text nodes inside links,
    breaks = 0  # and the number of its breaks
    top: Any = document  # the innermost open node
    opened: list[Any] = []  # the open nodes around it
    open_rows: list[int] = []  # and their rows
    tag_names: dict[str, str] = {}  # one object for each tag: the parser makes a new one for each element
    row, parent = 0, -1
    parent_row = parent  # the same number as a Python object, which is not created again for each child
    depth = deepest = 0  # number of open nodes, now and at most
    container, link, dropped = -1, -1, -1  # rows of the open container (innermost), link, and element without text
    next_check = _ROWS_PER_CHECK
    nodes: Iterable[Any] = document.descendants  # Any: the kind of a node is checked below
    for node in nodes:
        kind = type(node)
        is_text = kind is text_type
        data = ""
        if is_text and dropped < 0:
            data = node.data
            if not run_rows and data.isspace():
                continue  # white space at the start of a run is not shown: half of all text nodes
        node_parent = node.parent
        if hosts and id(node_parent) in hosts:
            node_parent = hosts[id(node_parent)][1]
        while node_parent is not top:
            top = opened.pop()
            depth -= 1
            ends[parent] = row
            if parent == container:
                if run_rows:
                    runs.append((container, run_rows, link_rows, breaks))
                    run_rows, link_rows, breaks = [], [], 0
                container = outer[parent_row]
            elif parent == link:
                link = -1
            elif parent == dropped:
                dropped = -1
            elif deepest > max_depth and run_rows and dropped < 0 and tag_kinds.get(tags[parent], 0) & is_container:
                # the end of a container below the maximum depth, which is not in `outer`
                runs.append((container, run_rows, link_rows, breaks))
                run_rows, link_rows, breaks = [], [], 0
            parent_row = open_rows.pop()
            parent = parent_row
        if is_text:
            if dropped >= 0:
                data = "" if tags[parent] == "script" and not _is_json(elements[parent]) else node.data
            elif not data:
                data = node.data
            if not run_rows and data.isspace():
                continue
            if dropped < 0:
                if not data.isascii() and not is_normalized("NFC", data):
                    data = normalize("NFC", data)
                text_row = row
                run_rows.append(text_row)
                if link >= 0:
                    link_rows.append(text_row)
            tags.append(_TEXT_TAG)
            parents.append(parent_row)
            texts.append(data)
            elements.append(None)
            row += 1
            ends.append(row)
        elif kind is element_type:
            tag = node.tag
            tag = tag_names.setdefault(tag, tag)
            tag_kind = tag_kinds.get(tag, 0)
            element_row = row
            is_hidden = False
            if node is next_marked:
                is_hidden = marked[marked_index][1]
                if is_hidden:
                    hidden.add(row)
                if marked[marked_index][2]:
                    indexed["[itemprop]"].append(row)
                marked_index += 1
                next_marked = marked[marked_index][0] if marked_index < marked_count else None
            if dropped < 0:
                if tag_kind & is_container:
                    if run_rows:
                        runs.append((container, run_rows, link_rows, breaks))
                        run_rows, link_rows, breaks = [], [], 0
                    if depth < max_depth:
                        outer[element_row] = container
                        classes.append(node.attr("class"))
                        container = row
                    elif is_hidden:  # below the maximum depth there is no container to carry the flag HIDDEN
                        dropped = row
                elif tag_kind & is_break:
                    if run_rows:
                        run_rows.append(row)
                        breaks += 1
                elif tag_kind & is_dropped:
                    if not tag_kind & is_template or node.attr("shadowrootmode") is None:
                        dropped = row
                elif is_hidden:
                    dropped = row
                elif tag_kind & is_link:
                    if link < 0 and node.attr("href"):
                        link = row
                    if node.attr("rel"):
                        indexed["a[rel]"].append(row)
            if tag_kind & is_indexed:
                indexed[tag].append(element_row)
            tags.append(tag)
            parents.append(parent_row)
            texts.append("")
            ends.append(0)
            elements.append(node)
            opened.append(top)
            open_rows.append(parent_row)
            depth += 1
            top = node
            parent = row
            parent_row = element_row
            row += 1
            if depth > deepest:
                deepest = depth
            if row >= next_check:
                limits.check_deadline()
                next_check = row + _ROWS_PER_CHECK
                if row >= max_nodes:
                    columns.is_cut = True
                    break
        elif kind is DocumentFragment:
            hosts[id(node)] = (node, top)
    if run_rows:
        runs.append((container, run_rows, link_rows, breaks))
    while parent >= 0:
        ends[parent] = row
        parent = parents[parent]
    if deepest > max_depth:
        _flatten(parents, ends, max_depth)


def read_attributes(elements: Sequence[Element | None], rows: Iterable[int], name: str) -> list[str | None]:
    """Return the values of an attribute for many rows; None for text."""
    values: list[str | None] = []
    for row in rows:
        element: Any = elements[row]
        values.append(None if element is None else element.attr(name))
    return values


def _is_json(script: Element | None) -> bool:
    """Tell data from code: code is long and is never read."""
    return script is not None and "json" in (script.attr("type") or "").lower()


def _flatten(parents: list[int], ends: list[int], max_depth: int) -> None:
    """Make every node at or below `max_depth` a childless child of its ancestor just above that depth."""
    depths: list[int] = []
    above = -1
    for row, parent in enumerate(parents):
        depth = depths[parent] + 1 if parent >= 0 else 0
        depths.append(depth)
        if depth == max_depth - 1:
            above = row
        elif depth >= max_depth:
            parents[row], ends[row] = above, row + 1
