"""The other way to the node table: parse with turbohtml, and walk over its tree.

Installs without a compiler use it, and so do the few pages that the compiled parser leaves out. It is slower and gives
the same table. `page.tree` guards it against pages that grow in the parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from turbohtml import Doctype, Document, DocumentFragment, Element, Text

from broadsheet.html.names import ATTRIBUTE_IDS, ATTRIBUTE_NAMES, TAG_IDS, TAG_NAMES
from broadsheet.html.normalize import normalize_text
from broadsheet.html.table import (
    BREAK,
    CONTAINER,
    DROPPED,
    HAS_PROPERTY,
    HAS_REL,
    HIDDEN,
    LINK,
    NO_CONTAINER,
    TEMPLATE,
    NodeTable,
)

_ROWS_PER_CHECK = 4096  # between two checks of the deadline
# Class names of text for screen readers only, by the usual style sheets (Bootstrap, HTML5 Boilerplate, WordPress).
_SCREEN_READER_CLASSES = frozenset("sr-only visually-hidden visuallyhidden screen-reader-text".split())
_FLAG_ATTRIBUTES = frozenset("hidden style class itemprop itemscope property".split())
_HIDDEN_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
# Quirks mode: document types for which browsers use the layout rules of the 1990s (HTML standard, 13.2.6.4.1).
_PUBLIC_ID_PREFIXES = (
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
_PUBLIC_IDS = ("-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html")
_PREFIXES_WITHOUT_SYSTEM_ID = ("-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//")


def walk_tree(
    document: Document, kinds: bytes, max_nodes: int, max_depth: int, check_deadline: Callable[[], None]
) -> NodeTable:
    """Make the node table of a parsed page. `kinds` has the bits CONTAINER, DROPPED, ... of each tag in TAG_NAMES."""
    walk = _Walk(kinds, max_depth)
    tags, next_check = walk.table.tag, _ROWS_PER_CHECK
    for node, parent in _list_nodes(document):
        walk.close_elements(parent)
        if isinstance(node, Text):
            walk.add_text(node)
        else:
            walk.add_element(node)
        if len(tags) >= max_nodes:
            walk.table.is_cut = True
            break
        if len(tags) >= next_check:
            check_deadline()
            next_check += _ROWS_PER_CHECK
    table = walk.finish()
    doctype = next((node for node in document.children if isinstance(node, Doctype)), None)
    table.is_quirky = doctype is None or _is_quirky_doctype(doctype.name, doctype.public_id, doctype.system_id)
    return table


def _list_nodes(document: Document) -> Iterator[tuple[Element | Text, object]]:
    """Yield all elements and texts in document order with their parents. Contents of templates are their children."""
    hosts: dict[object, object] = {}  # content of a template -> the template
    last: object = document
    for node in document.descendants:
        parent: Any = node.parent
        if hosts and parent in hosts:
            parent = hosts[parent]
        if isinstance(node, DocumentFragment):
            hosts[node] = last
        elif isinstance(node, Element | Text):
            yield node, parent
            if isinstance(node, Element):
                last = node


class _Walk:
    """The state of the walk: the open elements, and the current run."""

    def __init__(self, kinds: bytes, max_depth: int) -> None:
        self.table = NodeTable()
        self._kinds = kinds + bytes(0x10000 - len(kinds))
        self._max_depth = max_depth
        self._arena = bytearray()
        self._tag_ids, self._attribute_ids = dict(TAG_IDS), dict(ATTRIBUTE_IDS)
        self._opened: list[Element] = []
        self._open_rows: list[int] = [-1]
        self._deepest = 0
        self._run_start = 0  # index into run_rows
        self._breaks = 0
        self._container, self._link, self._dropped = -1, -1, -1  # rows of the open ones

    def close_elements(self, parent: object) -> None:
        """Close the open elements inside `parent`, the parent of the next node."""
        opened, table = self._opened, self.table
        while opened and opened[-1] != parent:  # free-threaded Python may have several objects for a node
            opened.pop()
            row = self._open_rows.pop()
            table.end[row] = len(table.tag)
            if row == self._container:
                self._end_run()
                self._container = table.outer[row]
            elif row == self._link:
                self._link = -1
            elif row == self._dropped:
                self._dropped = -1
            elif self._dropped < 0 and self._deepest > self._max_depth and self._kinds[table.tag[row]] & CONTAINER:
                self._end_run()  # a container below the maximum depth, which is not in `outer`

    def add_text(self, node: Text) -> None:
        table = self.table
        data = "" if self._dropped >= 0 and self._is_code() else node.data
        if self._run_start == len(table.run_rows) and data.isspace():
            return  # white space at the start of a run is not shown
        if self._dropped < 0:
            data = normalize_text(data)
            table.run_rows.append(len(table.tag))
            table.run_in_link.append(self._link >= 0)
        self._add_row(0, data)
        table.end[-1] = len(table.tag)

    def add_element(self, element: Element) -> None:  # noqa: C901 - one case for each kind of tag
        table, row = self.table, len(self.table.tag)
        tag = self._number_tag(element.tag)
        kind = self._kinds[tag]
        names = _list_attributes(element)
        flags = 0 if _FLAG_ATTRIBUTES.isdisjoint(names) else _read_flags(element)
        is_shown = self._dropped < 0
        outer = NO_CONTAINER
        if is_shown and kind & CONTAINER:
            self._end_run()
            if len(self._opened) < self._max_depth:
                outer, self._container = self._container, row
            elif flags & HIDDEN:  # below the maximum depth there is no container to carry the flag
                self._dropped = row
        elif is_shown and kind & BREAK:
            if self._run_start < len(table.run_rows):
                table.run_rows.append(row)
                table.run_in_link.append(0)
                self._breaks += 1
        elif is_shown and kind & DROPPED:
            if not kind & TEMPLATE or element.attr("shadowrootmode") is None:
                self._dropped = row
        elif is_shown and flags & HIDDEN:
            self._dropped = row
        elif is_shown and kind & LINK:
            if self._link < 0 and element.attr("href"):
                self._link = row
            if element.attr("rel"):
                flags |= HAS_REL
        self._add_row(tag, "", flags, outer)
        self._add_attributes(element, names)
        self._opened.append(element)
        self._open_rows.append(row)
        self._deepest = max(self._deepest, len(self._opened))

    def finish(self) -> NodeTable:
        """Close everything and return the table."""
        table = self.table
        self._end_run()
        for row in self._open_rows[1:]:
            table.end[row] = len(table.tag)
        if self._deepest > self._max_depth:
            _flatten(table, self._max_depth)
        table.arena = bytes(self._arena)
        table.tag_names = _list_names(TAG_NAMES, self._tag_ids)
        table.attribute_names = _list_names(ATTRIBUTE_NAMES, self._attribute_ids)
        return table

    def _end_run(self) -> None:
        table = self.table
        if self._run_start < len(table.run_rows):
            table.run_container.append(self._container)
            table.run_end.append(len(table.run_rows))
            table.run_breaks.append(self._breaks)
            self._run_start, self._breaks = len(table.run_rows), 0

    def _is_code(self) -> bool:
        """Tell whether the open element is a script of code, not of data: code is long and is never read."""
        script = self._opened[-1]
        return script.tag == "script" and "json" not in (script.attr("type") or "").lower()

    def _add_row(self, tag: int, text: str, flags: int = 0, outer: int = NO_CONTAINER) -> None:
        table = self.table
        table.tag.append(tag)
        table.parent.append(self._open_rows[-1])
        table.end.append(0)
        table.text_start.append(len(self._arena))
        self._arena += text.encode("utf-8", "surrogatepass")
        table.text_end.append(len(self._arena))
        table.flags.append(flags)
        table.outer.append(outer)
        table.first_attribute.append(len(table.attribute_name))
        table.attribute_count.append(0)

    def _add_attributes(self, element: Element, names: Sequence[str]) -> None:
        table = self.table
        for name in names:
            table.attribute_name.append(self._attribute_ids.setdefault(name, len(self._attribute_ids)))
            table.value_start.append(len(self._arena))
            self._arena += (element.attr(name) or "").encode("utf-8", "surrogatepass")
            table.value_end.append(len(self._arena))
        table.attribute_count[-1] = len(names)

    def _number_tag(self, tag: str) -> int:
        return self._tag_ids.setdefault(tag.lower(), len(self._tag_ids))


def _list_names(known: Sequence[str], ids: dict[str, int]) -> Sequence[str]:
    return known if len(ids) == len(known) else tuple(ids)


def _list_attributes(element: Element) -> list[str]:
    try:
        return list(element.attrs)[:0xFFFF]
    except UnicodeDecodeError:  # a name with a lone surrogate, which only a page given as str can contain
        return []


def _read_flags(element: Element) -> int:
    attr = element.attr
    is_hidden = (
        attr("hidden") is not None
        or _HIDDEN_STYLE.search(attr("style") or "") is not None
        or not _SCREEN_READER_CLASSES.isdisjoint((attr("class") or "").split())
    )
    has_property = (
        attr("itemprop") is not None
        or attr("itemscope") is not None
        or (attr("property") is not None and element.tag != "meta")
    )
    return HIDDEN * is_hidden | HAS_PROPERTY * has_property


def _flatten(table: NodeTable, max_depth: int) -> None:
    """Make every node at or below `max_depth` a childless child of its ancestor just above that depth."""
    depths: list[int] = []
    above = -1
    for row, parent in enumerate(table.parent):
        depth = depths[parent] + 1 if parent >= 0 else 0
        depths.append(depth)
        if depth == max_depth - 1:
            above = row
        elif depth >= max_depth:
            table.parent[row], table.end[row] = above, row + 1


def _is_quirky_doctype(name: str | None, public_id: str | None, system_id: str | None) -> bool:
    """Tell whether a document type puts browsers into quirks mode."""
    if (name or "").lower() != "html":
        return True
    public_id = (public_id or "").lower()
    if public_id.startswith(_PUBLIC_ID_PREFIXES) or public_id in _PUBLIC_IDS:
        return True
    return system_id is None and public_id.startswith(_PREFIXES_WITHOUT_SYSTEM_ID)
