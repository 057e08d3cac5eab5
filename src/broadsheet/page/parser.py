"""The one place that knows the parser (turbohtml): HTML in, node table out, and its detectors.

The parser builds the WHATWG tree, as a browser does. The walk over it fills the table; only attributes stay with the
parser until somebody asks for one, behind `nodes.Attributes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from turbohtml import Doctype, Document, DocumentFragment, Element, Node, SelectorSyntaxError, Text, parse
from turbohtml import detect as _detect

from broadsheet.page import tags
from broadsheet.page.growth import limit_growth
from broadsheet.page.limits import DEFAULT_LIMITS, NO_DEADLINE, SHELL_CHARS, Deadline, Limits
from broadsheet.page.nodes import TEXT, Nodes, TextRun

_MAYBE_HIDDEN = '[hidden], [style*="none" i], [style*="hidden" i]'
_HIDING = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
# Document types with which browsers lay out as they did before there were standards (HTML standard, 13.2.6.4.1).
_LOOSE = (
    "+//silmaril//",
    "-//advasoft ltd//",
    "-//as//",
    "-//ietf//",
    "-//metrius//",
    "-//microsoft//",
    "-//netscape comm. corp.//",
    "-//o'reilly and associates//",
    "-//softquad//",
    "-//spyglass//",
    "-//sq//",
    "-//sun microsystems corp.//",
    "-//w3c//dtd html 3",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental",
    "-//w3c//dtd w3 html",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//",
)
_LOOSE_EXACTLY = ("-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html")
_LOOSE_IF_UNADDRESSED = ("-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//")
_LOOK_EVERY = 4096  # rows between two looks at the clock
_MIN_LANGUAGE_CONFIDENCE = 0.5


def parse_nodes(html: str, *, limits: Limits = DEFAULT_LIMITS, deadline: Deadline = NO_DEADLINE) -> Nodes:
    """Parse once, walk once, and return the table."""
    count = html.count("<")
    most = min(limit_growth(html, count), limits.max_nodes)
    is_cut = count > most
    if is_cut:
        html = _cut_at_tag(html, most)
    deadline.check()
    # A reader sees declarative shadow roots, so they stay in the tree, as the templates that they are written as.
    document = parse(html, positions=False, allow_declarative_shadow_roots=False)
    nodes = _walk(document, tags.DROPPED, is_cut, limits, deadline)
    if "noscript" in nodes.tag and _count_shown(nodes) < SHELL_CHARS:
        # A program would fill this page in; what it has for readers without one may be the whole story.
        fallback = _walk(document, tags.DROPPED - {"noscript"}, is_cut, limits, deadline)
        if _count_shown(fallback) >= 2 * SHELL_CHARS:
            return fallback
    return nodes


def detect_encoding(data: bytes) -> str:
    """Guess the character set of undeclared bytes, as a codec name for `bytes.decode`."""
    return _detect.detect(data).codec or "utf-8"


def detect_language(text: str) -> str | None:
    """Guess the language of a text, as an ISO 639-3 code; None when it is too short or unclear."""
    match = _detect.detect_language(text)
    return match.language if match.confidence >= _MIN_LANGUAGE_CONFIDENCE else None


class _ParsedAttributes:
    """Attributes of the elements, as the parser holds them."""

    __slots__ = ("_document", "_elements", "_row_of")

    def __init__(self, document: Document, elements: list[Element | None]) -> None:
        self._document = document
        self._elements = elements  # by row; None for text
        self._row_of: dict[int, int] = {}

    def get(self, row: int, name: str) -> str | None:
        element = self._elements[row]
        return None if element is None else element.attr(name)

    def get_all(self, rows: Iterable[int], name: str) -> list[str | None]:
        elements = self._elements
        return [element.attr(name) if (element := elements[row]) is not None else None for row in rows]

    def names(self, row: int) -> tuple[str, ...]:
        element = self._elements[row]
        return () if element is None else tuple(element.attrs)

    def write(self, row: int) -> str:
        element = self._elements[row]
        return "" if element is None else str(element.attrs)

    def match(self, rows: Iterable[int], css: str) -> list[int]:
        elements = self._elements
        try:
            return [row for row in rows if (element := elements[row]) is not None and element.matches(css)]
        except SelectorSyntaxError:
            return []

    def find(self, css: str) -> list[int]:
        try:
            return self.select(css)
        except SelectorSyntaxError:
            return []

    def is_quirky(self) -> bool:
        first = next((node for node in self._document.children if isinstance(node, Doctype)), None)
        if first is None or (first.name or "").lower() != "html":
            return True
        public, system = (first.public_id or "").lower(), first.system_id
        is_loose = public.startswith(_LOOSE_IF_UNADDRESSED) and system is None
        return public.startswith(_LOOSE) or public in _LOOSE_EXACTLY or is_loose

    def select(self, css: str) -> list[int]:
        matching = self._document.select(css)
        if matching and not self._row_of:
            # An element is one object as long as somebody holds it, and the table does.
            self._row_of = {id(element): row for row, element in enumerate(self._elements) if element is not None}
        found = (self._row_of.get(id(element)) for element in matching)
        return [row for row in found if row is not None]  # None: beyond the limit of the table


def _cut_at_tag(html: str, count: int) -> str:
    return html[: -len(html.split("<", count)[-1]) - 1]


def _count_shown(nodes: Nodes) -> int:
    return sum(len(nodes.text[row]) for _, rows, _, _ in nodes.runs for row in rows)


def _walk(document: Document, is_dropped: frozenset[str], is_cut: bool, limits: Limits, deadline: Deadline) -> Nodes:
    """Fill the table, and gather the text between two borders of containers (the search phase of blocks.segment).

    This is the hot path of the whole program: one long loop over plain local variables, because calls and objects are
    what it would cost.
    """
    tag_of: list[str] = []
    parents: list[int] = []
    ends: list[int] = []
    texts: list[str] = []
    elements: list[Element | None] = []
    runs: list[TextRun] = []
    outer: dict[int, int] = {}
    classes: list[str | None] = []
    rows: dict[str, list[int]] = {"a[rel]": [], **{tag: [] for tag in tags.INDEXED}}
    hidden: set[int] = set()
    hidden_elements = [element for element in document.select(_MAYBE_HIDDEN) if _is_hidden(element)]
    hidden_ids = set(map(id, hidden_elements))
    hosts: dict[int, tuple[Node, Node]] = {}  # content of a template -> itself and the template
    add_tag, add_parent, add_end, add_text = tag_of.append, parents.append, ends.append, texts.append
    add_element, add_class = elements.append, classes.append
    is_container, max_depth = tags.CONTAINERS, limits.max_depth
    pending: list[int] = []  # text nodes and breaks since the last border
    linked: list[int] = []  # those of them that stand in links
    breaks = 0
    top: Node = document  # the innermost open node, and those around it
    opened: list[Node] = []
    row, parent, deepest = 0, -1, 0
    inside, link, dropped = -1, -1, -1  # open now: the innermost container, a link, something that is not shown
    nodes: Iterable[Any] = document.descendants  # Any: what a node can do is known by its kind only
    next_look = _LOOK_EVERY
    for node in nodes:
        kind, data = type(node), ""
        if kind is Text and dropped < 0:
            data = node.data
            if not pending and data.isspace():
                continue  # white space with no text before it in its block is not shown: half of all text nodes
        above = node.parent
        if hosts and id(above) in hosts:
            above = hosts[id(above)][1]
        while above is not top:
            top = opened.pop()
            ends[parent] = row
            if parent == inside:
                if pending:
                    runs.append((inside, pending, linked, breaks))
                    pending, linked, breaks = [], [], 0
                inside = outer[parent]
            elif parent == link:
                link = -1
            elif parent == dropped:
                dropped = -1
            elif deepest > max_depth and pending and dropped < 0 and tag_of[parent] in is_container:
                # one too deep to stand for itself
                runs.append((inside, pending, linked, breaks))
                pending, linked, breaks = [], [], 0
            parent = parents[parent]
        if kind is Text:
            if dropped >= 0:
                is_program = tag_of[parent] == "script" and not _is_json(elements[parent])
                data = "" if is_program else node.data
            elif not data:
                data = node.data
            if not pending and data.isspace():
                continue
            if dropped < 0:
                pending.append(row)
                if link >= 0:
                    linked.append(row)
            add_tag(TEXT)
            add_parent(parent)
            add_text(data)
            add_element(None)
            row += 1
            add_end(row)
        elif kind is Element:
            tag = node.tag
            is_hidden = False
            if hidden_ids and id(node) in hidden_ids:
                is_hidden = True
                hidden.add(row)
            if dropped < 0:
                if tag in is_container:
                    if pending:
                        runs.append((inside, pending, linked, breaks))
                        pending, linked, breaks = [], [], 0
                    if len(opened) < max_depth:
                        outer[row] = inside
                        add_class(node.attr("class"))
                        inside = row
                    elif is_hidden:  # too deep to stand for itself
                        dropped = row
                elif tag == "br":
                    if pending:
                        pending.append(row)
                        breaks += 1
                elif tag in is_dropped:
                    if tag != "template" or node.attr("shadowrootmode") is None:
                        dropped = row
                elif is_hidden:
                    dropped = row
                elif tag == "a":
                    if link < 0 and node.attr("href"):
                        link = row
                    if node.attr("rel"):
                        rows["a[rel]"].append(row)
            if tag in rows:
                rows[tag].append(row)
            add_tag(tag)
            add_parent(parent)
            add_text("")
            add_end(0)
            add_element(node)
            opened.append(top)
            top = node
            parent = row
            row += 1
            if len(opened) > deepest:
                deepest = len(opened)
            if row >= next_look:
                deadline.check()
                next_look = row + _LOOK_EVERY
                if row >= limits.max_nodes:
                    is_cut = True
                    break
        elif kind is DocumentFragment:
            hosts[id(node)] = (node, top)
    if pending:
        runs.append((inside, pending, linked, breaks))
    while parent >= 0:
        ends[parent] = row
        parent = parents[parent]
    if deepest > max_depth:
        _flatten(parents, ends, max_depth)
    attributes = _ParsedAttributes(document, elements)
    return Nodes(tag_of, parents, ends, texts, attributes, rows, frozenset(hidden), runs, outer, classes, is_cut)


def _is_hidden(element: Element) -> bool:
    return element.attr("hidden") is not None or _HIDING.search(element.attr("style") or "") is not None


def _is_json(script: Element | None) -> bool:
    """Tell data from programs, which are long and which nobody reads."""
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
