"""HTML to node table. Only this module and `page.edit`, which training uses, know the parser (turbohtml).

The parser builds the WHATWG tree, as a browser does. One walk over the tree fills the node table and cuts the text into
runs (see `page.runs`). Attributes stay in the parser's tree until they are read through `nodes.Attributes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any
from unicodedata import is_normalized, normalize

from turbohtml import Doctype, Document, DocumentFragment, Element, Node, SelectorSyntaxError, Text, parse
from turbohtml import detect as _detect

from broadsheet.page import tags
from broadsheet.page.growth import limit_growth
from broadsheet.page.limits import DEFAULT_LIMITS, MAX_SHELL_CHARS, NO_DEADLINE, Deadline, Limits
from broadsheet.page.nodes import TEXT, Nodes
from broadsheet.page.quirks import is_quirky_doctype
from broadsheet.page.run_limits import limit_runs
from broadsheet.page.runs import TextRun

# Class names of text for screen readers only, by the usual style sheets (Bootstrap, HTML5 Boilerplate, WordPress).
_SCREEN_READER_CLASSES = frozenset("sr-only visually-hidden visuallyhidden screen-reader-text".split())
# Elements that may be hidden, and elements with microdata: one search of the tree finds both.
_MARKED = ", ".join(
    (
        *("[hidden]", '[style*="none" i]', '[style*="hidden" i]', "[itemprop]", "[itemscope]", "[property]:not(meta)"),
        *(f".{name}" for name in sorted(_SCREEN_READER_CLASSES)),
    )
)
_HIDDEN_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_ROWS_PER_CHECK = 4096  # between two checks of the deadline and of the number of nodes
_MIN_LANGUAGE_CONFIDENCE = 0.5


def parse_nodes(html: str, *, limits: Limits = DEFAULT_LIMITS, deadline: Deadline = NO_DEADLINE) -> Nodes:
    """Parse a page and return its node table."""
    bounded = limit_growth(html, limits.max_nodes)
    is_cut = bounded.is_cut
    deadline.check()
    # Browsers show declarative shadow roots. They stay in the tree as <template> elements, and the walk enters them.
    document = parse(bounded.text, positions=False, allow_declarative_shadow_roots=False)
    nodes = _limit_text(_walk(document, tags.DROPPED, is_cut, limits, deadline), html, limits)
    if nodes.rows["noscript"] and _count_chars(nodes) < MAX_SHELL_CHARS:
        # JavaScript fills this page in. Its <noscript> may contain the whole article.
        fallback = _walk(document, tags.DROPPED - {"noscript"}, is_cut, limits, deadline)
        if _count_chars(fallback) >= 2 * MAX_SHELL_CHARS:
            return _limit_text(fallback, html, limits)
    return nodes


def _limit_text(nodes: Nodes, html: str, limits: Limits) -> Nodes:
    """Apply the limits of blocks and characters. Pages that are too small to exceed them are not counted."""
    is_large = len(nodes) > limits.max_blocks or len(html) > limits.max_chars
    return limit_runs(nodes, limits) if is_large else nodes


def detect_encoding(data: bytes) -> str:
    """Guess the character set of bytes; return a codec name for `bytes.decode`."""
    return _detect.detect(data).codec or "utf-8"


def detect_language(text: str) -> str | None:
    """Guess the language of a text; return its ISO 639-3 code, or None if the text is too short or unclear."""
    match = _detect.detect_language(text)
    return match.language if match.confidence >= _MIN_LANGUAGE_CONFIDENCE else None


class ParsedAttributes:
    """The attributes in the parser's tree, by row (implements `nodes.Attributes`)."""

    __slots__ = ("_rows_by_id", "document", "elements")

    def __init__(self, document: Document, elements: list[Element | None]) -> None:
        self.document = document
        self.elements = elements  # by row; None for text
        self._rows_by_id: dict[int, int] = {}

    def get(self, row: int, name: str) -> str | None:
        """Return the value of an attribute."""
        element = self.elements[row]
        return None if element is None else element.attr(name)

    def get_all(self, rows: Iterable[int], name: str) -> list[str | None]:
        """Return the values of an attribute for many rows."""
        elements = self.elements
        return [element.attr(name) if (element := elements[row]) is not None else None for row in rows]

    def names(self, row: int) -> tuple[str, ...]:
        """Return the names of a row's attributes."""
        element = self.elements[row]
        try:
            return () if element is None else tuple(element.attrs)
        except UnicodeDecodeError:  # a name with a lone surrogate, which only a page given as str can contain
            return ()

    def write(self, row: int) -> str:
        """Return all attributes of a row as one string."""
        element = self.elements[row]
        try:
            return "" if element is None else str(element.attrs)
        except UnicodeDecodeError:
            return ""

    def match(self, rows: Iterable[int], css: str) -> list[int]:
        """Return those of the rows that match a CSS selector."""
        elements = self.elements
        try:
            return [row for row in rows if (element := elements[row]) is not None and element.matches(css)]
        except SelectorSyntaxError:
            return []

    def find(self, css: str) -> list[int]:
        """Do the same as `select`, but return no rows for an invalid selector."""
        try:
            return self.select(css)
        except SelectorSyntaxError:
            return []

    def select(self, css: str) -> list[int]:
        """Return the rows of the elements that match a CSS selector."""
        matches = self.document.select(css)
        if matches and not self._rows_by_id:
            # The parser returns the same object for an element as long as a reference to it exists. The table has one.
            self._rows_by_id = {id(element): row for row, element in enumerate(self.elements) if element is not None}
        rows = (self._rows_by_id.get(id(element)) for element in matches)
        return [row for row in rows if row is not None]  # None: beyond the limit of nodes

    def is_quirky(self) -> bool:
        """Tell whether browsers show the page in quirks mode."""
        doctype = next((node for node in self.document.children if isinstance(node, Doctype)), None)
        return doctype is None or is_quirky_doctype(doctype.name, doctype.public_id, doctype.system_id)


