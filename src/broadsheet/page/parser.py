"""HTML to node table.

Only this module, `page.symbols`, `page.formulas` and `page.edit`, which training uses, know the parser (turbohtml).

The parser builds the WHATWG tree, as a browser does. One walk over the tree fills the node table and cuts the text into
runs (see `page.runs`). Attributes stay in the parser's tree until they are read through `nodes.Attributes`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from turbohtml import Doctype, Document, Element, SelectorSyntaxError, parse

from broadsheet.kernel import walk
from broadsheet.kernel.walk import TreeColumns, WalkLimits, read_attributes, walk_tree
from broadsheet.page import tags
from broadsheet.page.growth import limit_growth
from broadsheet.page.limits import DEFAULT_LIMITS, MAX_SHELL_CHARS, NO_DEADLINE, Deadline, Limits
from broadsheet.page.nodes import Nodes
from broadsheet.page.quirks import is_quirky_doctype
from broadsheet.page.run_limits import limit_runs
from broadsheet.page.symbols import replace_symbols

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
_MIN_LANGUAGE_CONFIDENCE = 0.5


def _make_tag_kinds(dropped: frozenset[str]) -> dict[str, int]:
    """Return how the walk treats each tag, as bits of `kernel.walk`."""
    kinds = dict.fromkeys(tags.CONTAINERS, walk.CONTAINER) | dict.fromkeys(dropped, walk.DROPPED)
    kinds |= {"br": walk.BREAK, "a": walk.LINK, "template": walk.DROPPED | walk.TEMPLATE}
    return kinds | {tag: kinds.get(tag, 0) | walk.INDEXED for tag in tags.INDEXED}


_TAG_KINDS = _make_tag_kinds(tags.DROPPED)


def parse_nodes(html: str, *, limits: Limits = DEFAULT_LIMITS, deadline: Deadline = NO_DEADLINE) -> Nodes:
    """Parse a page and return its node table."""
    bounded = limit_growth(html, limits.max_nodes)
    is_cut = bounded.is_cut
    deadline.check()
    # Browsers show declarative shadow roots. They stay in the tree as <template> elements, and the walk enters them.
    document = parse(bounded.text, positions=False, allow_declarative_shadow_roots=False)
    nodes = _walk(document, _TAG_KINDS, is_cut, limits, deadline)
    if _replace_symbols(nodes):
        nodes = _walk(document, _TAG_KINDS, is_cut, limits, deadline)
    nodes = _limit_text(nodes, html, limits)
    if nodes.rows["noscript"] and _has_fewer_chars(nodes, MAX_SHELL_CHARS):
        # JavaScript fills this page in. Its <noscript> may contain the whole article.
        fallback = _walk(document, _make_tag_kinds(tags.DROPPED - {"noscript"}), is_cut, limits, deadline)
        if not _has_fewer_chars(fallback, 2 * MAX_SHELL_CHARS):
            return _limit_text(fallback, html, limits)
    return nodes


def _replace_symbols(nodes: Nodes) -> bool:
    """Replace emoji and formulas by text in the parser's tree; tell whether there were any."""
    assert isinstance(nodes.attrs, ParsedAttributes)
    return replace_symbols(nodes, nodes.attrs.elements)


def _limit_text(nodes: Nodes, html: str, limits: Limits) -> Nodes:
    """Apply the limits of blocks and characters. Pages that are too small to exceed them are not counted."""
    is_large = len(nodes) > limits.max_blocks or len(html) > limits.max_chars
    return limit_runs(nodes, limits) if is_large else nodes


def detect_encoding(data: bytes) -> str:
    """Guess the character set of bytes; return a codec name for `bytes.decode`."""
    from turbohtml.detect import detect  # few pages need it, and the import takes milliseconds

    return detect(data).codec or "utf-8"


def detect_language(text: str) -> str | None:
    """Guess the language of a text; return its ISO 639-3 code, or None if the text is too short or unclear."""
    from turbohtml.detect import detect_language as detect

    match = detect(text)
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
        return read_attributes(self.elements, rows, name)

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


def _has_fewer_chars(nodes: Nodes, limit: int) -> bool:
    """Tell whether the visible text is shorter than the limit. Stops when the limit is reached."""
    chars = 0
    for _, rows, _, _ in nodes.runs:
        chars += sum([len(nodes.text[row]) for row in rows])
        if chars >= limit:
            return False
    return True


def _walk(document: Document, tag_kinds: dict[str, int], is_cut: bool, limits: Limits, deadline: Deadline) -> Nodes:
    """Make the node table. Text in dropped elements is in the table, but in no run."""
    columns = TreeColumns({"a[rel]": [], "[itemprop]": [], **{tag: [] for tag in tags.INDEXED}})
    # The parser returns the same objects in the walk, as long as they are referenced.
    marked = [(element, _is_hidden(element), _has_property(element)) for element in document.select(_MARKED)]
    walk_tree(document, columns, tag_kinds, marked, WalkLimits(limits.max_depth, limits.max_nodes, deadline.check))
    return Nodes(
        columns.tags,
        columns.parents,
        columns.ends,
        columns.texts,
        ParsedAttributes(document, columns.elements),
        columns.indexed,
        frozenset(columns.hidden),
        columns.runs,
        columns.outer,
        columns.classes,
        is_cut or columns.is_cut,
    )


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
