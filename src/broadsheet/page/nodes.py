"""The node table as the readers of a page see it: tags, texts, attributes and runs by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

from broadsheet.html.names import TAG_IDS, TAG_NAMES, TEXT
from broadsheet.html.readers import Attributes, Texts, find_flagged_rows, find_outer, find_rows, group_rows, list_tags
from broadsheet.html.table import HAS_PROPERTY, HAS_REL, HIDDEN, NodeTable
from broadsheet.kernel.segments import count_shown
from broadsheet.page.tags import INDEXED

if TYPE_CHECKING:
    from broadsheet.page.tree import Tree

__all__ = ["TEXT", "Nodes"]

# A run is the visible text of a page between two borders of containers: the first step of segmentation (the search
# phase of SemText, section III-A).
#
# 1. A run collects text nodes and `<br>` elements in document order.
# 2. Each start tag and each end tag of a container (`tags.CONTAINERS`) ends the run.
# 3. Text inside dropped elements (`tags.DROPPED`) and hidden inline elements is left out. Text of hidden containers is
#    kept; its blocks have the context flag `tags.HIDDEN`.
#
# The parser makes the runs in the pass that fills the node table. `blocks.segment` makes one block of each run, or
# several where `<br><br>` separates paragraphs.
#
# The row of the innermost container around the run (-1: none), the rows of its text nodes and breaks, those of them
# inside links, and the number of breaks. A plain tuple: a named tuple takes eight times as long to create.
TextRun = tuple[int, list[int], list[int], int]

_MAX_SHOWN_CHARS = 1_500  # of all visible text: menus and footers
_MAX_SHOWN_PROSE_CHARS = 500  # in runs of at least _MIN_PROSE_CHARS
_MIN_PROSE_CHARS = 80


class Nodes:
    """The DOM as columns. Row 0 is `<html>`; the descendants of row i are rows i+1 to end[i]-1.

    Comments are left out, and so is white space at the start of a block, which browsers do not show. Columns must not
    be changed. Those that are not needed by every extraction are made when they are first read.
    """

    def __init__(self, table: NodeTable, source: str) -> None:
        """Wrap a table. `source` is the HTML that it was made from."""
        self.table = table
        self.source = source
        self.parent: Sequence[int] = table.parent  # row of the parent element, -1 for the root
        self.end: Sequence[int] = table.end  # one past the last descendant
        # Of a text node, unchanged; "" for elements and for the code of scripts.
        self.text = cast("Sequence[str]", Texts(table))
        self.attrs = Attributes(table)
        # Tag -> its rows; and "a[rel]", "[itemprop]" (elements with microdata or RDFa).
        self.rows: Mapping[str, Sequence[int]] = _RowsByTag(table)

    def __len__(self) -> int:
        return len(self.table.tag)

    @property
    def is_cut(self) -> bool:
        """Whether the page has more nodes than the limit."""
        return self.table.is_cut

    @cached_property
    def tag(self) -> Sequence[str]:
        """Lower-case name of each row, TEXT for a text node."""
        return list_tags(self.table)

    @cached_property
    def hidden(self) -> frozenset[int]:
        """Rows of elements that are hidden by their attributes."""
        return frozenset(find_flagged_rows(self.table.flags, HIDDEN))

    @cached_property
    def outer(self) -> Mapping[int, int]:
        """Row of a container -> row of the next container around it, -1 for the root."""
        return find_outer(self.table.outer)

    @cached_property
    def classes(self) -> Sequence[str | None]:
        """Class attributes of the containers, in the order of `outer`."""
        return self.attrs.get_all(self.outer, "class")

    @cached_property
    def runs(self) -> Sequence[TextRun]:
        """The visible text, cut at the borders of containers (see `TextRun`)."""
        table = self.table
        runs: list[TextRun] = []
        start = 0
        for container, end, breaks in zip(table.run_container, table.run_end, table.run_breaks, strict=True):
            rows = table.run_rows[start:end].tolist()
            links = [row for row, in_link in zip(rows, table.run_in_link[start:end], strict=True) if in_link]
            runs.append((container, rows, links, breaks))
            start = end
        return runs

    def attr(self, row: int, name: str) -> str:
        """Return the value of an attribute; "" if it is missing or empty."""
        return self.attrs.get(row, name) or ""

    def has_attr(self, row: int, name: str) -> bool:
        """Tell whether the element has the attribute, with or without a value."""
        return self.attrs.get(row, name) is not None

    @cached_property
    def tree(self) -> Tree:
        """The tree of turbohtml, for CSS selectors. It takes longer to make than the table."""
        from broadsheet.page.tree import Tree, parse_tree  # imported here: turbohtml takes 20 ms, and few pages need it

        document, _ = parse_tree(self.source)
        return Tree(document, self.table)

    def select(self, css: str) -> list[int]:
        """Return the rows of the elements that match a CSS selector, in document order."""
        return self.tree.select(css)

    def elements(self, tag: str, attribute: str) -> list[int]:
        """Return the rows of the elements of a tag that have an attribute, as the selector `tag[attribute]` does."""
        return [row for row in self.rows[tag] if self.has_attr(row, attribute)]

    def run_rows(self) -> list[int]:
        """Return the rows of all visible text nodes and of the `<br>` between them, in order."""
        return self.table.run_rows.tolist()

    def tag_of(self, row: int) -> str:
        """Return the tag of one row, without the list of all tags."""
        return self.table.tag_names[self.table.tag[row]]

    def container_around(self, container: int) -> int:
        """Return the row of the next container around a container, -1 if there is none."""
        return self.table.outer[container] if container >= 0 else -1

    def ancestors(self, row: int) -> Iterator[int]:
        """Yield the rows above `row`, the nearest first."""
        row = self.parent[row]
        while row >= 0:
            yield row
            row = self.parent[row]

    def depths(self) -> list[int]:
        """Return the depth of every row, 0 for the root."""
        depths: list[int] = []
        for parent in self.parent:
            depths.append(depths[parent] + 1 if parent >= 0 else 0)
        return depths

    def text_of(self, row: int) -> str:
        """Return all text of `row` and its descendants, white space collapsed."""
        return " ".join("".join(self.text[row : self.end[row]]).split())


# Tags that most extractions ask for. They are listed together, in one pass over the table; group 0 is for other tags.
_GROUPED_TAGS = ("", *(tag for tag in sorted(INDEXED) if tag in TAG_IDS))
_GROUP_OF_TAG = bytes(_GROUPED_TAGS.index(tag) if tag in _GROUPED_TAGS else 0 for tag in TAG_NAMES)


class _RowsByTag(dict[str, Sequence[int]]):
    """The rows of each tag, listed when they are first asked for."""

    def __init__(self, table: NodeTable) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, key: str) -> Sequence[int]:
        table = self._table
        if key in _GROUPED_TAGS:
            self.update(zip(_GROUPED_TAGS, group_rows(table.tag, _GROUP_OF_TAG, len(_GROUPED_TAGS)), strict=True))
            return self[key]
        if key == "a[rel]":
            rows = find_flagged_rows(table.flags, HAS_REL)
        elif key == "[itemprop]":
            rows = find_flagged_rows(table.flags, HAS_PROPERTY)
        else:
            number = TAG_IDS.get(key, -1)
            if number < 0 and key in table.tag_names:
                number = table.tag_names.index(key)
            rows = find_rows(table.tag, number) if number >= 0 else []
        self[key] = rows
        return rows


def shows_little_text(nodes: Nodes) -> bool:
    """Tell whether a page shows no article."""
    chars, prose = count_shown(nodes.table, _MIN_PROSE_CHARS, _MAX_SHOWN_CHARS, skip_links=True)
    if chars > _MAX_SHOWN_CHARS or prose > _MAX_SHOWN_PROSE_CHARS:
        return False
    return bool(nodes.rows["script"])


def count_shown_prose(nodes: Nodes) -> int:
    """Return the number of characters in runs that are long enough to be paragraphs."""
    return count_shown(nodes.table, _MIN_PROSE_CHARS, skip_links=False)[1]
