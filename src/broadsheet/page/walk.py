"""Parse events to the node table: the one walk over a page."""

from __future__ import annotations

from collections import defaultdict

from broadsheet.page import tags
from broadsheet.page.limits import DEFAULT_LIMITS, NO_DEADLINE, Deadline, Limits
from broadsheet.page.nodes import TEXT, Nodes, TextRun, hides
from broadsheet.page.parser import SHADOW_ROOT, Attributes, parse_html

# White space right after one of these (or its end) is never shown, and is left out: half of all text nodes.
_BORDERS = (tags.CONTAINERS - {"pre", "listing", "xmp", "plaintext"}) | frozenset(
    "br head link meta option select tbody tfoot thead title".split()
)
_LOOK_EVERY = 4096  # rows between two looks at the clock


def parse_nodes(html: str, *, limits: Limits = DEFAULT_LIMITS, deadline: Deadline = NO_DEADLINE) -> Nodes:
    """Parse once, walk once, and return the table."""
    is_cut = html.count("<") > limits.max_nodes
    if is_cut:
        html = _cut_at_tag(html, limits.max_nodes)
    deadline.check()
    return _walk(html, is_cut, limits, deadline)


def _cut_at_tag(html: str, count: int) -> str:
    return html[: -len(html.split("<", count)[-1]) - 1]


class _TableFull(Exception):
    """Stops the parser."""


def _walk(html: str, is_cut: bool, limits: Limits, deadline: Deadline) -> Nodes:
    """Fill the table, and gather the text between two borders of containers (the search phase of blocks.segment).

    This is the hot path of the whole program, so it is written for speed: three closures over plain variables, no
    objects that stay behind. (Listing the events first and looping over them is as fast by itself, but the list keeps
    thousands of tuples alive, and Python's garbage collector takes its time with them.)
    """
    tag_of: list[str] = []
    parents: list[int] = []
    ends: list[int] = []
    texts: list[str] = []
    attrs: defaultdict[str, dict[int, str]] = defaultdict(dict)
    runs: list[TextRun] = []
    outer: dict[int, int] = {}
    add_tag, add_parent, add_end, add_text = tag_of.append, parents.append, ends.append, texts.append
    styles, hiddens, types = attrs["style"], attrs["hidden"], attrs["type"]
    is_container, is_dropped, is_border, max_depth = tags.CONTAINERS, tags.DROPPED, _BORDERS, limits.max_depth
    pending: list[int] = []  # text nodes and breaks since the last border
    linked = breaks = 0
    parent, depth, deepest = -1, 0, 0
    inside, link, dropped = -1, -1, -1  # open now: the innermost container, a link, something that is not shown
    last_tag = ""
    next_look = _LOOK_EVERY

    def look_up(row: int) -> None:
        nonlocal next_look
        deadline.check()
        next_look = row + _LOOK_EVERY
        if row >= limits.max_nodes:
            raise _TableFull

    def end_run() -> None:
        nonlocal pending, linked, breaks
        runs.append((inside, pending, linked, breaks))
        pending, linked, breaks = [], 0, 0

    def start(tag: str, attributes: Attributes) -> None:
        nonlocal parent, depth, deepest, inside, link, dropped, last_tag, breaks
        row = len(tag_of)
        if row >= next_look:
            look_up(row)
        for name, value in attributes:
            attrs[name][row] = value or ""
        if dropped < 0:
            if tag in is_container:
                if pending:
                    end_run()
                if depth < max_depth:
                    outer[row] = inside
                    inside = row
            elif tag == "br":
                if pending:
                    pending.append(row)
                    breaks += 1
            elif tag in is_dropped:
                if tag != "template" or row not in attrs[SHADOW_ROOT]:
                    dropped = row
            elif attributes:
                if row in hiddens or (row in styles and hides(styles[row])):
                    dropped = row
                elif link < 0 and tag == "a" and attrs["href"].get(row):
                    link = row
        add_tag(tag)
        add_parent(parent)
        add_text("")
        add_end(0)
        last_tag = tag
        parent = row
        depth += 1
        if depth > deepest:
            deepest = depth

    def end(tag: str) -> None:
        nonlocal parent, depth, inside, link, dropped, last_tag
        ends[parent] = len(tag_of)
        last_tag = tag
        if dropped >= 0:
            if parent == dropped:
                dropped = -1
        elif tag in is_container:
            if pending:
                end_run()
            if parent == inside:
                inside = outer[parent]
        elif parent == link:
            link = -1
        parent = parents[parent]
        depth -= 1

    def text(data: str) -> None:
        nonlocal last_tag, linked
        if last_tag in is_border and data.isspace():
            return
        row = len(tag_of)
        if row >= next_look:
            look_up(row)
        if dropped < 0:
            if pending or not data.isspace():
                pending.append(row)
                if link >= 0:
                    linked += len(data.strip())
        elif last_tag == "script" and "json" not in types.get(parent, "").lower():
            data = ""  # program text is long, and nobody reads it
        last_tag = TEXT
        add_tag(TEXT)
        add_parent(parent)
        add_text(data)
        add_end(row + 1)

    try:
        parse_html(html, start, text, end)
    except _TableFull:
        is_cut = True
    if pending:
        end_run()
    while parent >= 0:  # still open where the table is full
        ends[parent] = len(tag_of)
        parent = parents[parent]
    if deepest > max_depth:
        _flatten(parents, ends, max_depth)
    return Nodes(tag_of, parents, ends, texts, dict(attrs), runs, outer, is_cut)


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