def _count_chars(nodes: Nodes) -> int:
    return sum(len(nodes.text[row]) for row in nodes.run_rows())


def _walk(  # noqa: C901, PLR0912, PLR0915 - the hottest loop of the program, without calls
    document: Document, dropped_tags: frozenset[str], is_cut: bool, limits: Limits, deadline: Deadline
) -> Nodes:
    """Fill the node table and cut the visible text into runs, in one pass over the tree.

    Text in elements of `dropped_tags` is in the table, but in no run. The state of the loop is in local variables,
    which Python reads faster than attributes.
    """
    tag_of: list[str] = []
    parents: list[int] = []
    ends: list[int] = []
    texts: list[str] = []
    elements: list[Element | None] = []
    runs: list[TextRun] = []
    outer: dict[int, int] = {}
    classes: list[str | None] = []
    indexed: dict[str, list[int]] = {"a[rel]": [], "[itemprop]": [], **{tag: [] for tag in tags.INDEXED}}
    hidden: set[int] = set()
    marked_elements = document.select(_MARKED)  # the parser returns the same objects as long as they are referenced
    marked_ids = set(map(id, marked_elements))
    hosts: dict[int, tuple[Node, Node]] = {}  # id of a template's content -> the content and the <template>
    add_tag, add_parent, add_end, add_text = tag_of.append, parents.append, ends.append, texts.append
    add_element, add_class = elements.append, classes.append
    containers, max_depth = tags.CONTAINERS, limits.max_depth
    run_rows: list[int] = []  # of the current run: its text nodes and breaks,
    link_rows: list[int] = []  # its text nodes inside links,
    breaks = 0  # and the number of its breaks
    top: Node = document  # the innermost open node
    opened: list[Node] = []  # the open nodes around it
    row, parent = 0, -1
    depth = deepest = 0  # number of open nodes, now and at most
    container, link, dropped = -1, -1, -1  # rows of the open container (innermost), link, and element without text
    nodes: Iterable[Any] = document.descendants  # Any: the kind of a node is checked below
    next_check = _ROWS_PER_CHECK
    for node in nodes:
        kind, data = type(node), ""
        if kind is Text and dropped < 0:
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
                container = outer[parent]
            elif parent == link:
                link = -1
            elif parent == dropped:
                dropped = -1
            elif deepest > max_depth and run_rows and dropped < 0 and tag_of[parent] in containers:
                # the end of a container below the maximum depth, which is not in `outer`
                runs.append((container, run_rows, link_rows, breaks))
                run_rows, link_rows, breaks = [], [], 0
            parent = parents[parent]
        if kind is Text:
            if dropped >= 0:
                is_code = tag_of[parent] == "script" and not _is_json(elements[parent])
                data = "" if is_code else node.data
            elif not data:
                data = node.data
            if not run_rows and data.isspace():
                continue
            if dropped < 0:
                if not data.isascii() and not is_normalized("NFC", data):
                    data = normalize("NFC", data)
                run_rows.append(row)
                if link >= 0:
                    link_rows.append(row)
            add_tag(TEXT)
            add_parent(parent)
            add_text(data)
            add_element(None)
            row += 1
            add_end(row)
        elif kind is Element:
            tag = node.tag
            is_hidden = False
            if marked_ids and id(node) in marked_ids:
                if _is_hidden(node):
                    is_hidden = True
                    hidden.add(row)
                if _has_property(node):
                    indexed["[itemprop]"].append(row)
            if dropped < 0:
                if tag in containers:
                    if run_rows:
                        runs.append((container, run_rows, link_rows, breaks))
                        run_rows, link_rows, breaks = [], [], 0
                    if depth < max_depth:
                        outer[row] = container
                        add_class(node.attr("class"))
                        container = row
                    elif is_hidden:  # below the maximum depth there is no container to carry the flag HIDDEN
                        dropped = row
                elif tag == "br":
                    if run_rows:
                        run_rows.append(row)
                        breaks += 1
                elif tag in dropped_tags:
                    if tag != "template" or node.attr("shadowrootmode") is None:
                        dropped = row
                elif is_hidden:
                    dropped = row
                elif tag == "a":
                    if link < 0 and node.attr("href"):
                        link = row
                    if node.attr("rel"):
                        indexed["a[rel]"].append(row)
            if tag in indexed:
                indexed[tag].append(row)
            add_tag(tag)
            add_parent(parent)
            add_text("")
            add_end(0)
            add_element(node)
            opened.append(top)
            depth += 1
            top = node
            parent = row
            row += 1
            if depth > deepest:
                deepest = depth
            if row >= next_check:
                deadline.check()
                next_check = row + _ROWS_PER_CHECK
                if row >= limits.max_nodes:
                    is_cut = True
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
    attributes = ParsedAttributes(document, elements)
    return Nodes(tag_of, parents, ends, texts, attributes, indexed, frozenset(hidden), runs, outer, classes, is_cut)


def _is_hidden(element: Element) -> bool:
    return (
        element.attr("hidden") is not None
        or _HIDDEN_STYLE.search(element.attr("style") or "") is not None
        or not _SCREEN_READER_CLASSES.isdisjoint((element.attr("class") or "").split())
    )


def _has_property(element: Element) -> bool:
    attr = element.attr
    if attr("itemprop") is not None or attr("itemscope") is not None:
        return True
    return attr("property") is not None and element.tag != "meta"


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
